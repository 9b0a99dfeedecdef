// A JobSet as `slipway job run` runs it: the part of Kubernetes that `slipway job convert` writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/source/diagnostics.h"

namespace slipway::pods {

struct Variable {
  std::string name, value;
  std::string field;               // of the pod, whose value it has: see Pod::fields
  std::string secret, secret_key;  // of a secret, whose value it has; otherwise empty
};

struct VolumeMount {
  std::string volume, path, sub_path;
  bool read_only = false;
};

struct Container {
  std::string name, image, folder;
  std::vector<std::string> command;  // with its arguments
  std::vector<Variable> environment;
  std::vector<VolumeMount> mounts;
  int64_t gpus = 0;
  bool is_sidecar = false;  // an init container that runs beside the others
};

struct Volume {
  enum class Kind { config_map, empty, memory, host, claim };
  std::string name;
  Kind kind = Kind::empty;
  std::string source;  // the ConfigMap, the path on the machine, or the claim
};

// Of failurePolicy.
struct FailureRule {
  std::string name, action;
  std::vector<std::string> reasons;  // empty: any
  std::vector<std::string> targets;  // replicated jobs; empty: any
};

// Of podFailurePolicy.
struct ExitRule {
  std::string action, container;  // an empty container is any
  bool in = true;                 // the operator; false: NotIn
  std::vector<int64_t> codes;
};

// A replicated job starts when another one is ready, or has completed.
struct Dependency {
  std::string job;
  bool completed = false;
};

struct ReplicatedJob {
  std::string name, group = "default";
  int64_t replicas = 1;                // jobs
  int64_t pods = 1, pods_at_once = 1;  // of each job
  int64_t retries = 6;                 // failures of pods that a job survives: its backoffLimit
  int64_t deadline_seconds = 0;        // 0: none
  int64_t grace_seconds = 30;          // between SIGTERM and SIGKILL
  bool restarts_containers = false;    // restartPolicy OnFailure
  std::vector<Dependency> depends_on;  // also made from the startup policy InOrder
  std::vector<ExitRule> exit_rules;
  std::map<std::string, std::string> selector;             // labels of machines
  std::map<std::string, std::string> labels, annotations;  // of the pods, in the manifest
  std::vector<std::string> interfaces;  // in the pod: the host's, then those of the GPUs
  std::vector<Container> init, containers;
  std::vector<Volume> volumes;

  int64_t gpus() const;  // of a pod
};

struct JobSet {
  std::string name, space = "default";  // and its namespace
  std::string subdomain;                // of the names of pods; empty: they have none
  std::vector<ReplicatedJob> jobs;
  // The success policy: all jobs of these replicated jobs complete, or any. Without: all there are.
  std::vector<std::string> success_targets;
  bool any_succeeds = false;
  std::string coordinator;  // the name of that pod; may be empty
  int64_t max_restarts = 0;
  std::vector<FailureRule> failure_rules;
  std::map<std::string, std::map<std::string, std::string>> config_maps, secrets;
  std::vector<std::string> notes;  // what has no effect in a local cluster

  const ReplicatedJob* find(const std::string& job) const;  // nullptr: there is none
  int64_t replicas() const;                                 // jobs of all replicated jobs
};

// The name of a pod: "train-node-0-1".
std::string pod_name(const JobSet& set, const ReplicatedJob& job, int64_t replica, int64_t index);

// Reads a manifest with one JobSet, and the ConfigMaps and Secrets that it uses. Reports what
// Kubernetes or JobSet would refuse, and what this interpreter does not know (E0602). Throws Error
// if the file cannot be read. The result is complete only without errors.
JobSet read_job_set(const std::filesystem::path& file, const std::filesystem::path& catalogue,
                    source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::pods
