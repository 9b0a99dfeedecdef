// Google Cloud from inside a machine: its metadata server, and the services that it may call.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "common/error.h"
#include "launcher/node/http.h"

namespace slipway::node {

// A failure that may pass: the server does not answer, or the object or the permission to read it
// has not arrived yet.
class NotYet : public Error {
 public:
  using Error::Error;
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
};

// Sleeps, a little longer each time, and reports `why` if it differs from the last reason. Throws
// Error with it when time is up.
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

// Every call throws NotYet if a retry may help, otherwise Error.
class Cloud {
 public:
  using Send = std::function<HttpAnswer(const HttpRequest&)>;
  explicit Cloud(Send send = node::send) : send_(std::move(send)) {}

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

 private:
  HttpAnswer authorized(HttpRequest request);
  const std::string& token();

  Send send_;
  std::string token_;
  std::chrono::steady_clock::time_point token_ends_;
};

}  // namespace slipway::node
