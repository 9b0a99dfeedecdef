// A place in a shell script, and what moves it.
#include "launcher/job_script/shell_text.h"

#include <algorithm>
#include <cctype>

#include "launcher/job_script/shell_words.h"

namespace slipway::job_script {

void ShellText::stop() {
  if (!stopped_) understood_ = at_;
  stopped_ = true;
  at_ = text_.size();
}

void ShellText::blanks() {
  for (;; ++at_) {
    if (starts("\\\n")) {
      ++at_;
    } else if (here() == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    } else if (here() != ' ' && here() != '\t' && here() != '\r') {
      return;
    }
  }
}

void ShellText::line_end() {
  ++at_;
  for (const auto& [word, tabs] : std::exchange(here_documents_, {})) {
    while (at_ < text_.size()) {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      while (tabs && line.starts_with('\t')) line.remove_prefix(1);
      if (line == word) break;
    }
  }
}

void ShellText::between() {
  for (blanks(); here() == '\n' || (here() == ';' && here(1) != ';'); blanks()) {
    here() == '\n' ? line_end() : void(++at_);
  }
}

std::string_view ShellText::peek() const {
  if (starts(";;")) return ";;";
  const size_t end = end_of_word(text_, at_);
  return end == std::string_view::npos ? std::string_view() : text_.substr(at_, end - at_);
}

bool ShellText::take(std::string_view word) {
  between();
  if (peek() != word) return false;
  at_ += word.size();
  return true;
}

Range ShellText::next_word() {
  const size_t begin = at_;
  size_t end =
      starts("<(") || starts(">(") ? end_of_parentheses(text_, at_ + 2) : end_of_word(text_, at_);
  if (end == std::string_view::npos) {
    stop();
    return {begin, begin};
  }
  at_ = end;
  return {begin, end};
}

bool ShellText::redirection() {
  if (starts("<(") || starts(">(")) return false;
  if (starts("&>")) ++at_;
  if (here() != '<' && here() != '>') return false;
  if (starts("<<") && !starts("<<<")) {
    at_ += 2;
    const bool tabs = here() == '-';
    at_ += tabs;
    blanks();
    std::string word(next_word().of(text_));
    std::erase_if(word, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
    here_documents_.emplace_back(std::move(word), tabs);
    return true;
  }
  while (here() == '<' || here() == '>' || here() == '&' || here() == '|') ++at_;
  blanks();
  next_word();
  return true;
}

void ShellText::redirections() {
  for (;;) {
    blanks();
    const size_t begin = at_;
    while (std::isdigit(static_cast<unsigned char>(here())) != 0) ++at_;
    if (redirection()) continue;
    at_ = begin;
    return;
  }
}

void ShellText::skip_to(size_t end) {
  if (end == std::string_view::npos)
    stop();
  else
    at_ = end;
}

}  // namespace slipway::job_script
