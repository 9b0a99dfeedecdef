// Google Cloud with the credentials of the person who runs `slipway`, found as Terraform's provider
// finds them.
#pragma once

#include <string>

#include "launcher/node/cloud.h"

namespace slipway::commands {

// An access token: GOOGLE_OAUTH_ACCESS_TOKEN, or one that gcloud makes, for the service account of
// GOOGLE_CREDENTIALS or GOOGLE_APPLICATION_CREDENTIALS if one of them names a file. Throws Error
// with what to do.
std::string operator_token();

// Requests to Compute Engine go to GOOGLE_COMPUTE_CUSTOM_ENDPOINT if it is set.
node::Cloud operator_cloud(const std::string& token);

// The URL with the endpoint ("https://…/compute/v1/") in place of Compute Engine's.
std::string at_endpoint(const std::string& url, const std::string& endpoint);

}  // namespace slipway::commands
