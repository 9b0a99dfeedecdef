// Deploys a cluster on machines that exist already.
#include "launcher/hosts/host_deploy.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "common/count.h"
#include "common/error.h"
#include "common/host_list.h"
#include "common/text.h"
#include "launcher/hosts/at_once.h"
#include "launcher/hosts/describe.h"
#include "launcher/hosts/host_packages.h"
#include "launcher/hosts/host_plan.h"
#include "launcher/hosts/ssh.h"
#include "launcher/node/join.h"

namespace slipway::hosts {
namespace {

using Clock = std::chrono::steady_clock;

// A machine on its way into the cluster.
struct Host {
  cluster::Node node;
  Inventory inventory;
  HostFacts facts;
  RemoteAnswer answer;  // of the last step
  bool is_good() const { return answer.problem.empty(); }
};

class Deploy {
 public:
  Deploy(const HostsDeployment& deployment, const HostsConsole& console)
      : deployment_(deployment),
        console_(console),
        ssh_(deployment.machines.ssh),
        table_(load_package_table(deployment.catalogue_folder)) {
    for (cluster::Node& node : cluster::nodes(deployment.cluster)) {
      hosts_.push_back({std::move(node), {}, {}, {}});
    }
  }

  std::vector<HostProblem> run() {
    look_for_packages();
    install();
    ask_for_facts();
    const HostPlan plan = make_plan();
    const node::Joined controller = join_controller(plan);
    join_others(plan, controller.key);
    leave_former(controller.former_hosts);
    wait_for_nodes();
    return problems();
  }

  std::vector<HostProblem> destroy() {
    // The controller last, so that it is there while its nodes leave.
    for (const bool is_controller : {false, true}) {
      work("leaving", [&](Host& host) {
        if ((host.node.role == "controller") != is_controller) return;
        host.answer = leave(host.node.address);
      });
    }
    return problems();
  }

 private:
  // Does something with all machines that have answered so far.
  void work(const std::string& what, const std::function<void(Host&)>& step) {
    std::vector<Host*> good;
    for (Host& host : hosts_) {
      if (host.is_good()) good.push_back(&host);
    }
    std::mutex mutex;
    size_t done = 0;
    for_each_at_once(good.size(), [&](size_t at) {
      try {
        step(*good[at]);
      } catch (const std::exception& error) {
        good[at]->answer.problem = error.what();
      }
      const std::scoped_lock lock(mutex);
      console_.show(fmt::format("{}: {} of {}", what, ++done, counted(good.size(), "machine")));
    });
    require_controller();
  }

  void require_controller() const {
    const Host& host = controller();
    if (host.is_good()) return;
    throw Error(fmt::format("the controller {}: {}{}", host.node.name, host.answer.problem,
                            host.answer.help.empty() ? "" : "; " + host.answer.help));
  }

  void look_for_packages() {
    work("asking", [&](Host& host) { look_for_packages(host); });
  }

  void look_for_packages(Host& host) const {
    host.inventory = take_inventory(table_, ssh_, host.node.address, host.node.role, host.answer);
  }

  void install() {
    std::map<std::string, std::vector<std::string>> by_packages;
    for (const Host& host : hosts_) {
      if (!host.is_good()) continue;
      const std::string packages = join(wanted_packages(host.inventory), ", ");
      if (!packages.empty()) by_packages[packages].push_back(host.node.name);
    }
    if (by_packages.empty()) return;
    print_by_text(by_packages, "to be installed: ");
    console_.require_approval("Install these packages?");
    work("installing", [&](Host& host) {
      if (wanted_packages(host.inventory).empty()) return;
      host.answer = install_packages(host.inventory, ssh_, host.node.address, deployment_.packages);
      if (host.is_good()) look_for_packages(host);
    });
  }

  // "gpu1 and gpu2: <prefix><text>": what is the same on several machines is one line.
  void print_by_text(const std::map<std::string, std::vector<std::string>>& names_by_text,
                     const std::string& prefix = "") const {
    for (const auto& [text, names] : names_by_text) {
      console_.print(fmt::format("{}: {}{}", names_of_nodes(names), prefix, text));
    }
  }

  void ask_for_facts() {
    work("describing", [&](Host& host) {
      host.answer =
          ssh_.run(host.node.address,
                   fmt::format("{} node join --facts --node {} --cluster {} --role {}",
                               shell_quote(host.inventory.slipway), shell_quote(host.node.name),
                               shell_quote(deployment_.cluster.name), host.node.role));
      if (!host.is_good()) return;
      host.facts = parse_host_facts(host.answer.output);
      host.answer.problem = why_not(host);
    });
  }

  // Why the machine cannot be in this cluster; empty if it can.
  std::string why_not(const Host& host) const {
    const HostFacts& facts = host.facts;
    if (facts.host_name != host.node.name) {
      return fmt::format(
          "it calls itself `{0}`, and Slurm finds a node by that name: write "
          "{0}={1} in `hosts`",
          facts.host_name, host.node.address);
    }
    if (facts.has_foreign_slurm) {
      return "it has a Slurm of its own (/etc/slurm/slurm.conf): see `slipway cluster describe`, "
             "or remove that file";
    }
    if (!facts.deployment.empty() && facts.deployment != deployment_.cluster.deployment) {
      return fmt::format("it is in the deployment `{}`", facts.deployment);
    }
    return {};
  }

  HostPlan make_plan() {
    std::map<std::string, HostFacts> facts;
    std::vector<std::string> added;
    std::map<std::string, std::vector<std::string>> warned, lacking;
    for (const Host& host : hosts_) {
      if (!host.is_good()) continue;
      facts.emplace(host.node.name, host.facts);
      if (host.facts.deployment.empty()) added.push_back(host.node.name);
      for (const std::string& warning : host.facts.warnings) {
        warned[warning].push_back(host.node.name);
      }
      for (const std::string& lack : host.facts.missing) lacking[lack].push_back(host.node.name);
    }
    print_by_text(warned, "warning: ");
    print_by_text(lacking);
    HostPlan plan = plan_hosts(deployment_.cluster, deployment_.catalogue,
                               cluster::load_slurm_releases(deployment_.catalogue_folder), facts);
    for (const std::string& note : plan.notes) console_.print(note);
    for (const std::string& line : left_out_on_hosts(deployment_.cluster)) {
      console_.print("not set up on these machines: " + line);
    }
    if (!added.empty()) {
      console_.require_approval(fmt::format("Make {} part of the cluster `{}`?",
                                            names_of_nodes(added), deployment_.cluster.name));
    }
    return plan;
  }

  node::JoinOrder order_for(const Host& host, const HostPlan& plan) const {
    NodeProfile profile = host.facts.profile;
    profile.deployment = deployment_.cluster.deployment;
    node::JoinOrder order;
    order.deployment = deployment_.cluster.deployment;
    order.role = host.node.role;
    order.profile = to_json(profile);
    order.files = plan.slurm_files;
    order.monitoring = deployment_.cluster.controller.monitoring;
    if (host.node.role == "compute") order.scripts = deployment_.cluster.controller.scripts;
    if (host.node.role != "controller") return order;
    for (const Host& each : hosts_) order.hosts[each.node.name] = each.node.address;
    return order;
  }

  // The machine's answer to its order; an empty one, and a problem, if it failed.
  node::Joined give_order(Host& host, const node::JoinOrder& order) const {
    host.answer = ssh_.run(host.node.address, shell_quote(host.inventory.slipway) + " node join",
                           to_json(order));
    if (!host.is_good()) return {};
    node::Joined joined = node::parse_joined(host.answer.output);
    host.answer.output.clear();  // it may have the key
    return joined;
  }

  node::Joined join_controller(const HostPlan& plan) {
    node::Joined joined;
    work("starting the controller", [&](Host& host) {
      if (host.node.role == "controller") joined = give_order(host, order_for(host, plan));
    });
    report(controller().node.name, joined);
    return joined;
  }

  void join_others(const HostPlan& plan, const std::string& key) {
    std::map<std::string, node::Joined> joined;
    std::mutex mutex;
    work("joining", [&](Host& host) {
      if (host.node.role == "controller") return;
      node::JoinOrder order = order_for(host, plan);
      order.key = key;
      node::Joined one = give_order(host, order);
      const std::scoped_lock lock(mutex);
      joined[host.node.name] = std::move(one);
    });
    std::map<std::string, std::vector<std::string>> by_text;
    for (const auto& [name, one] : joined) {
      if (!text_of(one).empty()) by_text[text_of(one)].push_back(name);
    }
    print_by_text(by_text);
  }

  void report(const std::string& name, const node::Joined& joined) const {
    if (!text_of(joined).empty()) console_.print(fmt::format("{}: {}", name, text_of(joined)));
  }

  // "wrote slurm.conf, node.json; restarted slurmd"
  static std::string text_of(const node::Joined& joined) {
    std::string text;
    if (!joined.changed.empty()) text = "wrote " + join(joined.changed, ", ");
    if (!joined.restarted.empty()) text += "; restarted " + join(joined.restarted, ", ");
    return text;
  }

  RemoteAnswer leave(const std::string& address) const {
    std::string script;
    for (const std::string& program : table_.programs) {
      script += fmt::format("[ ! -x {0} ] || exec {0} node leave {1}\n", program,
                            shell_quote(deployment_.cluster.deployment));
    }
    return ssh_.run(address, script + "echo 'Slipway is not there' >&2; exit 1");
  }

  // Machines of the deploy before that the blueprint no longer has.
  void leave_former(const std::map<std::string, std::string>& former) {
    for (const auto& [name, address] : former) {
      const bool is_there = std::ranges::any_of(
          hosts_, [&name = name](const Host& host) { return host.node.name == name; });
      if (is_there) continue;
      const RemoteAnswer answer = leave(address);
      console_.print(answer.problem.empty()
                         ? fmt::format("{}: no longer in the blueprint; it has left", name)
                         : fmt::format("{}: no longer in the blueprint, and has not left: {}", name,
                                       answer.problem));
    }
  }

  const Host& controller() const {
    return *std::ranges::find_if(hosts_,
                                 [](const Host& host) { return host.node.role == "controller"; });
  }

  // Slurm's state of each node by name; nothing if slurmctld does not answer.
  std::map<std::string, std::string> states() const {
    const RemoteAnswer answer =
        ssh_.run(controller().node.address, "sinfo --noheader --Node --format='%N %T'");
    std::map<std::string, std::string> states;
    for (const std::string& line : split(answer.output, '\n')) {
      const size_t space = line.find(' ');
      if (space != line.npos) states[line.substr(0, space)] = trim(line.substr(space));
    }
    return states;
  }

  // Of the nodes that were started, those that are not ready.
  std::vector<std::string> not_ready(const std::map<std::string, std::string>& states) const {
    std::vector<std::string> names;
    for (const Host& host : hosts_) {
      if (host.node.role != "compute" || !host.is_good()) continue;
      const auto found = states.find(host.node.name);
      const std::string state = found == states.end() ? "unknown" : found->second;
      const bool is_ready = state == "idle" || state == "mixed" || state == "allocated" ||
                            state == "completing" || state == "reserved" ||
                            state.starts_with("drain");
      if (!is_ready) names.push_back(host.node.name);
    }
    return names;
  }

  // Gives up once no further node is ready within the console's patience.
  void wait_for_nodes() {
    size_t fewest = hosts_.size() + 1;
    auto end = Clock::now() + console_.patience;
    for (;;) {
      const auto now = states();
      const std::vector<std::string> names = not_ready(now);
      if (names.empty()) return;
      if (names.size() < fewest) end = Clock::now() + console_.patience;
      fewest = std::min(fewest, names.size());
      if (Clock::now() > end) {
        blame(names, now);
        return;
      }
      console_.show(fmt::format("waiting for {}", names_of_nodes(names)));
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  }

  // What slurmd's log has last about an error; empty if there is none.
  std::string last_error_of(const Host& host) const {
    const RemoteAnswer answer =
        ssh_.run(host.node.address,
                 "grep -E 'fatal|error' /var/log/slurm/slurmd.log | tail -n 1 | cut -c 1-300");
    return std::string(trim(answer.output));
  }

  void blame(const std::vector<std::string>& names,
             const std::map<std::string, std::string>& states) {
    for (Host& host : hosts_) {
      if (std::ranges::find(names, host.node.name) == names.end()) continue;
      const std::string error = last_error_of(host);
      const auto found = states.find(host.node.name);
      host.answer.problem = found == states.end()
                                ? "slurmctld does not answer"
                                : fmt::format("Slurm says it is {} after {} s", found->second,
                                              console_.patience.count());
      host.answer.help =
          error.empty() ? "look at /var/log/slurm/slurmd.log there" : "slurmd's log has: " + error;
    }
  }

  std::vector<HostProblem> problems() const {
    std::vector<HostProblem> problems;
    for (const Host& host : hosts_) {
      if (!host.is_good()) {
        problems.push_back({host.node.name, host.answer.problem, host.answer.help});
      }
    }
    return problems;
  }

  const HostsDeployment& deployment_;
  const HostsConsole& console_;
  const Ssh ssh_;
  const PackageTable table_;
  std::vector<Host> hosts_;
};

}  // namespace

std::vector<HostProblem> deploy_on_hosts(const HostsDeployment& deployment,
                                         const HostsConsole& console) {
  return Deploy(deployment, console).run();
}

std::vector<HostProblem> destroy_on_hosts(const HostsDeployment& deployment,
                                          const HostsConsole& console) {
  return Deploy(deployment, console).destroy();
}

}  // namespace slipway::hosts
