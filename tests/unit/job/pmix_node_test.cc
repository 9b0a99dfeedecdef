#include "launcher/job/pmix_node.h"

#include <dlfcn.h>
#include <signal.h>

#include <thread>

#include "common/error.h"
#include "launcher/job/pmix_exchange.h"
#include "tests/unit/catch.h"

using namespace slipway::job;
using namespace std::chrono_literals;

namespace {

bool there_is_pmix() {
  return ::dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL) != nullptr;
}

Message attempt(int number) {
  return {{"name", "slipway.7." + std::to_string(number)},
          {"nodes", {"a", "b"}},
          {"node", 1},
          {"tasks_per_node", 2}};
}

std::vector<Message> settle(PmixNode& node) {
  std::vector<Message> news;
  for (const auto end = PmixNode::Clock::now() + 20s; PmixNode::Clock::now() < end;) {
    for (Message& each : node.hear()) news.push_back(std::move(each));
    if (node.settled()) break;
    std::this_thread::sleep_for(1ms);
  }
  return news;
}

}  // namespace

TEST_CASE("pmix node: tasks get the variables of their ranks, of another server for each attempt") {
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

TEST_CASE("pmix node: a server that is lost is told, and the tasks start without it") {
  if (!there_is_pmix()) return;
  PmixNode node(true, "b");
  node.begin(attempt(0));
  for (const pid_t each : node.processes()) ::kill(each, SIGKILL);
  std::vector<Message> news;
  for (const auto end = PmixNode::Clock::now() + 20s;
       news.empty() && PmixNode::Clock::now() < end;) {
    news = node.hear();
  }
  REQUIRE(news.size() == 1);
  CHECK(news[0].at("what") == "none");
  CHECK(news[0].at("text") == "its server has ended");
  CHECK(node.settled());
  CHECK(settle(node).empty());
}

TEST_CASE("pmix node: nothing is begun that is not wanted") {
  PmixNode node(false, "b");
  node.begin(attempt(0));
  CHECK(node.settled());
  CHECK(node.hear().empty());
  CHECK(node.variables(0).empty());
  CHECK(node.processes().empty());
  node.end();
  CHECK(node.processes().empty());
}
