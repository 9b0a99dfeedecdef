// The verbs of `slipway`, one file each, and the table that lists them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/command_description.h"

namespace slipway::commands {

using Args = std::span<const std::string>;  // what follows the verb

// Each prints results on stdout and messages on stderr, returns an exit status, and throws Error
// or UsageError.
int check(Args args);
int cluster(Args args);
int complete(Args args);
int completion(Args args);
int create(Args args);
int deploy(Args args);
int destroy(Args args);
int doctor(Args args);
int exec(Args args);
int expand(Args args);
int explain(Args args);
int fault(Args args);
int fetch(Args args);
int format(Args args);  // `slipway fmt`
int graph(Args args);
int health(Args args);
int help(Args args);
int container(Args args);
int image(Args args);
int job(Args args);
int launch(Args args);
int ledger(Args args);
int lsp(Args args);
int metrics(Args args);
int migrate(Args args);
int model(Args args);
int modules(Args args);
int node(Args args);
int node_import_history(Args args);  // a part of `node`
int node_restart(Args args);         // a part of `node`
int node_scripts(Args args);         // a part of `node`
int plan(Args args);
int quota(Args args);
int rehearse(Args args);
int run(Args args);
int report(Args args);
int schema(Args args);
int status(Args args);
int tell(Args args);
int version(Args args);

struct Command {
  const char* name;
  const char* group;  // the heading in `slipway help`
  int (*run)(Args args);
};

// Every verb, by group, in the order in which a newcomer meets them.
std::span<const Command> table();

// The verb of this name. Throws UsageError with a suggestion, also for the verbs of other tools.
const Command& find_command(const std::string& verb);

// What the command line of a verb, or of a part of it such as {"boot"} of `node`, takes.
CommandDescription description_of(const Command& command, std::vector<std::string> parts = {});

// What `slipway help` prints, and the short text for `slipway` alone.
std::string overview();
std::string first_steps();

// "slipway 0.1.0 (commit 0123456789ab), for Slurm 22.05, modules of Cluster Toolkit v1.95.0".
std::string version_text();

}  // namespace slipway::commands
