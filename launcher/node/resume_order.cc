// Splits what Slurm wants into requests.
#include "launcher/node/resume_order.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/json.h"
#include "common/text.h"

namespace slipway::node {
namespace {

using Names = std::vector<std::string>;

// Limit of one bulkInsert.
constexpr size_t most_in_batch = 1000;

long number_of(const std::string& node) {
  return to_number<long>(node.substr(node.rfind('-') + 1)).value_or(-1);
}

Names sorted_by_number(Names nodes) {
  std::ranges::sort(nodes, {},
                    [](const std::string& node) { return std::pair(number_of(node), node); });
  return nodes;
}

// Nodes of one nodeset that go together, and their placement policy.
struct Group {
  Names nodes;
  std::string policy;
};

// The static nodes among them, and the others.
std::pair<Names, Names> static_ones(const Nodes& nodeset, const Names& nodes) {
  std::pair<Names, Names> parts;
  for (const std::string& node : nodes) {
    const bool is_static = number_of(node) >= 0 && number_of(node) < nodeset.static_count;
    (is_static ? parts.first : parts.second).push_back(node);
  }
  return parts;
}

// A nodeset's static nodes always have the same policy, by their number, so that a replaced
// machine gets near the others.
std::vector<Group> group_static(const Nodes& nodeset, const std::string& policies,
                                const Names& nodes) {
  if (!nodeset.placement || nodeset.static_count < 2) return {{nodes, ""}};
  std::map<long, Group> by_policy;
  Group rest;
  for (const std::string& node : nodes) {
    const long number = number_of(node);
    if (number < 0 || number >= nodeset.static_count) {
      rest.nodes.push_back(node);
      continue;
    }
    const long i = number / nodeset.placement->machines_per_policy;
    Group& group = by_policy[i];
    group.nodes.push_back(node);
    group.policy = fmt::format("{}static-{}", policies, i);
  }
  std::vector<Group> groups;
  for (auto& [i, group] : by_policy) groups.push_back(std::move(group));
  if (!rest.nodes.empty()) groups.push_back(std::move(rest));
  return groups;
}

// A job's nodes are split in the order of their numbers, with those that run already: they have
// their places.
std::vector<Group> group_job(const Nodes& nodeset, const std::string& policies,
                             const WaitingJob& job, const Names& all) {
  if (!nodeset.placement || all.size() < 2) return {{all, ""}};
  std::vector<Group> groups;
  const auto most = static_cast<size_t>(nodeset.placement->machines_per_policy);
  for (size_t i = 0; i < all.size(); i += most) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(most, all.size() - i));
    groups.push_back({{begin, end}, fmt::format("{}{}-{}", policies, job.id, i / most)});
  }
  return groups;
}

class Splitter {
 public:
  Splitter(const ClusterFile& cluster, const ResumeOrder& order)
      : cluster_(cluster), order_(order), open_(order.nodes.begin(), order.nodes.end()) {}

  std::vector<Batch> split(Names& unknown) {
    for (const std::string& node : order_.nodes) {
      if (nodeset_of(cluster_, node) != nullptr) continue;
      if (open_.erase(node) > 0) unknown.push_back(node);
    }
    for (const WaitingJob& job : order_.jobs) {
      for (const auto& [prefix, all] : by_prefix(job.all)) {
        const Nodes& nodeset = *nodeset_of(cluster_, all.front());
        const auto [always, others] = static_ones(nodeset, all);
        add(group_static(nodeset, policies(prefix), always), prefix, &job);
        add(group_job(nodeset, policies(prefix), job, others), prefix, &job);
      }
    }
    const Names rest(open_.begin(), open_.end());
    for (const auto& [prefix, nodes] : by_prefix(rest)) {
      add(group_static(*nodeset_of(cluster_, nodes.front()), policies(prefix), nodes), prefix,
          nullptr);
    }
    return std::move(batches_);
  }

 private:
  std::map<std::string, Names> by_prefix(const Names& nodes) const {
    std::map<std::string, Names> groups;
    for (const std::string& node : nodes) {
      if (nodeset_of(cluster_, node) != nullptr) groups[prefix_of(node)].push_back(node);
    }
    for (auto& [prefix, names] : groups) names = sorted_by_number(std::move(names));
    return groups;
  }

  std::string policies(const std::string& prefix) const {
    const size_t begin = cluster_.cluster.size() + 1;
    return policy_prefix(cluster_, prefix.substr(begin, prefix.size() - begin - 1));
  }

  void add(const std::vector<Group>& groups, const std::string& prefix, const WaitingJob* job) {
    for (const Group& group : groups) {
      Names wanted;
      for (const std::string& node : group.nodes) {
        if (open_.erase(node) > 0) wanted.push_back(node);
      }
      for (size_t i = 0; i < wanted.size(); i += most_in_batch) {
        const auto begin = wanted.begin() + static_cast<std::ptrdiff_t>(i);
        const size_t count = std::min(most_in_batch, wanted.size() - i);
        batches_.push_back(
            batch({begin, begin + static_cast<std::ptrdiff_t>(count)}, prefix, job, group.policy));
      }
    }
  }

  Batch batch(Names names, const std::string& prefix, const WaitingJob* job,
              const std::string& policy) const {
    Batch batch;
    batch.prefix = prefix;
    batch.nodeset = nodeset_of(cluster_, names.front());
    batch.policy = policy;
    if (job != nullptr) {
      batch.job = job->id;
      batch.job_seconds = job->limit_seconds;
      batch.is_whole = true;
    }
    for (const std::string& name : names) {
      const auto timeout = order_.timeouts.find(name);
      if (timeout != order_.timeouts.end())
        batch.timeout = std::max(batch.timeout, timeout->second);
    }
    batch.names = std::move(names);
    return batch;
  }

  const ClusterFile& cluster_;
  const ResumeOrder& order_;
  std::set<std::string> open_;  // nodes that are in no batch yet
  std::vector<Batch> batches_;
};

// The nodes that a job's entry has under that name; none if it has no such list.
Names expanded(const JsonValue& job, const char* key,
               const std::function<Names(const std::string&)>& expand) {
  const auto list = job.find(key);
  if (!list || list->is_null() || list->text().empty()) return {};
  return expand(list->text());
}

}  // namespace

std::vector<WaitingJob> parse_resume_file(const std::string& text,
                                          const std::function<Names(const std::string&)>& expand) {
  const nlohmann::json body = parse_json(text);
  std::vector<WaitingJob> jobs;
  for (const JsonValue& one : JsonValue(body).at("jobs").items()) {
    WaitingJob job;
    job.id = one.at("job_id").whole(1, 0xffffffff);
    job.resume = expanded(one, "nodes_resume", expand);
    job.all = expanded(one, "nodes_alloc", expand);
    // Slurm 22.05 has only the nodes to start, under another name, and not those that run already.
    if (job.resume.empty()) job.resume = expanded(one, "nodes", expand);
    if (job.all.empty()) job.all = job.resume;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<Batch> batches_of(const ClusterFile& cluster, const ResumeOrder& order,
                              Names& unknown) {
  return Splitter(cluster, order).split(unknown);
}

std::string policy_prefix(const ClusterFile& cluster, const std::string& nodeset) {
  return fmt::format("{}-{}-", cluster.cluster, nodeset);
}

std::string prefix_of(const std::string& node) {
  return node.substr(0, node.rfind('-') + 1);
}

}  // namespace slipway::node
