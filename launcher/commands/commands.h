// The verbs of `slipway`, one file each.
#pragma once

#include <span>
#include <string>

namespace slipway::commands {

using Args = std::span<const std::string>;  // what stands behind the verb

// Each prints results on stdout and talk on stderr, returns an exit status, and throws Error or
// UsageError.
int check(Args args);
int create(Args args);
int deploy(Args args);
int destroy(Args args);
int exec(Args args);
int expand(Args args);
int explain(Args args);
int fault(Args args);
int fetch(Args args);
int graph(Args args);
int health(Args args);
int image(Args args);
int launch(Args args);
int ledger(Args args);
int model(Args args);
int modules(Args args);
int node(Args args);
int node_restart(Args args);  // a part of it
int plan(Args args);
int quota(Args args);
int rehearse(Args args);
int schema(Args args);
int status(Args args);

struct Command {
  const char* name;
  const char* about;  // one line for `slipway --help`
  int (*run)(Args args);
};

// Every verb, in the order in which a newcomer meets them.
std::span<const Command> table();

}  // namespace slipway::commands
