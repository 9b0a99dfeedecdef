// The line on a terminal that shows what a long command is doing. In a pipe there is none.
//
//   StatusLine line;
//   line.show("3 of 6 nodes are up");  // replaces what it showed before
//   line.print("node a is up");        // a line that stays
//   {
//     const auto work = line.during("building trixie-0123456789ab");
//     build();                         // after a second: building trixie-0123456789ab (12 s)
//   }
//
// It is on stderr, has no color, and is gone when the object is, or when Ctrl-C ends
// the program while it counts seconds.
// Remove it (clear) before something else is printed on the terminal.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace slipway {

class StatusLine {
 public:
  // On a terminal that can erase a line: not with TERM=dumb.
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool is_on_terminal() const { return terminal_; }

  // What the program does now, one line; it is cut to the terminal's width.
  void show(const std::string& text);

  // Prints one or more lines that stay.
  void print(const std::string& text);

  void clear();

  // Shows the text and the seconds for as long as this exists, after the first second. A thread
  // draws, so do not start children with copies of this process's memory meanwhile.
  class Work {
   public:
    Work(StatusLine& line, std::string text);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    void draw(const std::stop_token& stop);
    StatusLine& line_;
    const std::string text_;
    std::jthread thread_;
  };
  [[nodiscard]] Work during(std::string text) { return {*this, std::move(text)}; }

 private:
  void erase_shown();

  const bool terminal_;
  std::mutex mutex_;
  bool is_shown_ = false;
};

// "12 s", "2 min 5 s", "1 h 2 min".
std::string duration_text(std::chrono::seconds duration);

// The beginning of the text in at most `columns` columns; every character counts as one.
std::string_view first_columns(std::string_view text, size_t columns);

}  // namespace slipway
