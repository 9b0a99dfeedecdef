// Google Cloud from inside a machine: its metadata server, and the services that it may call.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "launcher/node/http.h"
#include "launcher/node/http_many.h"

namespace slipway::node {

// A failure that may pass: the server does not answer, or the object or the permission to read it
// has not arrived yet.
class NotYet : public Error {
 public:
  using Error::Error;
};

// The project has sent more requests than the service takes in a minute, or has too many operations
// under way: docs.cloud.google.com/compute/api-quota, /compute/operations-quota.
class TooMany : public NotYet {
 public:
  using NotYet::NotYet;
};

// The cloud refused a request.
class Refused : public Error {
 public:
  Refused(const std::string& what, int status, std::string reason)
      : Error(what), status(status), reason(std::move(reason)) {}
  int status;          // HTTP status
  std::string reason;  // the service's own reason: "QUOTA_EXCEEDED"
};

// How long to retry, and where to report the reason for waiting.
struct Patience {
  std::chrono::steady_clock::time_point end;
  std::function<void(const std::string&)> say;
  // Tests have a clock of their own, on which sleeping takes no time.
  std::function<void(std::chrono::milliseconds)> sleep{};
  std::function<std::chrono::steady_clock::time_point()> clock{};

  void rest(std::chrono::milliseconds time) const;
  std::chrono::steady_clock::time_point now() const;
  bool is_over() const { return now() >= end; }
};

// Sleeps, a little longer each time, and reports `why` if it differs from the last reason. The
// times are random, so that programs that were refused together do not come back together. Throws
// Error with the reason when time is up.
class Pause {
 public:
  Pause(const Patience& patience, std::string what) : patience_(patience), what_(std::move(what)) {}
  void after(const NotYet& why);

 private:
  const Patience& patience_;
  std::string what_;
  std::string said_;
  std::chrono::milliseconds next_{250};
};

// Calls `get` until it does not throw NotYet. Throws Error ("cannot get WHAT: …") when time is up.
template <class Get>
auto persist(const Patience& patience, std::string what, Get get) {
  Pause pause(patience, std::move(what));
  for (;;) {
    try {
      return get();
    } catch (const NotYet& error) {
      pause.after(error);
    }
  }
}

// One of many calls, and what became of it.
struct CloudCall {
  std::string method, url;
  std::exception_ptr error{};  // NotYet or Refused; empty: the service accepted it
};

// Every call throws NotYet if a retry may help, otherwise Error.
class Cloud {
 public:
  using Send = std::function<HttpAnswer(const HttpRequest&)>;
  Cloud() : send_(node::send), send_many_(node::send_many) {}
  // Without `many`, many requests are sent one by one.
  explicit Cloud(Send send, SendMany many = {})
      : send_(std::move(send)), send_many_(std::move(many)) {}

  // Everything that the metadata server knows about this machine: the tree below `instance`
  // (docs.cloud.google.com, "Predefined metadata keys"). Throws NotYet if nothing answers.
  nlohmann::json instance();

  // An object of Cloud Storage.
  std::string object(const std::string& bucket, const std::string& name);

  // The value of a version of a secret, "projects/P/secrets/S"; empty if that version does not
  // exist.
  std::optional<std::string> secret(const std::string& name, int version);
  void add_secret_version(const std::string& name, const std::string& value);

  // Calls a Google service with this machine's credentials. Throws Refused if a retry would not
  // help.
  nlohmann::json call(const std::string& method, const std::string& url);
  nlohmann::json call(const std::string& method, const std::string& url,
                      const nlohmann::json& body);

  // The same for many calls without a body, several at a time. Throws only if there is no token.
  void call_many(std::vector<CloudCall>& calls);

  // From now on, says each request to a service and its answer (request_text.h); empty: says
  // nothing.
  void say_requests(std::function<void(const std::string&)> say) { say_ = std::move(say); }

 private:
  HttpRequest with_token(HttpRequest request);
  HttpAnswer authorized(HttpRequest request);
  const std::string& token();

  Send send_;
  SendMany send_many_;
  std::function<void(const std::string&)> say_;
  std::string token_;
  std::chrono::steady_clock::time_point token_ends_;
};

}  // namespace slipway::node
