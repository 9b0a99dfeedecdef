// Tests what is recorded of a machine's requests.
#include "launcher/node/traffic.h"

#include <nlohmann/json.hpp>

#include "tests/unit/catch.h"

using namespace slipway::node;

TEST_CASE("traffic: a request to Compute Engine is recorded without its headers") {
  const HttpRequest request{"https://compute.googleapis.com/compute/v1/projects/p",
                            {"Authorization: Bearer ya29.secret"},
                            "POST",
                            R"({"count": "2"})"};
  const std::string line = traffic_line(request, {200, R"({"status": "RUNNING"})", ""});
  CHECK(line.find("ya29") == std::string::npos);
  CHECK(nlohmann::json::parse(line) == nlohmann::json{{"method", "POST"},
                                                      {"url", request.url},
                                                      {"request", {{"count", "2"}}},
                                                      {"status", 200},
                                                      {"response", {{"status", "RUNNING"}}}});
}

TEST_CASE("traffic: other services are not recorded, and what is not JSON is null") {
  const char* const others[] = {"http://169.254.169.254/computeMetadata/v1/",
                                "https://secretmanager.googleapis.com/v1/projects/p",
                                "https://storage.googleapis.com/storage/v1/b/b/o/o",
                                "https://compute.googleapis.com.example.com/"};
  for (const char* url : others) CHECK(traffic_line({url}, {200, "{}", ""}).empty());
  const HttpRequest request{"https://compute.googleapis.com/compute/v1/projects/p"};
  CHECK(traffic_line(request, {0, "", "no answer"}).empty());
  const auto row = nlohmann::json::parse(traffic_line(request, {502, "<html>\xFF", ""}));
  CHECK(row["request"].is_null());
  CHECK(row["response"].is_null());
}
