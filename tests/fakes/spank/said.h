// What a process of the fake of Slurm says: on its stderr, and to its parent.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace fake_slurm {

// Returns what `body` writes to this process's stderr.
inline std::string capture_stderr(const std::function<void()>& body) {
  std::FILE* file = std::tmpfile();
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  body();
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

// Reports a null-terminated text from a task to its parent, before its program would start.
inline void report(int pipe, const std::string& text) {
  if (::write(pipe, text.c_str(), text.size() + 1) < 0) ::_exit(2);
}

inline std::vector<std::string> read_reports(int pipe) {
  std::string all;
  char part[4096];
  for (ssize_t n; (n = ::read(pipe, part, sizeof part)) > 0;) all.append(part, size_t(n));
  std::vector<std::string> texts;
  for (size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) texts.push_back(&all[at]);
  return texts;
}

}  // namespace fake_slurm
