// A pod as a shell script for a node of a local cluster.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "launcher/pods/job_set.h"

namespace slipway::pods {

struct Pod {
  std::string name;  // "train-node-0-1": jobset, replicated job, job and pod
  std::string job, node;
  int64_t replica = 0, index = 0;
  int64_t restarts = 0, job_restarts = 0;  // of the JobSet, and of this job alone
  // Names of all pods of the JobSet, each with its node.
  std::vector<std::pair<std::string, std::string>> hosts;
  std::map<std::string, std::string> claims;      // their folders on the node
  std::map<std::string, std::string> interfaces;  // names on the node by names in the pod
  std::string mark;  // begins the lines that are for us: see pod_script()
};

// The fields of a pod that Kubernetes and JobSet fill in, by their paths: "metadata.name",
// "metadata.labels['jobset.sigs.k8s.io/job-index']".
std::map<std::string, std::string> fields_of(const JobSet& set, const ReplicatedJob& job,
                                             const Pod& pod);

// The environment of a container, as Kubernetes makes it: fields, secrets, and $(NAME) of earlier
// variables. Names of interfaces are those of the node.
std::map<std::string, std::string> environment_of(const Container& container, const JobSet& set,
                                                  const ReplicatedJob& job, const Pod& pod);

// $(NAME) as Kubernetes expands it in commands and variables; $$ is $.
std::string expand(const std::string& text, const std::map<std::string, std::string>& environment);

// bash reads the script from its stdin, as the first process of a PID namespace with mounts of its
// own. When stdin ends, the containers get SIGTERM. On stderr are lines for us, beside the output:
//
//   MARK ready              all containers run
//   MARK restarted NAME     a container has failed, and starts again (restartPolicy OnFailure)
//   MARK ended NAME CODE    a container has ended
std::string pod_script(const JobSet& set, const ReplicatedJob& job, const Pod& pod);

}  // namespace slipway::pods
