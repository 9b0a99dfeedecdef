// Writes one message of every kind to a folder, as seeds for the fuzzer: seed_messages FOLDER
#include <fmt/core.h>

#include <filesystem>
#include <string>

#include "common/file.h"
#include "common/handshake.h"
#include "launcher/job/protocol.h"

using namespace slipway;
using namespace slipway::job;

namespace {

std::filesystem::path folder;
int number = 0;

// `reader` is the selector in messages_fuzz.cc.
template <class Message>
void seed(char reader, const std::initializer_list<Message>& messages) {
  for (const Message& each : messages)
    write_file(folder / fmt::format("message-{:02}", number++), reader + encode(each));
}

}  // namespace

int main(int, char** arguments) {
  folder = arguments[1];
  std::filesystem::create_directories(folder);
  const PmixWorld world = {"slipway.7.1", {"a", "b", "c"}, 1, 2};
  seed<ToAgent>(
      0,
      {LauncherBeat{},
       Start{1, {"./train"}, {{"A", "1"}}, {"N"}, {"B"}, {{2, {{"RANK", "2"}}}}, world}, Stop{2000},
       Signal{10}, Requeue{"7", {"a"}, "why"}, Report{"7", 1, health::Cause::xid, "79"},
       PmixOrder{1, PmixFenced{{0, 2}, 0, "x"}}, PmixOrder{1, PmixGet{2, 0, "a"}},
       PmixOrder{1, PmixGot{0, -47, ""}}, End{}, CheckpointOrder{"order"}, AskRas{1}});
  seed<ToLauncher>(
      1, {Beat{1, {{2, 5}, {3, 6}}}, TaskText{2, 1, "hello\n"}, Ended{1, 2, 1, 0, false, "error"},
          Stopped{1, {{2, "stopped"}}, {"held"}, {"kernel"}, {"broken"}, {"unfit"}}, Energy{1, 2.5},
          Health{1, {"drained"}}, StepSignal{15}, PmixNews{1, PmixFence{{2, 3}, "x"}},
          PmixNews{1, PmixWant{4, 0}}, PmixNews{1, PmixHave{"a", 0, 0, "y"}},
          PmixNews{1, PmixNone{"no"}}, Refused{"no"}, Ports{20000, 20001},
          Watched{1,
                  5e15,
                  {{0, 1.5, 2, 3, 'T', "do_wait"}},
                  {{"c", 0, 2, 7, 12.5, 90, "AllReduce", 4096, 4e15, 16, true}},
                  {3, "`x_perf` of format v9"}},
          CheckpointNews{"news"}, RasSaid{1, true, {"rank 1 is missing"}}});
  seed<ToPmixServer>(2, {world, PmixRelease{2}});
  seed<FromPmixServer>(
      3, {PmixReady{{{{"PMIX_RANK", "2"}}}}, PmixAbort{2, 1, "abort"}, PmixLog{2, 2, "log"}});
  const std::string greeting = make_greeting(this_program());
  write_file(folder / "greeting", greeting);
  write_file(folder / "answer", make_answer({}, "seed", this_program(), greeting, "a"));
}
