// Asks Slurm about nodes whose deep checks are due, and carries out what was planned.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "launcher/health/policy.h"
#include "launcher/node/admission.h"

namespace slipway::node {

// The names of a host list, by scontrol. Throws Error.
std::set<std::string> names_of_host_list(const std::string& host_list);

// Throws Error if slurmctld does not answer.
AdmissionView read_admission_view();

// The command that submits a job that checks nodes; the script is for its stdin.
struct CheckJob {
  std::vector<std::string> argv;
  std::string script;
};
CheckJob check_job(const NodeCheck& check, const health::Policy& policy,
                   const std::string& program);

// The command that makes the reservation contain these nodes; empty if it already does.
std::vector<std::string> reservation_command(const std::optional<std::set<std::string>>& current,
                                             const std::set<std::string>& wanted);

// Carries out a plan. Throws Error at the first command that Slurm refuses; the next run plans
// again. `say` gets a line for the log.
void carry_out(AdmissionPlan& plan, const AdmissionView& view, const health::Policy& policy,
               const std::string& program, const std::function<void(const std::string&)>& say);

// Where nobody admits nodes: deletes a reservation that an earlier policy left in slurmctld's
// state, a folder. Throws nothing.
void end_admission(const std::filesystem::path& state);

}  // namespace slipway::node
