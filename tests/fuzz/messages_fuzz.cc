// Fuzz target: messages between a launcher, its agents and their PMIx servers. Bytes are a message
// that encodes to the same bytes, or an error; and an agent cannot report anything about another
// node.
#include <cstdint>
#include <string>
#include <string_view>

#include "common/error.h"
#include "launcher/job/attempt.h"
#include "launcher/job/energy_tally.h"
#include "launcher/job/protocol.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/message.h"

namespace {

using namespace slipway;
using namespace slipway::job;
using fuzz::read;
using fuzz::require;

void deliver_to_attempt(const ToLauncher& message) {
  const World world = {"7", {"a", "b", "c"}, 2, 0};
  Attempt attempt(1, world, "a");
  EnergyTally energy;
  energy.begin(1, world.nodes);
  const AgentEvent event = {"b",
                            std::visit([](const auto& each) { return AgentNews(each); }, message)};
  try {
    energy.handle(event);
    if (const auto* news = std::get_if<PmixNews>(&event.news)) {
      for (const PmixDelivery& each : attempt.handle_pmix("b", *news))
        encode(PmixOrder{1, each.body});
    }
    attempt.handle(event);
  } catch (const InvalidMessage&) {
  }
  const Evidence evidence = attempt.evidence();
  for (const RankEnd& each : evidence.ends)
    require(each.node == "b" && each.rank / 2 == 1, "ends belong to the node's own ranks");
  for (const auto& [node, step] : evidence.steps)
    require(node == "b" && step >= 0, "steps belong to the node's own ranks");
}

}  // namespace

// The first byte selects the reader.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      read(decode<ToAgent>, bytes);
      break;
    case 1:
      if (const auto message = read(decode<ToLauncher>, bytes)) deliver_to_attempt(*message);
      break;
    case 2:
      read(decode<ToPmixServer>, bytes);
      break;
    case 3:
      read(decode<FromPmixServer>, bytes);
      break;
  }
  return 0;
}
