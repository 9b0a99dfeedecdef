// `slipway job show`: what an sbatch script asks for.
#include <fmt/core.h>

#include <cstdio>

#include "common/error.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/job_input.h"
#include "launcher/commands/job_page.h"
#include "launcher/commands/job_parts.h"
#include "launcher/commands/page.h"

namespace slipway::commands {

int job_show(Args args) {
  JobInput input;
  bool json = false;
  CommandLine line("slipway job show", "Show what an sbatch script asks for, with line numbers.");
  line.about(
      "It reads the script as sbatch and bash do, but runs nothing of it: nodes, tasks, GPUs and "
      "time; the variables that the script takes from its environment and those that it exports; "
      "the commands that srun and `slipway launch` start, with their containers and mounts; and "
      "restarts.\n\n"
      "A part of a value that only the running script knows is shown as the script spells it: "
      "$HOME/images. Files that the script sources are read, too, from where it says or from "
      "its own folder.");
  input.add_options(line);
  line.json("schema slipway/job/1", &json);
  line.example("slipway job show train.sbatch", "nodes, containers, commands");
  line.example("slipway job show --env IMAGE=/scratch/nemo.sqsh --json train.sbatch",
               "for another program, with a variable that you would set for sbatch");
  line.exit_status("1", "sbatch or srun would not accept the script");
  line.see_also("slipway-launch(1)");
  if (!line.parse(args)) return 0;
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const job_script::JobScript job = load_job(input, sources, diagnostics);
  show(diagnostics);
  std::fputs(json ? job_json(job, sources).c_str() : job_page(job, sources).c_str(), stdout);
  if (diagnostics.errors() > 0) throw ReportedError("the script has errors");
  return 0;
}

}  // namespace slipway::commands
