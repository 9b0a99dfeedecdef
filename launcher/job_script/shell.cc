// Reads a shell script as a tree of its commands.
#include "launcher/job_script/shell.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <utility>

#include "launcher/job_script/shell_text.h"
#include "launcher/job_script/shell_words.h"

namespace slipway::job_script {
namespace {

using Kind = ShellCommand::Kind;
using Commands = std::vector<ShellCommand>;

constexpr size_t nowhere = std::string_view::npos;
constexpr int deepest_nesting = 100;
constexpr std::array<std::string_view, 9> ends_of_lists = {"then", "else", "elif", "fi", "do",
                                                           "done", "esac", "}",    ";;"};

class ShellReader : private ShellText {
 public:
  using ShellText::ShellText;

  ShellScript run() {
    ShellScript script;
    script.commands = list();
    // What ends no list here is a mistake; bash would stop there, too.
    script.understood = at_ < text_.size() && !stopped_ ? at_ : understood_;
    return script;
  }

 private:
  void need(std::string_view word) {
    if (!take(word)) stop();
  }

  Commands list() {
    Commands commands;
    if (++depth_ > deepest_nesting) stop();
    bool after_and_or = false;
    for (between(); at_ < text_.size() && here() != ')'; between()) {
      if (std::ranges::find(ends_of_lists, peek()) != ends_of_lists.end()) break;
      const size_t begin = at_;
      commands.push_back(command());
      ShellCommand& last = commands.back();
      last.place = {begin, std::min(at_, text_.size())};
      last.after_and_or = std::exchange(after_and_or, false);
      blanks();
      if (starts("&&") || starts("||")) {
        after_and_or = true;
        at_ += 2;
      } else if (starts(";;")) {
        break;
      } else if (here() == '&' || here() == '|') {
        last.in_background = here() == '&';
        ++at_;
        if (here() == '&') ++at_;  // |&
      } else if (at_ == begin) {
        stop();  // no command begins like this
      }
    }
    --depth_;
    return commands;
  }

  ShellCommand command() {
    const std::string_view word = peek();
    if (word == "!" || word == "time") {
      at_ += word.size();
      blanks();
      if (++depth_ > deepest_nesting) stop();
      ShellCommand made = command();
      --depth_;
      if (word == "!") made.negated = !made.negated;
      return made;
    }
    ShellCommand made = compound(word);
    if (made.kind != Kind::simple)
      redirections();
    else if (made.words.empty() && made.assignments.empty())
      simple(made);
    return made;
  }

  ShellCommand compound(std::string_view word) {
    ShellCommand made;
    if (word == "if") return conditional(word);
    if (word == "while" || word == "until") {
      at_ += word.size();
      made.kind = Kind::loop;
      made.condition = list();
      do_done(made);
    } else if (word == "for" || word == "select") {
      at_ += word.size();
      made.kind = Kind::loop;
      each(made);
      do_done(made);
    } else if (word == "case") {
      choice(made);
    } else if (word == "{") {
      ++at_;
      made.kind = Kind::group;
      made.body = list();
      need("}");
    } else if (word == "function") {
      at_ += word.size();
      blanks();
      made.name = peek();
      at_ += made.name.size();
      blanks();
      if (starts("()")) at_ += 2;
      function(made);
    } else if (starts("((")) {
      skip_to(end_of_parentheses(text_, at_ + 1));
      made.kind = Kind::group;
    } else if (here() == '(') {
      ++at_;
      made.kind = Kind::group;
      made.body = list();
      if (here() == ')')
        ++at_;
      else
        stop();
    } else if (word == "[[") {
      test(made);
    }
    return made;
  }

  ShellCommand conditional(std::string_view word) {
    ShellCommand made;
    made.kind = Kind::conditional;
    at_ += word.size();
    made.condition = list();
    need("then");
    made.body = list();
    between();
    if (peek() == "elif") {
      if (++depth_ > deepest_nesting) stop();
      if (!stopped_) made.otherwise.push_back(conditional("elif"));
      --depth_;
      return made;  // with the `fi` of the last
    }
    if (take("else")) made.otherwise = list();
    need("fi");
    return made;
  }

  void do_done(ShellCommand& made) {
    need("do");
    made.body = list();
    need("done");
  }

  void each(ShellCommand& made) {
    blanks();
    if (starts("((")) {
      skip_to(end_of_parentheses(text_, at_ + 1));
      return;
    }
    made.name = peek();
    at_ += made.name.size();
    if (!take("in")) return;
    for (blanks(); at_ < text_.size() && here() != '\n' && here() != ';'; blanks()) {
      const Range word = next_word();
      if (word.end == word.begin) return stop();
      made.words.push_back(word);
    }
  }

  void choice(ShellCommand& made) {
    made.kind = Kind::choice;
    at_ += 4;
    blanks();
    next_word();
    need("in");
    while (!stopped_ && !take("esac")) {
      if (here() == '(') ++at_;
      do {  // patterns
        blanks();
        const Range pattern = next_word();
        if (pattern.begin == pattern.end) return stop();
        blanks();
      } while (here() == '|' && ++at_ != 0);
      if (here() != ')') return stop();
      ++at_;
      for (ShellCommand& one : list()) made.body.push_back(std::move(one));
      if (starts(";;"))
        at_ += here(2) == '&' ? 3 : 2;
      else if (starts(";&"))
        at_ += 2;
    }
  }

  void function(ShellCommand& made) {
    made.kind = Kind::function;
    between();
    const std::string name = std::move(made.name);
    ShellCommand body = command();
    made.body.push_back(std::move(body));
    made.body.back().place = made.place;
    made.name = name;
  }

  // [[ … ]], in which operators are words.
  void test(ShellCommand& made) {
    for (;;) {
      blanks();
      if (here() == '\n') ++at_;
      const size_t begin = at_;
      if (at_ >= text_.size()) return stop();
      Range word = next_word();
      if (word.begin == word.end) {
        at_ = begin + 1;
        word = {begin, at_};
      }
      made.words.push_back(word);
      if (word.of(text_) == "]]") return;
    }
  }

  void simple(ShellCommand& made) {
    for (;;) {
      blanks();
      if (redirection()) continue;
      const size_t begin = at_;
      if (made.words.empty() && assignment(made)) continue;
      const Range word = next_word();
      if (word.begin == word.end) return;
      const std::string_view spelled = word.of(text_);
      const bool is_number =
          std::ranges::all_of(spelled, [](unsigned char c) { return std::isdigit(c) != 0; });
      if (is_number && (here() == '<' || here() == '>')) continue;  // 2>&1
      if (spelled.ends_with('=') && here() == '(') skip_to(end_of_parentheses(text_, at_ + 1));
      made.words.push_back(word);
      if (made.words.size() == 1 && made.assignments.empty() && is_definition()) {
        made.name = spelled;
        made.words.clear();
        made.place = {begin, at_};
        return function(made);
      }
    }
  }

  // Takes the `()` after a function's name.
  bool is_definition() {
    const size_t begin = at_;
    blanks();
    if (here() == '(') {
      ++at_;
      blanks();
      if (here() == ')') {
        ++at_;
        return true;
      }
    }
    at_ = begin;
    return false;
  }

  bool assignment(ShellCommand& made) {
    size_t end = at_;
    const auto is_name = [&](size_t i) {
      const auto c = static_cast<unsigned char>(i < text_.size() ? text_[i] : 0);
      return std::isalpha(c) != 0 || c == '_' || (i > at_ && std::isdigit(c) != 0);
    };
    while (is_name(end)) ++end;
    ShellAssignment one;
    one.name = text_.substr(at_, end - at_);
    if (one.name.empty()) return false;
    if (end < text_.size() && text_[end] == '[') {  // an element, which is not kept
      end = text_.find(']', end);
      if (end == nowhere) return false;
      ++end;
    }
    one.append = text_.substr(end).starts_with("+=");
    if (!one.append && !text_.substr(end).starts_with("=")) return false;
    const size_t begin = at_;
    at_ = end + (one.append ? 2 : 1);
    if (here() == '(') {
      one.is_list = true;
      ++at_;
      for (between(); at_ < text_.size() && here() != ')'; between()) {
        const Range word = next_word();
        if (word.begin == word.end) break;
        one.words.push_back(word);
      }
      if (here() == ')')
        ++at_;
      else
        stop();
    } else {
      one.words.push_back(next_word());
    }
    one.place = {begin, at_};
    made.assignments.push_back(std::move(one));
    return true;
  }

  int depth_ = 0;
};

}  // namespace

ShellScript read_shell(std::string_view text, size_t begin) {
  return ShellReader(text, begin).run();
}

}  // namespace slipway::job_script
