// Whether the steps of a job can run one after the other in the same pods.
#include "launcher/conversion/plan_steps.h"

#include <fmt/core.h>

#include <array>

#include "launcher/job_script/image.h"

namespace slipway::conversion {
namespace {

using job_script::JobStep;
using source::Code;
using source::Diagnostics;
using source::Span;

// The tasks that a step starts on each node; 0: as many as the job.
int64_t tasks_of(const JobStep& step, const Plan& plan, Diagnostics& diagnostics) {
  const job_script::Resources& asked = step.resources;
  if (asked.tasks_per_node) return asked.tasks_per_node.value;
  const bool on_other_nodes = asked.nodes && asked.nodes.value.most != plan.nodes;
  if (!asked.tasks || on_other_nodes) return 0;
  if (asked.tasks.value % plan.nodes == 0) return asked.tasks.value / plan.nodes;
  diagnostics
      .error(Code::no_equivalent, asked.tasks.place,
             fmt::format("{} tasks cannot be spread evenly over {} nodes", asked.tasks.value,
                         plan.nodes))
      .help("use --ntasks-per-node");
  return 0;
}

void check_nodes(const JobStep& step, const Plan& plan, Diagnostics& diagnostics) {
  const job_script::Asked<job_script::NodeCount>& nodes = step.resources.nodes;
  if (!nodes || nodes.value.most == plan.nodes) return;
  diagnostics
      .error(Code::no_equivalent, nodes.place,
             fmt::format("a step on {} of {} nodes: in {}, every step runs on all nodes",
                         nodes.value.most, plan.nodes, words_of(plan.place.format).pods))
      .help("do the work in a script of its own, or test `[ \"$SLURM_NODEID\" = 0 ]` in the tasks");
}

}  // namespace

void check_steps(const job_script::JobScript& job, Plan& plan, Diagnostics& diagnostics) {
  if (job.steps.empty()) {
    diagnostics
        .error(Code::no_equivalent, {job.text.begin, job.text.begin + 1},
               fmt::format("the script starts no tasks with srun, so it would run once in each of "
                           "the {}",
                           words_of(plan.place.format).pods))
        .help("start the program with srun");
    return;
  }
  const JobStep& first = job.steps[0];
  const job_script::StepImage image = image_of(job, first);
  for (const JobStep& step : job.steps) {
    const Span place = step.command.called_place();
    check_nodes(step, plan, diagnostics);
    const int64_t tasks = tasks_of(step, plan, diagnostics);
    if (&step == &first && tasks > 0) plan.tasks_per_node = tasks;
    if (step.command.in_background) {
      diagnostics
          .error(Code::no_equivalent, place,
                 fmt::format("a step in the background: in {}, one step runs after the other",
                             words_of(plan.place.format).pods))
          .help("start it in a script of its own, or from the program itself");
    }
    if (&step == &first) continue;
    const bool other_tasks = tasks > 0 && tasks != plan.tasks_per_node;
    const bool other_image = image_of(job, step).asked.text != image.asked.text;
    if (!other_tasks && !other_image && step.is_launch == first.is_launch) continue;
    diagnostics
        .error(Code::no_equivalent, place,
               fmt::format("this step has {} than the first, and all steps share the same {}",
                           other_image   ? "another image"
                           : other_tasks ? "another number of tasks"
                                         : "another launcher",
                           words_of(plan.place.format).pods))
        .other(first.command.called_place(), "the first step")
        .help("write a script for each");
  }
}

}  // namespace slipway::conversion
