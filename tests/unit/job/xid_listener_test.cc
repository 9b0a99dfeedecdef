// Tests of the listener for NVML events, with a fake driver.
#include "launcher/job/xid_listener.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::job;
using namespace std::chrono_literals;
using Ready = std::function<void()>;

namespace {

[[noreturn]] void hang() {
  for (;;) ::pause();
}

// Collects Xids until `done` returns true.
template <class Done>
std::optional<std::vector<health::Xid>> wait_for(XidListener& listener, Done done) {
  std::optional<std::vector<health::Xid>> news;
  for (int i = 0; i < 4000; ++i) {
    news = listener.news();
    if (done(news)) return news;
    std::this_thread::sleep_for(5ms);
  }
  FAIL("timed out");
  return news;
}

}  // namespace

TEST_CASE("Xid listener: returns each of the driver's Xids once") {
  XidListener listener([](const Ready& ready, const XidListener::Report& report) {
    ready();
    report({"0000:07:00.0", 79});
    report({"0000:3b:00.0", 48});
    hang();
  });
  std::vector<health::Xid> all;
  wait_for(listener, [&](const auto& news) {
    if (news) all.insert(all.end(), news->begin(), news->end());
    return all.size() >= 2;
  });
  CHECK(all.at(0).bus == "0000:07:00.0");
  CHECK(all.at(0).number == 79);
  CHECK(all.at(1).number == 48);
  const auto later = listener.news();
  REQUIRE(later);
  CHECK(later->empty());
}

TEST_CASE("Xid listener: without a driver, nothing listens") {
  XidListener listener([](const Ready&, const XidListener::Report&) {});
  std::this_thread::sleep_for(50ms);
  CHECK_FALSE(listener.news());
}

TEST_CASE("Xid listener: if the driver ends it, the last Xid is returned, then nothing listens") {
  XidListener listener([](const Ready& ready, const XidListener::Report& report) {
    ready();
    report({"0000:07:00.0", 79});
  });
  const auto last = wait_for(listener, [](const auto& news) { return news && !news->empty(); });
  CHECK(last->at(0).number == 79);
  wait_for(listener, [](const auto& news) { return !news; });
}

TEST_CASE("Xid listener: a listener that hangs in the driver is killed, without waiting") {
  pid_t process = 0;
  {
    XidListener listener([](const Ready&, const XidListener::Report&) { hang(); });
    process = listener.process();
    REQUIRE(::kill(process, 0) == 0);
    CHECK_FALSE(listener.news());
  }
  // On a busy machine, it may end only after the listener has stopped waiting for it. Then it is
  // ours to reap.
  int status = 0;
  const pid_t reaped = ::waitpid(process, &status, 0);
  CHECK((reaped == process ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL : errno == ECHILD));
}
