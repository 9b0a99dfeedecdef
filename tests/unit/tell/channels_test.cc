// Tests of the ways to tell people: real programs, a real HTTP server, a replacement of sendmail.
#include "launcher/tell/channels.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "common/tcp.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::tell;

namespace {

const Message drained{"drain", "train", "node-3", "",
                      "Xid79 GPU3 0000:07:00.0: GPU has fallen off the bus [node_problem] (slipway "
                      "health) Action:Reboot"};

// A script that keeps its arguments and stdin in files beside it.
std::string recorder(const TemporaryDirectory& folder, const std::string& name, int status = 0) {
  const auto path = std::filesystem::canonical(folder.path()) / name;
  write_file(path,
             fmt::format("#!/bin/sh\nprintf '%s\\n' \"$@\" >{0}.args\ncat >{0}.in\n[ {1} = 0 ] || "
                         "echo no such user >&2\nexit {1}\n",
                         path.native(), status),
             0755);
  return path;
}

// Answers every request with a status, and keeps the last request.
class WebhookServer {
 public:
  explicit WebhookServer(int status)
      : listener_(listen_on_tcp(0, "127.0.0.1")), thread_([this, status] { serve(status); }) {}
  ~WebhookServer() {
    over_ = true;
    thread_.join();
  }
  std::string url(const std::string& path) const {
    return fmt::format("http://127.0.0.1:{}{}", port_of(listener_.get()), path);
  }
  const std::string& request() const { return request_; }  // once the client has its answer

 private:
  void serve(int status) {
    while (!over_) {
      if (!wait_for(listener_.get(), POLLIN, soon())) continue;
      const Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!client) continue;
      request_.clear();
      char bytes[4096];
      while (!request_.ends_with('}') && wait_for(client.get(), POLLIN, soon())) {
        const ssize_t got = ::read(client.get(), bytes, sizeof bytes);
        if (got <= 0) break;
        request_.append(bytes, static_cast<size_t>(got));
      }
      const std::string answer = fmt::format(
          "HTTP/1.1 {} Whatever\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
      if (::write(client.get(), answer.data(), answer.size()) < 0) continue;
    }
  }
  static Deadline soon() {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  }

  Fd listener_;
  std::string request_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

// What went wrong; empty if it arrived.
std::string complaint_of(const health::Telling& telling, const Message& message = drained) {
  std::string text;
  for (const Undelivered& each : deliver(message, telling, channels_of(telling)))
    text += each.channel + ": " + each.why + "\n";
  return text;
}

std::string why_untrusted(const std::string& path) {
  try {
    require_trusted_program(path);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("tell: a program gets the event as JSON on stdin, and no argument") {
  const TemporaryDirectory folder;
  health::Telling telling;
  telling.program = recorder(folder, "hook");
  CHECK(complaint_of(telling) == "");
  CHECK(read_file(telling.program + ".args") == "\n");
  CHECK(read_file(telling.program + ".in") ==
        R"({"schema":"slipway/told/1","event":"drain","cluster":"train","node":"node-3","text":)"
        R"("Xid79 GPU3 0000:07:00.0: GPU has fallen off the bus [node_problem] (slipway health) )"
        "Action:Reboot\"}\n");
}

TEST_CASE("tell: a program that fails is reported with its message") {
  const TemporaryDirectory folder;
  health::Telling telling;
  telling.program = recorder(folder, "hook", 67);
  CHECK(complaint_of(telling) ==
        fmt::format("program: {} ended with status 67: no such user\n", telling.program));
}

TEST_CASE("tell: a webhook gets the line as `text`") {
  const WebhookServer server(200);
  health::Telling telling;
  telling.webhook = server.url("/services/T0/secret");
  CHECK(complaint_of(telling) == "");
  CHECK_THAT(server.request(),
             Catch::Matchers::StartsWith("POST /services/T0/secret HTTP/1.1\r\n"));
  CHECK_THAT(server.request(),
             Catch::Matchers::EndsWith(
                 "\r\n\r\n{\"text\":\"slipway: train: node-3 drained: Xid79 GPU3 0000:07:00.0: GPU "
                 "has fallen off the bus [node_problem] (slipway health) Action:Reboot\"}"));
}

TEST_CASE("tell: a webhook's path is in no message, whatever fails") {
  const TemporaryDirectory folder;
  health::Telling telling;
  {
    const WebhookServer server(404);
    telling.webhook = server.url("/services/T0/secret");
    CHECK(complaint_of(telling) ==
          fmt::format("webhook: {} answered with HTTP status 404\n", shown_url(telling.webhook)));
  }
  const std::string refused = complaint_of(telling);  // the server is gone
  CHECK_THAT(refused, ContainsSubstring("does not answer"));
  CHECK_THAT(refused, !ContainsSubstring("secret"));
  CHECK(shown_url("https://me:password@hooks.example.com/a?b=c") == "https://hooks.example.com");
}

TEST_CASE("tell: a webhook's URL may be in a file that others cannot read") {
  const TemporaryDirectory folder;
  const WebhookServer server(200);
  const auto file = std::filesystem::canonical(folder.path()) / "url";
  write_file(file, server.url("/from-a-file") + "\n", 0600);
  health::Telling telling;
  telling.webhook = file;
  CHECK(complaint_of(telling) == "");
  CHECK_THAT(server.request(), ContainsSubstring("POST /from-a-file "));
  ::chmod(file.c_str(), 0644);
  CHECK(complaint_of(telling) ==
        fmt::format("webhook: {} can be read by other users: chmod 600\n", file.native()));
}

TEST_CASE("tell: mail goes to the addresses, and no text becomes a header") {
  const TemporaryDirectory folder;
  health::Telling telling;
  telling.sendmail = recorder(folder, "sendmail");
  telling.mail = {"ops@example.com", "root"};
  Message message = drained;
  message.text = "half a fan\r\nBcc: everyone@example.com\n\nBuy now: 85 °C";
  CHECK(complaint_of(telling, message) == "");
  CHECK(read_file(telling.sendmail + ".args") == "-i\nops@example.com\nroot\n");
  CHECK(
      read_file(telling.sendmail + ".in") ==
      "To: ops@example.com, root\n"
      "Subject: slipway: train: node-3 drained: half a fan  Bcc: everyone@example.com  Buy now: 85 "
      "??C\n"
      "Auto-Submitted: auto-generated\nMIME-Version: 1.0\n"
      "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
      "slipway: train: node-3 drained: half a fan  Bcc: everyone@example.com  Buy now: 85 °C\n");
}

TEST_CASE("tell: one channel that fails does not keep a message from the others") {
  const TemporaryDirectory folder;
  health::Telling telling;
  telling.program = "/nonexistent/hook";
  telling.sendmail = recorder(folder, "sendmail");
  telling.mail = {"root"};
  CHECK(complaint_of(telling) == "program: cannot find /nonexistent: No such file or directory\n");
  CHECK(std::filesystem::exists(telling.sendmail + ".in"));
}

TEST_CASE("tell: a program that others could have changed is not run") {
  const TemporaryDirectory folder;
  const std::string hook = recorder(folder, "hook");
  const auto home = std::filesystem::path(hook).parent_path();
  CHECK(why_untrusted(hook) == "");
  ::chmod(hook.c_str(), 0775);
  CHECK(why_untrusted(hook) == hook + " can be changed by other users");
  ::chmod(hook.c_str(), 0644);
  CHECK(why_untrusted(hook) == hook + " is not executable");
  ::chmod(hook.c_str(), 0755);
  ::chmod(home.c_str(), 0777);
  CHECK(why_untrusted(hook) == home.native() + " can be changed by other users");
  ::chmod(home.c_str(), 0755);
  std::filesystem::create_symlink(hook, home / "link");
  CHECK(why_untrusted(home / "link") ==
        (home / "link").native() + " is a symbolic link: give the path without links");
  CHECK(why_untrusted(home) == home.native() + " is not a file");
  if (::geteuid() != 0) return;
  REQUIRE(::chown(hook.c_str(), 65534, 65534) == 0);
  CHECK(why_untrusted(hook) == hook + " belongs to another user");
}
