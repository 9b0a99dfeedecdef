// Tests how requests to Google services are logged.
#include "launcher/node/request_text.h"

#include <nlohmann/json.hpp>

#include "launcher/node/boot.h"
#include "tests/unit/catch.h"

using namespace slipway::node;

namespace {

constexpr const char* machines = "https://compute.googleapis.com/compute/v1/projects/p/instances";

// What a machine's programs log after they have read a cluster.json with or without the flag.
std::vector<std::string> said_with(const nlohmann::json& flag) {
  nlohmann::json file{{"schema", "slipway/cluster/1"},
                      {"cluster", "c"},
                      {"controller", {{"name", "c-controller"}, {"project", "p"}, {"zone", "z"}}},
                      {"munge_key", "projects/p/secrets/s"},
                      {"files", nlohmann::json::object()},
                      {"mounts", {{"all", {}}, {"login", {}}}},
                      {"nodesets", nlohmann::json::object()}};
  if (!flag.is_null()) file["log_requests"] = flag;
  Cloud cloud([&](const HttpRequest& request) -> HttpAnswer {
    if (request.url.find("/token") != std::string::npos) {
      return {200, R"({"access_token": "ya29.secret", "expires_in": 3599})", ""};
    }
    const bool is_file = request.url.find("cluster.json") != std::string::npos;
    return {200, is_file ? file.dump() : "{}", ""};
  });
  std::vector<std::string> said;
  const Patience patience{std::chrono::steady_clock::now() + std::chrono::seconds(60),
                          [&](const std::string& what) { said.push_back(what); }};
  MachineMetadata self;
  self.bucket = "b";
  self.folder = "f";
  fetch_cluster_file(cloud, self, patience);
  cloud.call("GET", machines);
  std::vector<CloudCall> calls = {{"DELETE", std::string(machines) + "/a"}};
  cloud.call_many(calls);
  return said;
}

}  // namespace

TEST_CASE("request text: an accepted request has its status and size, and no headers or bodies") {
  const HttpRequest request{
      machines, {"Authorization: Bearer ya29.secret"}, "POST", R"({"name": "n"})"};
  CHECK(request_text(request, {200, "{\"x\": 1}", ""}) ==
        std::string("POST ") + machines + ": 200, 8 bytes");
}

TEST_CASE("request text: a refusal of Compute Engine is shown in one line, others are not") {
  const std::string body = "{\n  \"error\": \"no\x1b[2J \t quota\"\n}";
  CHECK(request_text({machines}, {403, body, ""}) ==
        std::string("GET ") + machines + ": 403, 31 bytes: { \"error\": \"no [2J quota\" }");
  const char* const secret = "https://secretmanager.googleapis.com/v1/projects/p/secrets/s";
  CHECK(request_text({secret}, {403, body, ""}) ==
        std::string("GET ") + secret + ": 403, 31 bytes");
  const std::string shown = request_text({machines}, {503, std::string(5000, 'x'), ""});
  CHECK(shown.ends_with("x …"));
  CHECK(shown.size() < 800);
}

TEST_CASE("request text: without an answer, curl's reason") {
  CHECK(request_text({machines}, {0, "", "Connection timed out\n"}) ==
        std::string("GET ") + machines + ": no answer: Connection timed out ");
}

TEST_CASE("request text: programs log their requests if cluster.json says so") {
  const std::vector<std::string> said = said_with(true);
  CHECK(said == std::vector<std::string>{std::string("GET ") + machines + ": 200, 2 bytes",
                                         std::string("DELETE ") + machines + "/a: 200, 2 bytes"});
  CHECK(said_with(false).empty());
  CHECK(said_with(nullptr).empty());
}
