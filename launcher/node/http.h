// A request to a web service, made by the program curl.
//
// curl is a child and no library: only what runs on a machine of the cloud needs it, and nothing
// else here should load its forty libraries. What is secret goes to it by stdin, never by its
// command line, which every user of the machine can read.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace slipway::node {

struct HttpRequest {
  std::string url;                     // http:// or https://, never anything else
  std::vector<std::string> headers{};  // "Metadata-Flavor: Google"
  std::string method = "GET";
  std::string body{};  // sent when it is not empty
  std::chrono::milliseconds deadline{std::chrono::seconds(30)};
};

struct HttpAnswer {
  int status = 0;  // 0: there was no answer
  std::string body;
  std::string error;  // why there was none, in curl's words
};

// Takes no settings from the environment or from files, so nobody chooses another server for a
// program that runs as root; certificates are checked by those of the system. Throws Error when
// curl cannot be started.
HttpAnswer send(const HttpRequest& request);

// The text of a file for `curl --config`: what send() gives to it. Throws Error when a part has a
// byte that such a file cannot hold.
std::string curl_config(const HttpRequest& request);

// `text` in a URL as one part of its path: everything but letters, digits, - . _ ~ as %XX.
std::string url_encode(std::string_view text);

}  // namespace slipway::node
