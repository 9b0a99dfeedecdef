// Fuzz target: what a launcher, its agents and their PMIx servers read from one another. Bytes are
// a message that is written as the same bytes, or an error; and no agent can say anything of a node
// that is not its own.
#include <cstdint>
#include <string>
#include <string_view>

#include "common/error.h"
#include "launcher/job/attempt.h"
#include "launcher/job/energy_tally.h"
#include "launcher/job/protocol.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway;
using namespace slipway::job;
using fuzz::require;

template <class Message>
std::optional<Message> read(std::string_view bytes) {
  try {
    Message message = decode<Message>(bytes);
    require(encode(message) == bytes, "a message that was read is written as it was");
    return message;
  } catch (const Error&) {
    return std::nullopt;  // it is none, and that was said
  }
}

void tell_attempt(const ToLauncher& message) {
  const World world = {"7", {"a", "b", "c"}, 2, 0};
  Attempt attempt(1, world, "a");
  EnergyTally energy;
  energy.begin(1, world.nodes);
  const AgentEvent event = {"b",
                            std::visit([](const auto& each) { return AgentNews(each); }, message)};
  try {
    energy.hear(event);
    if (const auto* news = std::get_if<PmixNews>(&event.news)) {
      for (const PmixDelivery& each : attempt.hear_pmix("b", *news))
        encode(PmixOrder{1, each.body});
    }
    attempt.hear(event);
  } catch (const InvalidMessage&) {
  }
  const Evidence evidence = attempt.evidence();
  for (const RankEnd& each : evidence.ends)
    require(each.node == "b" && each.rank / 2 == 1, "ends are of the node's own ranks");
  for (const auto& [node, step] : evidence.steps)
    require(node == "b" && step >= 0, "steps are of the node's own ranks");
}

}  // namespace

// The first byte says who reads.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      read<ToAgent>(bytes);
      break;
    case 1:
      if (const auto message = read<ToLauncher>(bytes)) tell_attempt(*message);
      break;
    case 2:
      read<ToPmixServer>(bytes);
      break;
    case 3:
      read<FromPmixServer>(bytes);
      break;
  }
  return 0;
}
