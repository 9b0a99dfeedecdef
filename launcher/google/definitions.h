// A Deployment as definitions for Google Cloud: the files that Terraform and Packer read.
#pragma once

#include <string>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {

// A file of the deployment folder.
struct File {
  std::string path;  // in the folder: "primary/net.tf.json"
  std::string text;
};

struct Definitions {
  std::string deployment;   // its name, and the folder's
  std::vector<File> files;  // by path
};

// Everything that is wrong goes to `diagnostics`; the result is good when no error was added. Asks
// nothing outside, and the same deployment gives the same bytes.
Definitions define(const blueprint::Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::google
