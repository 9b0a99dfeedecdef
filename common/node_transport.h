// The transport of a node: the part `transport` of the node profile.
//
// The deployer resolves it from blueprints/catalogue/transports.yaml, so that nodes do not read the
// catalogue. Only `name` and `environment` are required; a transport lacks what is missing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace slipway {

struct NodeTransport {
  // A variable that the transport needs in every task, and why.
  struct Variable {
    std::string name;   // "NCCL_SOCKET_IFNAME"
    std::string value;  // "=enp0s12"
    std::string why;    // a sentence for `--nccl-env=show`
  };

  // The vendor's profile on the node: a shell script whose plain exports are used.
  struct VendorProfile {
    std::string path;                           // empty: the vendor has none
    std::map<std::string, std::string> inputs;  // shell variables that the script may use
  };

  struct Libraries {
    std::string folder;              // comes first in LD_LIBRARY_PATH; empty: no libraries
    std::vector<std::string> names;  // "libnccl-net.so"
    bool must_agree = false;         // all nodes of a job need identical files
  };

  // A program that has to run next to a job on several nodes.
  struct Daemon {
    std::string name;                  // "rxdm"; empty: no daemon
    std::vector<std::string> images;   // containers to pull at boot
    std::vector<std::string> command;  // runs in the foreground until SIGTERM
    std::vector<std::string> stop;     // the command that cleans up after it; may be empty
    // It is ready when this socket accepts a connection: a path, a folder and `/*` for any socket
    // in it, or `@name` for an abstract socket. If empty, its log decides, or that it still runs.
    std::string socket;
    std::string log_says;
    int64_t deadline_seconds = 0;
    // Or when the output of this command contains the text `query_says`.
    std::vector<std::string> query = {};
    std::string query_says = {};
    // Gets the addresses of the job's nodes, one a line, before the daemon starts. Such a daemon
    // serves one set of nodes at a time. Empty: the daemon needs none.
    std::string nodes_file = {};
  };

  // Versions that belong together; empty if unknown.
  struct VersionSet {
    std::string plugin, daemon, nccl;
  };

  struct Limits {
    int64_t memlock_bytes = 0;        // the least RLIMIT_MEMLOCK; 0: any
    int64_t dev_shm_bytes = 0;        // the least size of /dev/shm; 0: any
    std::string bounded_stack_below;  // NCCL before this version must not have an unlimited stack
  };

  // A combination that breaks jobs: fatal if all conditions are true.
  struct Fatal {
    std::string nccl_from, nccl_below;  // versions of NCCL, "2.29.3"
    std::string plugin;                 // version of the transport's plugin
    std::string architecture;           // "aarch64"
    std::string variable, value;        // the task's setting; value `*`: any but the recommended
    bool unlimited_stack = false;
    std::string why;  // the message
  };

  std::string name = {};  // "socket"; a row of blueprints/catalogue/transports.yaml
  std::vector<Variable> environment = {};      // for GPU jobs on several nodes
  std::vector<Variable> single_node = {};      // for GPU jobs on one node
  std::vector<Variable> without_profile = {};  // additionally, if the vendor's profile is missing
  VendorProfile vendor_profile = {};
  Libraries libraries = {};
  Daemon daemon = {};
  std::vector<VersionSet> version_sets = {};
  Limits limits = {};
  std::vector<Fatal> fatal = {};
};

class JsonValue;

nlohmann::ordered_json daemon_to_json(const NodeTransport::Daemon& daemon);
NodeTransport::Daemon daemon_from_json(const JsonValue& j);  // throws Error

nlohmann::ordered_json transport_to_json(const NodeTransport& transport);

// Throws Error if something is missing or has a wrong type.
NodeTransport transport_from_json(const nlohmann::json& j);

}  // namespace slipway
