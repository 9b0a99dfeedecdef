// How a request to a Google service is logged, if the blueprint asks for that with
// `extra_logging_flags: {trace_api: true}` of the controller's module.
#pragma once

#include <string>

#include "launcher/node/http.h"

namespace slipway::node {

// One line: "POST https://…/bulkInsert: 200, 1834 bytes", and what Compute Engine said if it
// refused. Headers, and so the token, and the bodies of other services, which may have secrets, are
// never part of it.
std::string request_text(const HttpRequest& request, const HttpAnswer& answer);

}  // namespace slipway::node
