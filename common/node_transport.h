// What a node is told of its transport: the part `transport` of the node profile.
//
// The deployer resolves it from blueprints/catalogue/transports.yaml, so that nothing on a node
// reads the catalogue. All but name and environment may be missing: then there is no such thing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace slipway {

struct NodeTransport {
  // One variable that the transport wants in every task, and why.
  struct Variable {
    std::string name;   // "NCCL_SOCKET_IFNAME"
    std::string value;  // "=enp0s12"
    std::string why;    // a sentence for `--nccl-env=show`
  };

  // The vendor's own profile on the node: a shell script of which plain exports are taken.
  struct VendorProfile {
    std::string path;                           // empty: there is none
    std::map<std::string, std::string> inputs;  // shell variables that it may name
  };

  struct Libraries {
    std::string folder;              // goes first in LD_LIBRARY_PATH; empty: there is none
    std::vector<std::string> names;  // "libnccl-net.so"
    bool must_agree = false;         // nodes with other bytes cannot work together
  };

  // What has to run beside a job on several nodes.
  struct Daemon {
    std::string name;                  // "rxdm"; empty: there is none
    std::vector<std::string> images;   // containers, to be pulled at boot
    std::vector<std::string> command;  // runs in the foreground until it gets SIGTERM
    std::vector<std::string> stop;     // what is left behind is removed by this; may be empty
    // It serves when this socket accepts a connection: a path, a folder and `/*` for any socket in
    // it, or `@name` for an abstract one. Empty: then what its log says, or that it still runs.
    std::string socket;
    std::string log_says;
    int64_t deadline_seconds = 0;
  };

  // Versions that were made for each other; an empty one is not known.
  struct VersionSet {
    std::string plugin, daemon, nccl;
  };

  struct Limits {
    int64_t memlock_bytes = 0;        // at least; 0: no matter
    int64_t dev_shm_bytes = 0;        // likewise, the size of /dev/shm
    std::string bounded_stack_below;  // NCCL before this version must not have an unlimited stack
  };

  // Fatal when all that is said of it is so.
  struct Fatal {
    std::string nccl_from, nccl_below;  // versions of NCCL, "2.29.3"
    std::string plugin;                 // version of the transport's plugin
    std::string architecture;           // "aarch64"
    std::string variable, value;        // what the task has; value `*`: anything but the
                                        // recommendation
    bool unlimited_stack = false;
    std::string why;  // the message
  };

  std::string name = {};  // "socket"; a row of blueprints/catalogue/transports.yaml
  std::vector<Variable> environment = {};      // for GPU jobs on several nodes
  std::vector<Variable> single_node = {};      // for GPU jobs on one
  std::vector<Variable> without_profile = {};  // besides, where the vendor's profile is not there
  VendorProfile vendor_profile = {};
  Libraries libraries = {};
  Daemon daemon = {};
  std::vector<VersionSet> version_sets = {};
  Limits limits = {};
  std::vector<Fatal> fatal = {};
};

nlohmann::ordered_json transport_to_json(const NodeTransport& transport);

// Throws nlohmann's exceptions where something is missing or has another type.
NodeTransport transport_from_json(const nlohmann::json& j);

}  // namespace slipway
