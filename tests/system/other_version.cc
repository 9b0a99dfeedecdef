// The agent of another version of Slipway, which speaks another protocol: what `slipway launch
// --agent` does there until it knows its launcher. launch_nodes.bats puts it into the place of
// nodes' own.
#include <chrono>
#include <cstdio>

#include "common/error.h"
#include "launcher/job/agent_connection.h"
#include "launcher/job/agent_settings.h"
#include "launcher/job/protocol.h"

int main() {
  using namespace slipway;
  try {
    const job::AgentSettings settings = job::take_agent_settings();
    const job::Orphan& orphan = settings.orphan;
    job::connect_to_launcher(orphan.launcher, orphan.port, settings.key, orphan.node,
                             std::chrono::minutes(1), {job::protocol_number + 1, "99.0"});
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  std::puts("a launcher with another protocol has accepted this agent");
  return 0;
}
