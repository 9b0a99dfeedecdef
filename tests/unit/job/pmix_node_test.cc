#include "launcher/job/pmix_node.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway::job;
using namespace std::chrono_literals;

namespace {

bool there_is_pmix() {
  return ::dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL) != nullptr;
}

PmixWorld attempt(int number) {
  return {"slipway.7." + std::to_string(number), {"a", "b"}, 1, 2};
}

std::vector<FromPmixServer> settle(PmixNode& node) {
  std::vector<FromPmixServer> news;
  for (const auto end = PmixNode::Clock::now() + 20s; PmixNode::Clock::now() < end;) {
    for (FromPmixServer& each : node.receive()) news.push_back(std::move(each));
    if (node.settled()) break;
    std::this_thread::sleep_for(1ms);
  }
  return news;
}

// "socket:[17] socket:[18] "
std::string sockets_of(pid_t process) {
  std::string all;
  for (const auto& each :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", process))) {
    std::error_code gone;
    all += std::filesystem::read_symlink(each.path(), gone).native() + " ";
  }
  return all;
}

}  // namespace

TEST_CASE("pmix node: tasks get the variables of their ranks, from a new server for each attempt") {
  if (!there_is_pmix()) return;
  PmixNode node(true, "b");
  std::filesystem::path folders[2];
  std::string servers[2];
  for (int number : {0, 1}) {
    node.begin(attempt(number));
    CHECK(settle(node).empty());
    CHECK(node.variables(0).at("PMIX_RANK") == "2");
    CHECK(node.variables(1).at("PMIX_RANK") == "3");
    CHECK(node.variables(0).at("PMIX_NAMESPACE") == "slipway.7." + std::to_string(number));
    CHECK(node.variables(2).empty());
    folders[number] = node.variables(0).at("PMIX_SERVER_TMPDIR");
    servers[number] = node.variables(0).at("PMIX_SERVER_URI4");
    CHECK(std::filesystem::status(folders[number]).permissions() ==
          std::filesystem::perms::owner_all);
    node.end();
    CHECK(node.variables(0).empty());
  }
  CHECK(folders[0] != folders[1]);
  CHECK(servers[0] != servers[1]);
  const auto gone = [&] { return !exists(folders[0]) && !exists(folders[1]); };
  for (int i = 0; i < 2000 && !gone(); ++i) std::this_thread::sleep_for(5ms);
  CHECK(gone());
}

// libpmix trusts what a client claims about its user (security mode `native`), so no other user may
// reach it: it listens on the node's own address, and a job has its nodes to itself.
TEST_CASE("pmix node: only the node itself can reach a server, and only the user its files") {
  if (!there_is_pmix()) return;
  PmixNode node(true, "b");
  node.begin(attempt(0));
  CHECK(settle(node).empty());
  int listening = 0;
  for (const pid_t server : node.processes()) {
    const std::string sockets = sockets_of(server);
    for (const char* table : {"tcp", "tcp6"}) {
      std::ifstream lines(fmt::format("/proc/{}/net/{}", server, table));
      for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string number, place, other, state, inode;
        words >> number >> place >> other >> state;
        for (int i = 0; i < 6; ++i) words >> inode;
        if (state != "0A" || sockets.find("[" + inode + "]") == sockets.npos) continue;
        ++listening;
        CHECK(place.starts_with("0100007F:"));  // 127.0.0.1
      }
    }
  }
  CHECK(listening > 0);
  const std::filesystem::path folder = node.variables(0).at("PMIX_SERVER_TMPDIR");
  CHECK(std::filesystem::status(folder).permissions() == std::filesystem::perms::owner_all);
}

TEST_CASE("pmix node: a lost server is reported, and the tasks start without it") {
  if (!there_is_pmix()) return;
  PmixNode node(true, "b");
  node.begin(attempt(0));
  for (const pid_t each : node.processes()) ::kill(each, SIGKILL);
  std::vector<FromPmixServer> news;
  for (const auto end = PmixNode::Clock::now() + 20s;
       news.empty() && PmixNode::Clock::now() < end;) {
    news = node.receive();
  }
  REQUIRE(news.size() == 1);
  CHECK(std::get<PmixNone>(news[0]).text == "its server exited");
  CHECK(node.settled());
  CHECK(settle(node).empty());
}

TEST_CASE("pmix node: without a request for PMIx, nothing is started") {
  PmixNode node(false, "b");
  node.begin(attempt(0));
  CHECK(node.settled());
  CHECK(node.receive().empty());
  CHECK(node.variables(0).empty());
  CHECK(node.processes().empty());
  node.end();
  CHECK(node.processes().empty());
}
