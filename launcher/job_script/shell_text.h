// A place in a shell script, and what moves it: blanks, words and redirections.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/job_script/shell.h"

namespace slipway::job_script {

class ShellText {
 public:
  ShellText(std::string_view text, size_t begin)
      : text_(text), at_(begin), understood_(text.size()) {}

 protected:
  char here(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }

  // Nothing from this place on can be understood.
  void stop();

  void blanks();   // and comments
  void between();  // also ends of lines, and semicolons between commands

  // The reserved word that is next, or what other word is; empty at an operator.
  std::string_view peek() const;
  bool take(std::string_view word);

  // The next word; empty at an operator.
  Range next_word();

  // Skips `> file` and its like. False if there is none.
  bool redirection();
  void redirections();

  void skip_to(size_t end);  // or stop(), at npos

  std::string_view text_;
  size_t at_;
  size_t understood_;
  bool stopped_ = false;

 private:
  void line_end();

  std::vector<std::pair<std::string, bool>> here_documents_;  // word, and whether tabs may precede
};

}  // namespace slipway::job_script
