// Many HTTP requests at once, over a few connections that stay open.
#pragma once

#include <functional>
#include <vector>

#include "launcher/node/http.h"

namespace slipway::node {

// Sends all of them with one curl, at most `connections` at a time, under the same rules as send().
// The answers are in the order of the requests. Throws Error if curl cannot be started.
std::vector<HttpAnswer> send_many(const std::vector<HttpRequest>& requests, size_t connections);

using SendMany = std::function<std::vector<HttpAnswer>(const std::vector<HttpRequest>&, size_t)>;

}  // namespace slipway::node
