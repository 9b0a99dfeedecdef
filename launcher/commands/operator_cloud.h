// Google Cloud with the credentials of the person who runs `slipway`, found as Terraform's provider
// finds them.
#pragma once

#include <optional>
#include <string>

#include "launcher/node/cloud.h"

namespace slipway::commands {

// An access token: GOOGLE_OAUTH_ACCESS_TOKEN, or one that gcloud makes, for the service account of
// GOOGLE_CREDENTIALS or GOOGLE_APPLICATION_CREDENTIALS if one of them names a file. Throws Error
// with what to do.
std::string operator_token();

// The same; nothing if there are no credentials.
std::optional<std::string> find_operator_token();

// Requests to a service go to its own endpoint if there is one: GOOGLE_COMPUTE_CUSTOM_ENDPOINT and
// the others that Terraform's provider reads. `project`, if not empty, pays for requests to
// all services but Compute Engine, which refuse gcloud's application credentials without one:
// docs.cloud.google.com/docs/authentication/troubleshoot-adc, "user credentials not working".
node::Cloud operator_cloud(const std::string& token, const std::string& project = {});

// The URL with the endpoint ("https://…/compute/v1/") in place of the service's own, `base`.
std::string at_endpoint(const std::string& url, std::string_view base, const std::string& endpoint);

}  // namespace slipway::commands
