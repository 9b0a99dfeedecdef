// Converts a Deployment to definitions for Google Cloud: files for Terraform and Packer.
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

// A file or folder to copy to the deployment folder.
struct Copy {
  std::string path;  // in the folder
  std::string from;
  source::Span span;  // where the blueprint names it
};

// What `deploy` must know about a group.
struct GroupSteps {
  // A variable of the group, and the earlier group whose output with the same name is its value.
  struct Input {
    std::string variable;
    std::string from_group;
  };
  std::string name;
  std::string kind;           // "terraform" or "packer"
  std::string packer_target;  // what Packer builds: a file or folder in the group's folder
  std::string packer_values;  // the file with known values; may be empty
  std::vector<Input> inputs;
  // Settings of a foreign Packer module that depend on those variables, as Terraform expressions.
  std::map<std::string, std::string> late_settings;
};

// Nodes of a nodeset.
struct NodeCounts {
  int64_t always_on = 0;
  int64_t on_demand = 0;  // at most
};

struct Definitions {
  std::string deployment;   // name of the deployment and its folder
  std::vector<File> files;  // by path
  std::vector<Copy> copies;
  std::vector<GroupSteps> groups;  // in the order of deployment
  // How many machines the controller makes, by id of the module with their instance template.
  std::map<std::string, NodeCounts> nodes;
};

// What define() is called for.
enum class Wanted {
  files,     // a module that cannot be created is an error
  problems,  // the same diagnostics without any file; a module that cannot be created is a warning
};

// The input of define().
struct Source {
  blueprint::Evaluation& evaluation;              // of the deployment
  const cluster::Cluster* cluster = nullptr;      // null without Slurm
  const cluster::Catalogue* catalogue = nullptr;  // used to check the cluster
  const cluster::Zones* zones = nullptr;          // null: regions and zones are not checked
  std::filesystem::path library = {};             // folder of the module library
  Wanted wanted = Wanted::files;
};

// Reports errors in `diagnostics`; without any, the result can be used. Does not use the network,
// and gives the same bytes for the same deployment. Throws Error if Slurm does not support the
// cluster.
Definitions define(const Source& source, source::Diagnostics& diagnostics);

// Reads what define() needs of the library whatever the deployment is, in another thread.
void read_ahead(const std::filesystem::path& library);

}  // namespace slipway::google
