// Reads the JobSet of a manifest.
#include "launcher/pods/job_set.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"
#include "launcher/kubernetes/object_check.h"
#include "launcher/kubernetes/object_rules.h"
#include "launcher/pods/fields.h"
#include "launcher/pods/job_reader.h"

namespace slipway::pods {
namespace {

using source::Code;
using source::Node;

// The documents of a manifest, each at its own lines. Unlike the reader of `check`, which has to
// read templates, this one does not change texts.
std::vector<Node> documents(const std::filesystem::path& file, source::Sources& sources,
                            source::Diagnostics& diagnostics) {
  const std::string text(sources.text(sources.add_file(file)));
  std::vector<Node> made;
  std::string piece;
  size_t lines = 0;
  const auto end = [&] {
    if (piece.find_first_not_of('\n') == piece.npos) return;
    auto root = source::read_yaml(sources.add(file, piece), sources, diagnostics);
    if (root && root->is_mapping()) made.push_back(std::move(*root));
  };
  for (const std::string& line : split(text, '\n')) {
    ++lines;
    if (line == "---") {
      end();
      piece = std::string(lines, '\n');
    } else {
      piece += line + "\n";
    }
  }
  end();
  return made;
}

class JobSetReader {
 public:
  JobSetReader(JobSet& made, source::Diagnostics& diagnostics)
      : made_(made), diagnostics_(diagnostics) {}

  void run(const Node& root) {
    Fields object(&root, diagnostics_);
    object.ignore({"apiVersion", "kind"});
    Fields metadata = object.at("metadata");
    made_.name = metadata.text("name");
    if (metadata.find("labels") != nullptr) {
      made_.notes.push_back("labels, such as those of Kueue: the job starts at once");
    }
    if (const std::string space = metadata.text("namespace"); !space.empty()) made_.space = space;
    metadata.ignore({"annotations"});
    Fields spec = object.at("spec");
    network(spec);
    failure_policy(spec);
    if (spec.truth("suspend")) {
      made_.notes.push_back("`suspend`: the job starts at once, as if it were resumed");
    }
    spec.ignore({"ttlSecondsAfterFinished"});
    spec.each("replicatedJobs", [&](Fields& each) {
      made_.jobs.push_back(read_job(each, made_.notes, diagnostics_));
    });
    Fields success = spec.at("successPolicy");
    made_.any_succeeds = success.text("operator") == "Any";
    made_.success_targets = success.texts("targetReplicatedJobs");
    success.finish();
    startup_policy(spec);
    coordinator(spec);
    spec.finish();
    object.finish();
  }

 private:
  void network(Fields& spec) {
    Fields network = spec.at("network");
    const std::string subdomain = network.text("subdomain");
    if (network.text("enableDNSHostnames") != "false") {
      made_.subdomain = subdomain.empty() ? made_.name : subdomain;
    }
    if (network.text("publishNotReadyAddresses") == "false") {
      made_.notes.push_back(
          "`publishNotReadyAddresses`: pods find each other before they are ready");
    }
    network.finish();
  }

  void failure_policy(Fields& spec) {
    Fields policy = spec.at("failurePolicy");
    made_.max_restarts = policy.number("maxRestarts", 0);
    policy.each("rules", [&](Fields& each) {
      made_.failure_rules.push_back({each.text("name"), each.text("action"),
                                     each.texts("onJobFailureReasons"),
                                     each.texts("targetReplicatedJobs")});
    });
    // All pods end before the first starts again: what BlockingRecreate asks for, and Recreate may
    // do.
    if (policy.text("restartStrategy") == "InPlaceRestart") {
      diagnostics_
          .error(Code::no_equivalent, policy.find("restartStrategy")->span,
                 "`slipway job run` does not restart pods in place")
          .help("the agents in the pods would ask JobSet's controller, which is not here");
    }
    policy.finish();
  }

  // Each replicated job waits for the one before it. JobSet refuses this beside dependsOn.
  void startup_policy(Fields& spec) {
    Fields policy = spec.at("startupPolicy");
    if (policy.text("startupPolicyOrder") == "InOrder") {
      for (size_t i = 1; i < made_.jobs.size(); ++i) {
        made_.jobs[i].depends_on.push_back({made_.jobs[i - 1].name, false});
      }
    }
    policy.finish();
  }

  void coordinator(Fields& spec) {
    Fields coordinator = spec.at("coordinator");
    const std::string name = coordinator.text("replicatedJob");
    const int64_t replica = coordinator.number("jobIndex", 0);
    const int64_t index = coordinator.number("podIndex", 0);
    if (const ReplicatedJob* job = made_.find(name)) {
      made_.coordinator = fmt::format("{}.{}", pod_name(made_, *job, replica, index),
                                      made_.subdomain.empty() ? made_.name : made_.subdomain);
    }
    coordinator.finish();
  }

  JobSet& made_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

int64_t ReplicatedJob::gpus() const {
  int64_t most = 0;
  for (const std::vector<Container>* list : {&init, &containers}) {
    for (const Container& container : *list) most = std::max(most, container.gpus);
  }
  return most;
}

const ReplicatedJob* JobSet::find(const std::string& job) const {
  const auto found = std::ranges::find(jobs, job, &ReplicatedJob::name);
  return found == jobs.end() ? nullptr : &*found;
}

int64_t JobSet::replicas() const {
  int64_t all = 0;
  for (const ReplicatedJob& job : jobs) all += job.replicas;
  return all;
}

std::string pod_name(const JobSet& set, const ReplicatedJob& job, int64_t replica, int64_t index) {
  return fmt::format("{}-{}-{}-{}", set.name, job.name, replica, index);
}

JobSet read_job_set(const std::filesystem::path& file, const std::filesystem::path& catalogue,
                    source::Sources& sources, source::Diagnostics& diagnostics) {
  JobSet made;
  const kubernetes::Schemas schemas(catalogue);
  size_t found = 0;
  for (Node& root : documents(file, sources, diagnostics)) {
    kubernetes::Object object;
    object.api = kubernetes::text_at(root, "apiVersion");
    object.kind = kubernetes::text_at(root, "kind");
    object.root = std::move(root);
    if (const Node* metadata = object.root.find("metadata")) {
      object.name = kubernetes::text_at(*metadata, "name");
    }
    check_object(object, schemas, diagnostics);
    check_rules(object, diagnostics);
    if (diagnostics.errors() > 0) continue;
    if (object.kind == "ConfigMap") {
      made.config_maps[object.name] = texts_of(object.root.find("data"));
    } else if (object.kind == "Secret") {
      made.secrets[object.name] = texts_of(object.root.find("stringData"));
    } else if (object.kind == "JobSet") {
      if (++found == 1) JobSetReader(made, diagnostics).run(object.root);
    } else {
      made.notes.push_back(fmt::format("the {} `{}`", object.kind, object.name));
    }
  }
  if (found != 1 && diagnostics.errors() == 0) {
    throw Error(
        fmt::format("{} has {} JobSets, and `slipway job run` runs one", file.string(), found));
  }
  return made;
}

}  // namespace slipway::pods
