#include "launcher/node/cloud.h"

#include <deque>
#include <nlohmann/json.hpp>

#include "launcher/node/boot.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;

namespace {

const HttpAnswer token{200, R"({"access_token": "t", "expires_in": 3599})", ""};

// Answers in the order they are given, and the requests that were made.
struct Script {
  std::deque<HttpAnswer> answers;
  std::vector<std::string> asked;
  Cloud cloud{[this](const HttpRequest& request) {
    asked.push_back(request.method + " " + request.url);
    REQUIRE_FALSE(answers.empty());
    HttpAnswer answer = answers.front();
    answers.pop_front();
    return answer;
  }};
};

HttpAnswer refusal(int status, const std::string& message, const std::string& word = "") {
  return {
      status,
      nlohmann::json{{"error", {{"code", status}, {"message", message}, {"status", word}}}}.dump(),
      ""};
}

HttpAnswer version(const std::string& base64) {
  return {200, R"({"payload": {"data": ")" + base64 + R"("}})", ""};
}

const Patience no_patience{std::chrono::steady_clock::now(), {}};

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("http: every text in curl's configuration is quoted") {
  const HttpRequest request{"https://x.org/a", {"X: \"y\\z\""}, "POST", "{\"a\":\n1}", 2s};
  CHECK(curl_config(request) ==
        "url = \"https://x.org/a\"\nrequest = \"POST\"\nproto = \"=http,https\"\nnoproxy = \"*\"\n"
        "globoff\nsilent\nshow-error\nconnect-timeout = 2.000\nmax-time = 2.000\n"
        "write-out = \"\\n%{http_code}\"\n"
        "header = \"X: \\\"y\\\\z\\\"\"\ndata-raw = \"{\\\"a\\\":\\n1}\"\n");
  CHECK(error_of([] { curl_config({std::string("a\0b", 3)}); }) == "a request contains a NUL byte");
}

TEST_CASE("http: a path component is fully encoded") {
  CHECK(url_encode("a/b c~.json") == "a%2Fb%20c~.json");
}

// Newer releases of curl write an address and its port otherwise.
std::string unreachable(int port) {
  return fmt::format("Failed to connect to 127\\.0\\.0\\.1( port |:){} .*", port);
}

TEST_CASE("http: an unreachable server gives no answer but a reason") {
  const HttpAnswer answer = send({"http://127.0.0.1:1/"});
  CHECK(answer.status == 0);
  CHECK_THAT(answer.error, Catch::Matchers::Matches(unreachable(1)));
}

TEST_CASE("http: many requests have as many answers, each with its own reason") {
  const auto answers =
      send_many({{"http://127.0.0.1:1/a"}, {"http://127.0.0.1:2/b"}, {"ftp://x/"}}, 2);
  REQUIRE(answers.size() == 3);
  CHECK(answers[0].status == 0);
  CHECK_THAT(answers[0].error, Catch::Matchers::Matches(unreachable(1)));
  CHECK_THAT(answers[1].error, Catch::Matchers::Matches(unreachable(2)));
  CHECK(answers[2].error.find("Protocol \"ftp\"") == 0);
  CHECK(send_many({}, 2).empty());
}

TEST_CASE("cloud: requests a token once, and an object by its encoded name") {
  Script script;
  script.answers = {token, {200, "one", ""}, {200, "two", ""}};
  CHECK(script.cloud.object("b", "f/one") == "one");
  CHECK(script.cloud.object("b", "f/two") == "two");
  CHECK(script.asked ==
        std::vector<std::string>{
            "GET http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token",
            "GET https://storage.googleapis.com/storage/v1/b/b/o/f%2Fone?alt=media",
            "GET https://storage.googleapis.com/storage/v1/b/b/o/f%2Ftwo?alt=media"});
}

TEST_CASE("cloud: requests a new token when the old one is no longer accepted") {
  Script script;
  script.answers = {token, refusal(401, "expired"), token, {200, "text", ""}};
  const Patience patience{std::chrono::steady_clock::now() + 10s, {}};
  CHECK(persist(patience, "it", [&] { return script.cloud.object("b", "f"); }) == "text");
}

TEST_CASE("cloud: waits for missing permissions and objects, and reports each once") {
  Script script;
  script.answers = {token, refusal(403, "no right"), refusal(403, "no right"), {200, "text", ""}};
  std::vector<std::string> said;
  const Patience patience{std::chrono::steady_clock::now() + 10s,
                          [&](const std::string& what) { said.push_back(what); }};
  CHECK(persist(patience, "the file", [&] { return script.cloud.object("b", "f"); }) == "text");
  CHECK(said == std::vector<std::string>{"waiting for the file: no right"});
}

TEST_CASE("cloud: when time is up, reports what was still missing") {
  Script script;
  script.answers = {token, refusal(404, "No such object: b/f")};
  CHECK(error_of([&] {
          persist(no_patience, "gs://b/f", [&] { return script.cloud.object("b", "f"); });
        }) == "cannot get gs://b/f: No such object: b/f");
}

TEST_CASE("cloud: an answer that a retry would not change is an error at once") {
  Script script;
  script.answers = {token, refusal(400, "bad name")};
  const Patience patience{std::chrono::steady_clock::now() + 10s, {}};
  CHECK(error_of([&] {
          persist(patience, "gs://b/f", [&] { return script.cloud.object("b", "f"); });
        }) == "bad name");
}

TEST_CASE("cloud: reports a machine without a service account") {
  Script script;
  script.answers = {{404, "", ""}};
  CHECK(error_of([&] { script.cloud.object("b", "f"); }) ==
        "this machine has no service account, so it cannot read anything");
}

TEST_CASE("cluster key: version 1 is the key, and is never replaced") {
  Script script;
  script.answers = {token, version("a2V5")};
  CHECK(cluster_key(script.cloud, "projects/p/secrets/s", true) == "key");
  CHECK(script.asked.back() ==
        "GET https://secretmanager.googleapis.com/v1/projects/p/secrets/s/versions/1:access");
}

TEST_CASE("cluster key: of two controllers at once, both use the version that came first") {
  // Ours became version 2, so we read back the other's.
  Script script;
  script.answers = {
      token, refusal(404, "none"), {200, R"({"name": "…/versions/2"})", ""}, version("b3RoZXI=")};
  CHECK(cluster_key(script.cloud, "projects/p/secrets/s", true) == "other");
}

TEST_CASE("cluster key: a node waits for the controller and creates none") {
  Script script;
  script.answers = {token, refusal(404, "none")};
  CHECK(error_of([&] { cluster_key(script.cloud, "projects/p/secrets/s", false); }) ==
        "the controller has not created it yet");
  CHECK(script.asked.size() == 2);
}

TEST_CASE("cluster key: an invalid value is rejected") {
  Script script;
  script.answers = {token, version("=")};
  CHECK(error_of([&] { cluster_key(script.cloud, "projects/p/secrets/s", false); }) ==
        "version 1 of projects/p/secrets/s has no value");
}
