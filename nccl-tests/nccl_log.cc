// NCCL's own log.
#include "nccl-tests/nccl_log.h"

#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "common/fd.h"
#include "common/file.h"
#include "common/host_name.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

constexpr std::string_view warn_mark = " NCCL WARN ";
constexpr const char* subsystems = "INIT,NET";
constexpr auto between_looks = std::chrono::milliseconds(200);

std::string variable_of(const char* name) {
  const char* const text = ::getenv(name);
  return text == nullptr ? "" : text;
}

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool shows_everything(std::string_view level) {
  return !level.empty() && !same_word(level, "VERSION") && !same_word(level, "WARN");
}

// NCCL_DEBUG_SUBSYS with ours added. A list that begins with ^ names what to leave out.
std::string with_ours(const std::string& wanted, bool sees_all) {
  if (wanted.empty() || !sees_all) return subsystems;
  if (wanted.front() == '^' || same_word(wanted, "ALL")) return wanted;
  return wanted + "," + subsystems;
}

}  // namespace

std::string transports_in_log(std::string_view log) {
  constexpr std::string_view mark = " via ";
  std::set<std::string> found;
  for (const std::string& line : split(log, '\n')) {
    const size_t at = line.find(mark);
    if (line.find("Channel ") == std::string::npos || at == std::string::npos) continue;
    const std::vector<std::string> parts =
        split(std::string_view(line).substr(at + mark.size()), '/');
    if (parts.size() < 2) continue;
    const std::string kind = parts[1].substr(0, parts[1].find_first_of("( "));
    found.insert(parts[0] + "/" + kind);
  }
  return join(std::vector<std::string>(found.begin(), found.end()), ", ");
}

std::vector<std::string> warnings_in_log(std::string_view log, size_t most) {
  std::vector<std::string> found;
  for (const std::string& line : split(log, '\n')) {
    const size_t at = line.find(warn_mark);
    if (at == std::string::npos) continue;
    std::string text(trim(std::string_view(line).substr(at + warn_mark.size())));
    if (std::ranges::find(found, text) == found.end()) found.push_back(std::move(text));
  }
  if (found.size() > most)
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(most));
  return found;
}

std::string expand_log_path(std::string_view pattern) {
  const std::string host = own_host_name(), name = host.substr(0, host.find('.'));
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == 'h')
      path += name;
    else if (next == 'p')
      path += std::to_string(::getpid());
    else if (next == '%')
      path += '%';
    else
      path += pattern[i];
    if (next == 'h' || next == 'p' || next == '%') ++i;
  }
  return path;
}

std::string shown_at(std::string_view level, std::string_view log) {
  if (shows_everything(level)) return std::string(log);
  std::string shown;
  for (const std::string& line : split(log, '\n')) {
    const bool version = line.starts_with("NCCL version");
    const bool warning = same_word(level, "WARN") && line.find(warn_mark) != std::string::npos;
    if (version || warning) shown += line + "\n";
  }
  return shown;
}

NcclLog::NcclLog() : level_(variable_of("NCCL_DEBUG")) {
  const std::string given = variable_of("NCCL_DEBUG_FILE");
  const bool to_stderr = given == "/dev/stderr" || given == "stderr";
  const bool to_stdout = given.empty() || given == "/dev/stdout" || given == "stdout";
  if (to_stderr || to_stdout) {
    std::string name = (std::filesystem::temp_directory_path() / "slipway-nccl.XXXXXX").string();
    const Fd file(::mkstemp(name.data()));
    if (!file) return;  // the run matters more than knowing its transport
    file_ = name;
    private_ = true;
    shown_on_ = to_stderr ? STDERR_FILENO : STDOUT_FILENO;
    ::setenv("NCCL_DEBUG_FILE", name.c_str(), 1);
  } else {
    file_ = expand_log_path(given);
  }
  const bool sees_all = shows_everything(level_);
  if (!sees_all) ::setenv("NCCL_DEBUG", "INFO", 1);
  ::setenv("NCCL_DEBUG_SUBSYS", with_ours(variable_of("NCCL_DEBUG_SUBSYS"), sees_all).c_str(), 1);
  if (!private_ || level_.empty()) return;
  follower_ = std::jthread([this](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      std::this_thread::sleep_for(between_looks);
      show();
    }
  });
}

NcclLog::~NcclLog() {
  if (follower_.joinable()) {
    follower_.request_stop();
    follower_.join();
  }
  show();
  if (private_) ::unlink(file_.c_str());
}

std::string NcclLog::read() const {
  std::error_code missing;
  return file_.empty() || !std::filesystem::exists(file_, missing) ? "" : read_file(file_);
}

void NcclLog::show() {
  if (level_.empty() || !private_) return;
  const std::lock_guard lock(mutex_);
  const std::string log = read();
  const size_t end = log.rfind('\n');  // a line may not be complete
  if (end == std::string::npos || end + 1 <= shown_bytes_) return;
  const std::string text =
      shown_at(level_, std::string_view(log).substr(shown_bytes_, end + 1 - shown_bytes_));
  shown_bytes_ = end + 1;
  (void)!::write(shown_on_, text.data(), text.size());
}

std::string NcclLog::transports() const {
  return transports_in_log(read());
}

std::vector<std::string> NcclLog::warnings() const {
  return warnings_in_log(read());
}

}  // namespace slipway::bandwidth
