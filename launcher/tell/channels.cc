// Sends messages by a program, a webhook, or mail.
#include "launcher/tell/channels.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/http.h"

namespace slipway::tell {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds channel_limit = 30s;
constexpr size_t longest_url = 4096;

// In a folder with the sticky bit, such as /tmp, others cannot replace what is ours.
void require_ours(const fs::path& path, const struct stat& found) {
  if (found.st_uid != 0 && found.st_uid != ::geteuid()) {
    throw Error(fmt::format("{} belongs to another user", path.native()));
  }
  const bool is_sticky = S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX) != 0;
  if (!is_sticky && (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw Error(fmt::format("{} can be changed by other users", path.native()));
  }
}

struct stat require_ours_down_to(const std::string& path) {
  struct stat found = {};
  fs::path part;
  for (const fs::path& name : fs::path(path)) {
    part /= name;
    if (::lstat(part.c_str(), &found) != 0)
      throw_errno(fmt::format("cannot find {}", part.native()));
    if (S_ISLNK(found.st_mode)) {
      throw Error(fmt::format("{} is a symbolic link: give the path without links", part.native()));
    }
    require_ours(part, found);
  }
  if (!S_ISREG(found.st_mode)) throw Error(fmt::format("{} is not a file", path));
  return found;
}

void run_told(const std::vector<std::string>& argv, const std::string& input) {
  require_trusted_program(argv[0]);
  ProcessOptions options;
  options.input = input;
  options.deadline = channel_limit;
  const ProcessResult result = run_process(argv, options);
  if (result.ok()) return;
  const std::string said = one_line(std::string(trim(result.errors)), 200);
  throw Error(fmt::format("{} {}{}{}", argv[0],
                          result.timed_out ? "did not end in time"
                                           : fmt::format("ended with status {}", result.exit_code),
                          said.empty() ? "" : ": ", said));
}

std::string url_of(const std::string& webhook) {
  if (webhook.front() != '/') return webhook;
  const struct stat found = require_ours_down_to(webhook);
  if ((found.st_mode & (S_IRGRP | S_IROTH)) != 0) {
    throw Error(fmt::format("{} can be read by other users: chmod 600", webhook));
  }
  const std::string url(trim(read_regular_file(webhook, longest_url)));
  if (url.starts_with("https://") || url.starts_with("http://")) return url;
  throw Error(fmt::format("{} does not contain a URL", webhook));
}

void post(const Message& message, const std::string& webhook) {
  node::HttpRequest request;
  request.url = url_of(webhook);
  request.method = "POST";
  request.headers = {"Content-Type: application/json; charset=utf-8"};
  request.body = webhook_body(message);
  request.deadline = channel_limit / 2;
  const node::HttpAnswer answer = node::send(request);
  if (answer.status == 0) {
    // curl names hosts, never paths.
    throw Error(fmt::format("{} does not answer: {}", shown_url(request.url),
                            answer.error.find(request.url) == std::string::npos
                                ? one_line(answer.error, 200)
                                : "curl refuses the URL"));
  }
  if (answer.status < 200 || answer.status > 299) {
    throw Error(
        fmt::format("{} answered with HTTP status {}", shown_url(request.url), answer.status));
  }
}

void mail(const Message& message, const health::Telling& telling) {
  std::vector<std::string> argv = {telling.sendmail, "-i"};
  argv.insert(argv.end(), telling.mail.begin(), telling.mail.end());
  run_told(argv, mail_of(message, join(telling.mail, ", ")));
}

void deliver_by(const std::string& channel, const Message& message,
                const health::Telling& telling) {
  if (channel == "program") return run_told({telling.program}, json_of(message));
  if (channel == "webhook") return post(message, telling.webhook);
  mail(message, telling);
}

}  // namespace

void require_trusted_program(const std::string& path) {
  const struct stat found = require_ours_down_to(path);
  if ((found.st_mode & S_IXUSR) == 0) throw Error(fmt::format("{} is not executable", path));
}

std::string shown_url(const std::string& url) {
  const size_t host = url.find("://");
  if (host == url.npos) return "the webhook";
  const std::string rest = url.substr(host + 3, url.find_first_of("/?#", host + 3) - host - 3);
  const size_t password = rest.rfind('@');
  return url.substr(0, host + 3) + (password == rest.npos ? rest : rest.substr(password + 1));
}

std::vector<std::string> channels_of(const health::Telling& telling) {
  std::vector<std::string> channels;
  if (!telling.program.empty()) channels.emplace_back("program");
  if (!telling.webhook.empty()) channels.emplace_back("webhook");
  if (!telling.mail.empty()) channels.emplace_back("mail");
  return channels;
}

std::vector<Undelivered> deliver(const Message& message, const health::Telling& telling,
                                 const std::vector<std::string>& channels) {
  std::vector<Undelivered> failed;
  for (const std::string& channel : channels) {
    try {
      deliver_by(channel, message, telling);
    } catch (const Error& error) {
      failed.push_back({channel, error.what()});
    }
  }
  return failed;
}

}  // namespace slipway::tell
