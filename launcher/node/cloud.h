// Google Cloud as a machine in it sees it: its metadata server, and the services that it may call.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/error.h"
#include "launcher/node/http.h"

namespace slipway::node {

// The cloud did not give it now and may give it a moment later: the server does not answer, the
// object or the right to read it is on its way.
class NotYet : public Error {
 public:
  using Error::Error;
};

// The cloud refused a request.
class Refused : public Error {
 public:
  Refused(const std::string& what, int status, std::string reason)
      : Error(what), status(status), reason(std::move(reason)) {}
  int status;          // of HTTP
  std::string reason;  // the service's own word for it: "QUOTA_EXCEEDED"
};

// How long something is tried, and who is told why it takes so long.
struct Patience {
  std::chrono::steady_clock::time_point end;
  std::function<void(const std::string&)> say;
};

// Sleeps, a little longer each time, and says `why` when it is another reason than before. Throws
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

// Every call throws NotYet where it is worth another try, else Error.
class Cloud {
 public:
  using Send = std::function<HttpAnswer(const HttpRequest&)>;
  explicit Cloud(Send send = node::send) : send_(std::move(send)) {}

  // All that the metadata server says of this machine: docs.cloud.google.com, "Predefined metadata
  // keys", the tree below `instance`. Throws NotYet when nothing answers.
  nlohmann::json instance();

  // An object of Cloud Storage.
  std::string object(const std::string& bucket, const std::string& name);

  // The value of a version of a secret, "projects/P/secrets/S"; nothing when there is no such
  // version.
  std::optional<std::string> secret(const std::string& name, int version);
  void add_secret_version(const std::string& name, const std::string& value);

  // A request to one of Google's services with this machine's rights. Throws Refused for what
  // another try does not change.
  nlohmann::json call(const std::string& method, const std::string& url,
                      const nlohmann::json& body = nullptr);

 private:
  HttpAnswer authorized(HttpRequest request);
  const std::string& token();

  Send send_;
  std::string token_;
  std::chrono::steady_clock::time_point token_ends_;
};

}  // namespace slipway::node
