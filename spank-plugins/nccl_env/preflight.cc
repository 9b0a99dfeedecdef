// Finds problems of a node or a job that would break its transport.
#include "spank-plugins/nccl_env/preflight.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "common/text.h"

namespace slipway::nccl_env {
namespace {

std::string in_gib(uint64_t bytes) {
  constexpr double gib = 1 << 30;
  return fmt::format("{:.3g} GiB", static_cast<double>(bytes) / gib);
}

class Judge {
 public:
  Judge(const NodeProfile& profile, const NodeFacts& facts, const Environment& environment,
        const std::vector<Advice>& advice, const PreflightJob& job)
      : profile_(profile),
        transport_(profile.transport),
        facts_(facts),
        environment_(environment),
        advice_(advice),
        job_(job) {
    // If so, what this node has, the node of the first rank has too.
    agrees_ = facts.stock && !facts.stock->digest.empty() &&
              facts.stock->digest == job.digest_of_submission;
  }

  std::vector<Finding> judge() {
    check_limits();
    if (job_.several_nodes) {
      check_libraries();
      check_interfaces();
      check_daemon();
      check_versions();
      check_agreement();
    }
    for (const NodeTransport::Fatal& fatal : transport_.fatal) check_fatal(fatal);
    return std::move(findings_);
  }

 private:
  template <class... Values>
  void warn(fmt::format_string<Values...> text, Values&&... values) {
    findings_.push_back(
        {fmt::format("{}: ", profile_.node) + fmt::format(text, std::forward<Values>(values)...)});
  }

  const std::string& nccl() const {
    static const std::string unknown;
    return facts_.stock ? facts_.stock->nccl : unknown;
  }

  void check_libraries() {
    if (facts_.missing_libraries.empty()) return;
    warn("{} cannot be read: NCCL may fall back to sockets", join(facts_.missing_libraries, ", "));
  }

  void check_interfaces() {
    std::vector<std::string> missing, down;
    const NodeProfile::Interface* before = nullptr;
    for (const NodeProfile::Interface& nic : profile_.network_interfaces) {
      const NodeFacts::Interface& fact = facts_.interfaces.at(nic.name);
      if (!fact.exists) {
        missing.push_back(nic.name);
      } else if (!fact.up) {
        down.push_back(nic.name);
      }
      // Host NICs and GPU NICs are ordered separately, like on the bus.
      if (fact.exists && before != nullptr && before->purpose == nic.purpose &&
          fact.place < facts_.interfaces.at(before->name).place) {
        warn("interface {} comes before {} on this node, but after it in the profile", nic.name,
             before->name);
      }
      if (fact.exists) before = &nic;
    }
    if (!missing.empty()) {
      warn("{} of {} interfaces are missing: {}", missing.size(),
           profile_.network_interfaces.size(), join(missing, ", "));
    }
    if (!down.empty()) warn("interfaces are down: {}", join(down, ", "));
    if (!facts_.further_interfaces.empty()) {
      warn("interfaces not in the profile: {}", join(facts_.further_interfaces, ", "));
    }
  }

  void check_daemon() {
    if (facts_.daemon_answers) return;
    warn("{} does not answer at {}", transport_.daemon.name, transport_.daemon.socket);
  }

  void check_limits() {
    const NodeTransport::Limits& limits = transport_.limits;
    const auto below = [](const std::optional<uint64_t>& bytes, int64_t least) {
      return least > 0 && bytes && *bytes < static_cast<uint64_t>(least);
    };
    if (job_.several_nodes && below(facts_.memlock_bytes, limits.memlock_bytes)) {
      warn("tasks may lock only {} of memory, but the transport needs {} (`ulimit -l`)",
           in_gib(*facts_.memlock_bytes), in_gib(static_cast<uint64_t>(limits.memlock_bytes)));
    }
    if (below(facts_.dev_shm_bytes, limits.dev_shm_bytes)) {
      warn("/dev/shm has only {}, but NCCL needs {}", in_gib(*facts_.dev_shm_bytes),
           in_gib(static_cast<uint64_t>(limits.dev_shm_bytes)));
    }
    if (facts_.stack_is_unlimited && !limits.bounded_stack_below.empty() && !nccl().empty() &&
        compare_versions(nccl(), limits.bounded_stack_below) < 0) {
      warn("the stack is unlimited, so threads of NCCL {} get too small a stack (`ulimit -s`)",
           nccl());
    }
  }

  void check_versions() {
    if (!facts_.stock || facts_.stock->plugin.empty() || transport_.version_sets.empty()) return;
    const TransportStock& stock = *facts_.stock;
    const auto fits = [](const std::string& wanted, const std::string& there) {
      return wanted.empty() || there.empty() || wanted == there;
    };
    if (std::ranges::any_of(transport_.version_sets, [&](const NodeTransport::VersionSet& set) {
          return set.plugin == stock.plugin && fits(set.daemon, stock.daemon) &&
                 fits(set.nccl, stock.nccl);
        })) {
      return;
    }
    warn("plugin {}, daemon {} and NCCL {} are not known to work together", stock.plugin,
         stock.daemon.empty() ? "(none)" : stock.daemon,
         stock.nccl.empty() ? "(unknown)" : stock.nccl);
    findings_.back().everywhere = agrees_;
  }

  void check_agreement() {
    if (!transport_.libraries.must_agree || !facts_.stock || facts_.stock->digest.empty() ||
        job_.digest_of_submission.empty() || agrees_) {
      return;
    }
    warn(
        "this node's transport libraries differ from the submit host's ({:.12} and {:.12}): nodes "
        "with different libraries cannot work together",
        facts_.stock->digest, job_.digest_of_submission);
    findings_.back().fatal = true;
  }

  // Whether the task will have the fatal value or, for `*`, a value that differs from the advice.
  bool has_value(const NodeTransport::Fatal& fatal) const {
    const auto present = environment_.find(fatal.variable);
    if (present == environment_.end()) return false;
    if (fatal.value != "*") return present->second == fatal.value;
    const auto advised = std::ranges::find(advice_, fatal.variable, &Advice::name);
    return advised != advice_.end() && advised->value != present->second;
  }

  void check_fatal(const NodeTransport::Fatal& fatal) {
    const bool of_versions = !fatal.nccl_from.empty() || !fatal.nccl_below.empty();
    if (of_versions && nccl().empty()) return;
    if (!fatal.nccl_from.empty() && compare_versions(nccl(), fatal.nccl_from) < 0) return;
    if (!fatal.nccl_below.empty() && compare_versions(nccl(), fatal.nccl_below) >= 0) return;
    if (!fatal.plugin.empty() && (!facts_.stock || facts_.stock->plugin != fatal.plugin)) return;
    if (!fatal.architecture.empty() && facts_.architecture != fatal.architecture) return;
    if (fatal.unlimited_stack && !facts_.stack_is_unlimited) return;
    if (!fatal.variable.empty() && !has_value(fatal)) return;
    const bool of_node = of_versions || !fatal.plugin.empty() || !fatal.architecture.empty() ||
                         fatal.unlimited_stack;
    warn("{}", fatal.why);
    if (!nccl().empty() && of_versions) findings_.back().text += fmt::format(" (NCCL {})", nccl());
    findings_.back().fatal = true;
    findings_.back().everywhere = !of_node || agrees_;
  }

  const NodeProfile& profile_;
  const NodeTransport& transport_;
  const NodeFacts& facts_;
  const Environment& environment_;
  const std::vector<Advice>& advice_;
  const PreflightJob& job_;
  bool agrees_ = false;
  std::vector<Finding> findings_;
};

// Removes and returns the next number; 0 at the end. Any non-digit ends a number.
int64_t take_number(std::string_view& version) {
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(version.data(), version.data() + version.size(), number);
  version.remove_prefix(static_cast<size_t>(end - version.data()));
  if (!version.empty()) version.remove_prefix(1);
  return number;
}

}  // namespace

std::vector<Finding> judge(const NodeProfile& profile, const NodeFacts& facts,
                           const Environment& environment, const std::vector<Advice>& advice,
                           const PreflightJob& job) {
  return Judge(profile, facts, environment, advice, job).judge();
}

int compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const int64_t left = take_number(a), right = take_number(b);
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

}  // namespace slipway::nccl_env
