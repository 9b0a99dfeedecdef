// Collects a deployment's state from its folder, its supervisor and Slurm.
#include "launcher/local/deployment_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/locale_text.h"
#include "common/secret.h"
#include "common/text.h"
#include "common/utc.h"
#include "launcher/local/control.h"
#include "launcher/local/journal.h"
#include "launcher/local/wait_for_nodes.h"
#include "launcher/node/service_record.h"

namespace slipway::local {
namespace {

using nlohmann::json;

// A folder whose creation was interrupted has no description, and so no nodes.
void read_description(DeploymentView& view) {
  if (!std::filesystem::exists(view.folder.description())) return;
  const json description = json::parse(read_file(view.folder.description()));
  for (const json& node : description.at("nodes")) {
    view.nodes.push_back(
        {node.at("name"), node.at("role"), node.at("machine_type"), node.at("address"), false, ""});
    view.nodes.back().image = node.value("image", "");  // older versions did not write it
  }
}

// A supervisor answers within milliseconds unless it is blocked in the kernel.
constexpr std::chrono::milliseconds longest_request{800};
// Keeps `slipway status` fast even if the controller hangs.
constexpr std::chrono::milliseconds longest_question{700};

std::string time_text(std::chrono::system_clock::time_point time) {
  return utc_text(std::chrono::system_clock::to_time_t(time), ' ');
}

std::string state_in(const json& answer, const DeploymentFolder& folder) {
  if (!answer.at("kept")) return "starting";
  if (!is_complete(folder)) return "unfinished";
  return answer.value("changing", false) ? "changing" : "running";
}

void ask_supervisor(DeploymentView& view) {
  try {
    const json answer = request(view.folder, {{"request", "status"}}, longest_request);
    std::map<std::string, const json*> rows;
    for (const json& node : answer.at("nodes")) rows[node.at("name")] = &node;
    for (NodeView& node : view.nodes) {
      const auto row = rows.find(node.name);
      if (row == rows.end()) continue;
      node.running = row->second->at("running");
      node.faults = row->second->at("faults");
    }
    view.slurm_silent_since = answer.value("slurm_silent_since", "");
    view.state = state_in(answer, view.folder);
  } catch (const Error&) {
    view.state = view.folder.run_state() == RunState::running ? "silent" : "dead";
  }
}

struct Answer {
  bool came = false;
  std::vector<std::vector<std::string>> lines;
  std::string wrong;  // the last line of the error output
};

// Runs a Slurm command on the controller.
Answer ask_slurm_for(const DeploymentView& view, std::vector<std::string> argv) {
  NodeCommand command;
  command.argv = std::move(argv);
  Answer answer;
  try {
    const ProcessResult result =
        run_on_node(view.folder, view.nodes.front().name, command, longest_question);
    answer.came = result.ok();
    const std::string_view said = trim(result.errors);
    answer.wrong = said.substr(said.rfind('\n') + 1);
    if (!answer.came) return answer;
    for (const std::string& line : split(trim(result.output), '\n')) {
      answer.lines.push_back(split(line, '|'));
    }
  } catch (const Error& error) {
    answer.wrong = error.what();
  }
  return answer;
}

// Records why Slurm does not answer: daemons that are not running, from the records of the
// controller's PID 1, or the errors of Slurm's commands.
void note_silence(DeploymentView& view, const std::string& wrong) {
  view.slurm.answers = false;
  auto since = std::chrono::system_clock::now();
  std::vector<std::string> missing;
  if (!view.nodes.front().running) {
    missing.push_back(fmt::format("node {} is off", view.nodes.front().name));
  }
  for (const auto& [name, record] :
       node::read_service_records(view.folder.log(view.nodes.front().name))) {
    if (record.runs || !view.nodes.front().running) continue;
    missing.push_back(fmt::format("{} is not running ({})", name, record.how));
    since = std::min(since, record.since);
  }
  view.slurm.since = time_text(since);
  if (missing.empty() && !view.slurm_silent_since.empty()) {
    view.slurm.since = view.slurm_silent_since;
  }
  view.slurm.why = missing.empty() ? wrong : join(missing, ", ");
  if (view.slurm.why.empty()) {
    view.slurm.why =
        fmt::format("it is running but did not answer within {} ms", longest_question.count());
  }
}

// The supervisor keeps it for the next `slipway status`.
void remember_silence(const DeploymentView& view) {
  const std::string since = view.slurm.answers ? "" : view.slurm.since;
  if (since == view.slurm_silent_since) return;
  try {
    request(view.folder, {{"request", "status"}, {"slurm_silent_since", since}}, longest_request);
  } catch (const Error&) {
    // The supervisor has just ended.
  }
}

}  // namespace

DeploymentView view(const DeploymentFolder& folder) {
  DeploymentView view{folder, folder.name(), "dead", {}, {}};
  const RunState state = folder.require_present();
  read_description(view);
  if (state == RunState::running) ask_supervisor(view);
  if (view.state == "dead" && !is_complete(folder)) view.state = "unfinished";
  return view;
}

void ask_slurm(DeploymentView& view) {
  std::map<std::string, NodeView*> known;
  for (NodeView& node : view.nodes) {
    known[node.name] = &node;
    if (node.role == "compute") node.slurm_state = "unknown";
  }
  if (view.nodes.empty()) return;
  auto nodes = std::async(std::launch::async, [&] {
    return ask_slurm_for(view, {"sinfo", "-h", "-N", "-o", "%N|%T|%R|%E"});
  });
  // Names of jobs may have lines of their own, but not with this mark.
  const std::string mark = to_hex(random_secret());
  const Answer jobs = ask_slurm_for(view, {"squeue", "-h", "-o", mark + "|%i|%T|%D|%R|%j"});
  const Answer states = nodes.get();
  view.slurm.asked = true;
  if (!jobs.came || !states.came) {
    note_silence(view, states.wrong.empty() ? jobs.wrong : states.wrong);
  }
  remember_silence(view);
  // One line for each partition of a node.
  for (const auto& line : states.lines) {
    const auto node = line.size() < 4 ? known.end() : known.find(line[0]);
    if (node == known.end()) continue;
    node->second->slurm_state = line[1];
    node->second->partitions.push_back(line[2]);
    const std::string reason = join({line.begin() + 3, line.end()}, "|");
    // Since 24.11, Slurm keeps its own reason ("Not responding", "SlurmdSpoolDir is full") of a
    // node that is back in service.
    const bool is_past = usable_states.contains(line[1]);
    node->second->reason = reason == "none" || is_past ? "" : reason;
  }
  for (const auto& line : jobs.lines) {
    if (line.size() < 6 || line[0] != mark) continue;
    const std::string name = join({line.begin() + 5, line.end()}, "|");
    view.jobs.push_back(
        {line[1], without_controls(name), line[2], to_number<int>(line[3]).value_or(0), line[4]});
  }
}

std::string remark(const DeploymentView& view) {
  const std::string& name = view.name;
  if (view.state == "dead") {
    return fmt::format(
        "its supervisor was killed or the host was restarted; `slipway deploy` restarts it with "
        "its files, `slipway destroy {}` removes it",
        name);
  }
  if (view.state == "silent") return "its supervisor does not answer; it may be stopped";
  if (view.state == "unfinished") {
    return fmt::format(
        "its deploy or destroy was interrupted; `slipway destroy {}` removes the rest, and "
        "`slipway deploy` does so first",
        name);
  }
  return "";
}

std::string slurm_remark(const DeploymentView& view) {
  if (view.slurm.answers) return "";
  return fmt::format("slurmctld has not answered since {}: {}", view.slurm.since, view.slurm.why);
}

bool needs_attention(const DeploymentView& view) {
  if (!view.runs() || !view.slurm.answers) return true;
  return std::ranges::any_of(view.nodes, [](const NodeView& node) {
    // sinfo's marks: powered down, powering down, powering up, to be powered down.
    const bool off_by_slurm = node.slurm_state.find_first_of("~%#!") != std::string::npos;
    return !node.reason.empty() || !node.faults.empty() || (!node.running && !off_by_slurm);
  });
}

std::string resolve_node(const DeploymentView& view, const std::string& typed) {
  std::vector<std::string> names, ends;
  for (const NodeView& node : view.nodes) {
    if (node.name == typed) return typed;
    if (node.name.ends_with("-" + typed)) ends.push_back(node.name);
    names.push_back(node.name);
  }
  if (ends.size() == 1) return ends.front();
  const auto of_role = std::ranges::find(view.nodes, typed, &NodeView::role);
  if (of_role != view.nodes.end()) return of_role->name;
  const std::string guess = nearest(typed, names);
  throw Error(
      guess.empty()
          ? fmt::format("deployment `{0}` has no node `{1}`; `slipway status {0}` lists its nodes",
                        view.name, typed)
          : fmt::format("deployment `{}` has no node `{}`; did you mean `{}`?", view.name, typed,
                        guess));
}

json to_json(const DeploymentView& view) {
  json nodes = json::array(), jobs = json::array();
  for (const NodeView& node : view.nodes) {
    nodes.push_back({{"name", node.name},
                     {"role", node.role},
                     {"machine_type", node.machine_type},
                     {"address", node.address},
                     {"running", node.running},
                     {"slurm_state", node.slurm_state},
                     {"reason", node.reason},
                     {"partitions", node.partitions},
                     {"faults", node.faults},
                     {"image", node.image}});
  }
  for (const JobView& job : view.jobs) {
    jobs.push_back({{"id", job.id},
                    {"name", job.name},
                    {"state", job.state},
                    {"nodes", job.nodes},
                    {"node_list", job.node_list}});
  }
  const bool jobs_known = view.slurm.asked && view.slurm.answers;
  return {{"schema", "slipway/status/1"},
          {"deployment", view.name},
          {"state", view.state},
          {"slurm",
           {{"asked", view.slurm.asked},
            {"answers", jobs_known},
            {"silent_since", view.slurm.since},
            {"why", view.slurm.why}}},
          {"nodes", std::move(nodes)},
          {"jobs", jobs_known ? std::move(jobs) : json(nullptr)}};
}

json to_json(const std::vector<DeploymentView>& views) {
  json all = json::array();
  for (const DeploymentView& view : views) all.push_back(to_json(view));
  return all;
}

}  // namespace slipway::local
