// Asks nodes through srun.
#include "launcher/hosts/node_answers.h"

#include <fmt/core.h>

#include <chrono>
#include <set>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/hosts/at_once.h"

namespace slipway::hosts {
namespace {

constexpr std::chrono::seconds start_within{60}, answer_within{150};

NodeAnswer ask(const std::string& node, std::vector<std::string> command) {
  for (std::string& word : command) {
    if (word == "{}") word = node;
  }
  std::vector<std::string> argv{"srun",
                                "--nodelist=" + node,
                                "--nodes=1",
                                "--ntasks=1",
                                "--quiet",
                                "--mpi=none",
                                "--job-name=slipway-describe",
                                "--chdir=/",
                                fmt::format("--immediate={}", start_within.count())};
  argv.insert(argv.end(), command.begin(), command.end());
  const ProcessResult result = run_process(argv, {"", answer_within});
  if (result.ok()) return {node, result.output, ""};
  if (result.timed_out) return {node, "", "it did not answer in time"};
  return {node, result.output, reason_of_failure(result.errors)};
}

}  // namespace

std::string reason_of_failure(const std::string& errors) {
  std::vector<std::string> lines = split(trim(errors), '\n');
  const bool has_words_of_command =
      lines.size() > 1 && lines.back().starts_with("srun: error: ") &&
      lines.back().find(": task 0: Exited with exit code ") != std::string::npos;
  if (has_words_of_command) lines.pop_back();
  return lines.empty() || lines.back().empty() ? "the command failed" : lines.back();
}

std::vector<SiteNode> nodes_of_slurm() {
  std::vector<SiteNode> nodes;
  std::set<std::string> seen;
  const std::string text =
      run_checked({"sinfo", "--noheader", "--Node", "--format=%N|%T"}, {"", answer_within});
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> fields = split(line, '|');
    if (fields.size() == 2 && seen.insert(fields[0]).second)
      nodes.push_back({fields[0], fields[1]});
  }
  return nodes;
}

std::vector<NodeAnswer> ask_nodes(const std::vector<std::string>& nodes,
                                  const std::vector<std::string>& command) {
  std::vector<NodeAnswer> answers(nodes.size());
  for_each_at_once(nodes.size(), [&](size_t at) {
    try {
      answers[at] = ask(nodes[at], command);
    } catch (const std::exception& error) {
      answers[at] = {nodes[at], "", error.what()};
    }
  });
  return answers;
}

}  // namespace slipway::hosts
