// HTTP requests, sent by curl.
//
// curl runs as a child process and is not linked: only machines in the cloud need it, and nothing
// else should load its forty libraries. Secrets are passed on stdin, never on the command line,
// which every user of the machine can read.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace slipway::node {

struct HttpRequest {
  std::string url;                     // http:// or https:// only
  std::vector<std::string> headers{};  // "Metadata-Flavor: Google"
  std::string method = "GET";
  std::string body{};  // sent unless empty
  std::chrono::milliseconds deadline{std::chrono::seconds(30)};
};

struct HttpAnswer {
  int status = 0;  // 0: no answer
  std::string body;
  std::string error;  // curl's message, if there was no answer
};

// Reads no settings from the environment or from files, so that nobody can redirect a program that
// runs as root; certificates are checked against the system's. Throws Error if curl cannot be
// started.
HttpAnswer send(const HttpRequest& request);

// The configuration that send() passes to `curl --config`. Throws Error if a part has a byte that
// such a file cannot contain.
std::string curl_config(const HttpRequest& request);

// Escapes `text` as one component of a URL's path: everything except letters, digits, - . _ ~
// becomes %XX.
std::string url_encode(std::string_view text);

}  // namespace slipway::node
