// A Deployment as definitions for Google Cloud: the files that Terraform and Packer read.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/zones.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {

// A file of the deployment folder.
struct File {
  std::string path;  // in the folder: "primary/net.tf.json"
  std::string text;
};

// A file or a folder that is copied into it.
struct Copy {
  std::string path;  // in the folder
  std::string from;
  source::Span span;  // where the blueprint names it
};

// A group, as the one who applies it must know it.
struct GroupSteps {
  // A variable of the group, and the earlier group whose output of the same name is its value.
  struct Input {
    std::string variable;
    std::string from_group;
  };
  std::string name;
  std::string kind;           // "terraform" or "packer"
  std::string packer_target;  // what Packer builds: a file or a folder in the group's
  std::string packer_values;  // the file of the values that are known; may be empty
  std::vector<Input> inputs;
  // Settings of a foreign Packer module that are made from those variables, as Terraform has them.
  std::map<std::string, std::string> late_settings;
};

struct Definitions {
  std::string deployment;   // its name, and the folder's
  std::vector<File> files;  // by path
  std::vector<Copy> copies;
  std::vector<GroupSteps> groups;  // in the order in which they are applied
  // Machines that are made while jobs need them, at most: from the instance template of a module.
  std::map<std::string, int64_t> on_demand;
};

// What a deployment is made from.
struct Source {
  blueprint::Evaluation& evaluation;              // of the deployment
  const cluster::Cluster* cluster = nullptr;      // null: there is no Slurm in it
  const cluster::Catalogue* catalogue = nullptr;  // that the cluster was checked against
  const cluster::Zones* zones = nullptr;          // null: places are not checked
  std::filesystem::path library = {};             // folder of our modules
};

// Everything that is wrong goes to `diagnostics`; the result is good when no error was added. Asks
// nothing outside, and the same deployment gives the same bytes. Throws Error when Slurm cannot
// have such a cluster.
Definitions define(const Source& source, source::Diagnostics& diagnostics);

}  // namespace slipway::google
