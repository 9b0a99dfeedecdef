// Requests to Google Cloud from inside a machine.
#include "launcher/node/cloud.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "common/base64.h"
#include "common/json.h"
#include "launcher/node/request_text.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// The same for every machine in the cloud, and reachable only from inside it.
constexpr const char* metadata = "http://169.254.169.254/computeMetadata/v1/instance";
constexpr const char* storage = "https://storage.googleapis.com/storage/v1/b";
constexpr const char* secrets = "https://secretmanager.googleapis.com/v1";

constexpr size_t most_connections = 16;

// An error as a service reports it: {"error": {"code": 403, "message": "…", "status":
// "PERMISSION_DENIED", "errors": [{"reason": "quotaExceeded"}]}}
struct ServiceError {
  std::string message, reason;
};

ServiceError error_in(const HttpAnswer& answer) {
  const std::string otherwise = fmt::format("HTTP status {}", answer.status);
  try {
    const json body = parse_json(answer.body);
    const json& error = body.at("error");
    ServiceError said{error.value("message", otherwise), error.value("status", "")};
    const auto errors = error.find("errors");
    if (errors != error.end() && !errors->empty()) {
      said.reason = errors->at(0).value("reason", said.reason);
    }
    return said;
  } catch (const Error&) {
  } catch (const json::exception&) {
  }
  return {otherwise, ""};
}

// New permissions take minutes to reach every server, so a refusal may pass.
bool may_pass(int status) {
  return status == 401 || status == 403 || status == 404 || status == 408 || status == 429 ||
         status >= 500;
}

bool is_too_many(const HttpAnswer& answer, const ServiceError& said) {
  return answer.status == 429 || (answer.status == 403 && (said.reason == "rateLimitExceeded" ||
                                                           said.reason == "userRateLimitExceeded" ||
                                                           said.reason == "RATE_LIMIT_EXCEEDED"));
}

// Throws unless the service accepted a request.
void require_accepted(const HttpAnswer& answer) {
  if (answer.status >= 200 && answer.status < 300) return;
  if (answer.status == 0) throw NotYet(answer.error);
  const ServiceError said = error_in(answer);
  if (is_too_many(answer, said)) throw TooMany(said.message);
  // Retrying does not help with permissions and quotas, so report these instead.
  if (answer.status == 401 || answer.status == 408 || answer.status >= 500) {
    throw NotYet(said.message);
  }
  throw Refused(said.message, answer.status, said.reason);
}

// At least half of `time`, at most one and a half.
std::chrono::milliseconds about(std::chrono::milliseconds time) {
  static std::mt19937 random{std::random_device{}()};
  return time / 2 + std::chrono::milliseconds(std::uniform_int_distribution<long>(
                        0, static_cast<long>(time.count()))(random));
}

std::string body_of(const HttpAnswer& answer) {
  if (answer.status == 200) return answer.body;
  if (answer.status == 0) throw NotYet(answer.error);
  const ServiceError said = error_in(answer);
  if (may_pass(answer.status)) throw NotYet(said.message);
  throw Refused(said.message, answer.status, said.reason);
}

// Every service used here answers with an object. Anything else comes from something in between,
// such as a proxy, and may pass.
json parsed(const std::string& text) {
  try {
    json body = parse_json(text);
    if (body.is_object()) return body;
  } catch (const Error&) {
  }
  throw NotYet("the answer is not a JSON object");
}

HttpRequest request_of(const std::string& method, const std::string& url, const json& body) {
  HttpRequest request{url, {}, method};
  if (!body.is_null()) {
    request.headers.emplace_back("Content-Type: application/json");
    request.body = body.dump();
  } else if (method == "POST") {
    // curl says nothing about a body that it does not have, and Google's servers insist (411).
    request.headers.emplace_back("Content-Length: 0");
  }
  return request;
}

}  // namespace

void Patience::rest(std::chrono::milliseconds time) const {
  if (sleep) return sleep(time);
  std::this_thread::sleep_for(time);
}

std::chrono::steady_clock::time_point Patience::now() const {
  return clock ? clock() : std::chrono::steady_clock::now();
}

void Pause::after(const NotYet& why) {
  // The limit is for a minute, so trying again at once only adds to the crowd.
  const bool is_crowded = dynamic_cast<const TooMany*>(&why) != nullptr;
  if (is_crowded) next_ = std::max<std::chrono::milliseconds>(next_, 2s);
  const std::chrono::milliseconds time = about(next_);
  if (patience_.now() + time >= patience_.end) {
    throw Error(fmt::format("cannot get {}: {}", what_, why.what()));
  }
  if (why.what() != said_ && patience_.say) {
    said_ = why.what();
    patience_.say(fmt::format("waiting for {}: {}", what_, said_));
  }
  patience_.rest(time);
  next_ = std::min<std::chrono::milliseconds>(next_ * 2, is_crowded ? 20s : 5s);
}

json Cloud::instance() {
  HttpRequest request{std::string(metadata) + "/?recursive=true", {"Metadata-Flavor: Google"}};
  request.deadline = 10s;
  return parsed(body_of(send_(request)));
}

const std::string& Cloud::token() {
  const auto now = std::chrono::steady_clock::now();
  if (!token_.empty() && now < token_ends_) return token_;
  HttpRequest request{std::string(metadata) + "/service-accounts/default/token",
                      {"Metadata-Flavor: Google"}};
  request.deadline = 10s;
  const HttpAnswer answer = send_(request);
  if (answer.status == 404) {
    throw Error("this machine has no service account, so it cannot read anything");
  }
  const json body = parsed(body_of(answer));
  const auto token = body.find("access_token"), expires_in = body.find("expires_in");
  if (token == body.end() || !token->is_string()) throw NotYet("the answer has no access token");
  const bool has_end = expires_in != body.end() && expires_in->is_number();
  const double seconds = has_end ? expires_in->get<double>() - 60 : 0;
  token_ = token->get<std::string>();
  token_ends_ = now + std::chrono::seconds(static_cast<int>(std::clamp(seconds, 0.0, 86400.0)));
  return token_;
}

HttpRequest Cloud::with_token(HttpRequest request) {
  request.headers.push_back("Authorization: Bearer " + token());
  return request;
}

HttpAnswer Cloud::authorized(HttpRequest request) {
  request = with_token(std::move(request));
  HttpAnswer answer = send_(request);
  if (say_) say_(request_text(request, answer));
  if (answer.status == 401) token_.clear();
  return answer;
}

std::string Cloud::object(const std::string& bucket, const std::string& name) {
  return body_of(authorized(
      {fmt::format("{}/{}/o/{}?alt=media", storage, url_encode(bucket), url_encode(name))}));
}

std::optional<std::string> Cloud::secret(const std::string& name, int version) {
  const HttpAnswer answer =
      authorized({fmt::format("{}/{}/versions/{}:access", secrets, name, version)});
  // The service reports a missing secret and a missing version alike; adding a version shows which
  // it is.
  if (answer.status == 404) return std::nullopt;
  const json body = parsed(body_of(answer));
  const json data = body.value(json::json_pointer("/payload/data"), json());
  const auto value =
      data.is_string() ? from_base64(data.get<std::string>()) : std::optional<std::string>();
  if (!value) throw Error(fmt::format("version {} of {} has no value", version, name));
  return value;
}

void Cloud::add_secret_version(const std::string& name, const std::string& value) {
  HttpRequest request{
      fmt::format("{}/{}:addVersion", secrets, name), {"Content-Type: application/json"}, "POST"};
  request.body = json{{"payload", {{"data", to_base64(value)}}}}.dump();
  body_of(authorized(std::move(request)));
}

json Cloud::call(const std::string& method, const std::string& url) {
  return call(method, url, nullptr);
}

json Cloud::call(const std::string& method, const std::string& url, const json& body) {
  const HttpAnswer answer = authorized(request_of(method, url, body));
  require_accepted(answer);
  return parsed(answer.body);
}

void Cloud::call_many(std::vector<CloudCall>& calls) {
  std::vector<HttpRequest> requests;
  for (const CloudCall& call : calls) {
    requests.push_back(with_token(request_of(call.method, call.url, nullptr)));
  }
  std::vector<HttpAnswer> answers;
  if (send_many_) {
    answers = send_many_(requests, most_connections);
  } else {
    for (const HttpRequest& request : requests) answers.push_back(send_(request));
  }
  for (size_t i = 0; i < calls.size() && i < answers.size(); ++i) {
    if (say_) say_(request_text(requests[i], answers[i]));
    if (answers[i].status == 401) token_.clear();
    try {
      require_accepted(answers[i]);
      calls[i].error = nullptr;
    } catch (const Error&) {
      calls[i].error = std::current_exception();
    }
  }
}

}  // namespace slipway::node
