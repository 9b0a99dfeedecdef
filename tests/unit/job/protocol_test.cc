#include "launcher/job/protocol.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::job;

namespace {

const Start sample_start = {3,
                            {"./train.sh", "--steps", "7"},
                            {{"A", "1"}, {"B", ""}},
                            {"NODES"},
                            {"SLURM_GTIDS"},
                            {{4, {{"RANK", "4"}}}, {5, {{"RANK", "5"}}}},
                            {"slipway.7.3", {"a", "b"}, 1, 2}};

// Encodes a decoded message again and compares the bytes.
template <class Message>
void check_both_ways(const Message& message) {
  const std::string bytes = encode(message);
  CHECK(encode(decode<Message>(bytes)) == bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto begun = std::string_view(bytes).substr(0, size);
    CHECK_THROWS_WITH(decode<Message>(begun), "it ends too early");
  }
  CHECK_THROWS_WITH(decode<Message>(bytes + "x"), "1 bytes too many");
}

std::string error_of(const std::string& bytes) {
  try {
    decode<ToLauncher>(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The message with its last number, of eight bytes, replaced.
std::string with_last_number(std::string bytes, int64_t number) {
  for (size_t i = 0; i < 8; ++i)
    bytes[bytes.size() - 1 - i] = static_cast<char>((number >> (8 * i)) & 0xff);
  return bytes;
}

}  // namespace

TEST_CASE("protocol: every message to an agent reads back as written") {
  for (const ToAgent& each : std::initializer_list<ToAgent>{
           LauncherBeat{}, AskRas{1}, sample_start, Stop{2000}, Signal{10},
           Requeue{"7", {"a", "b"}, "why"}, Report{"7", 2, health::Cause::xid, "79"},
           PmixOrder{1, PmixFenced{{0, 3}, -47, "bytes"}}, PmixOrder{1, PmixGet{1, 2, "b"}},
           PmixOrder{1, PmixGot{2, 0, std::string("\0\1", 2)}}, End{},
           CheckpointOrder{std::string("a\0b", 3)}}) {
    check_both_ways(each);
  }
}

TEST_CASE("protocol: every message from an agent reads back as written") {
  for (const ToLauncher& each : std::initializer_list<ToLauncher>{
           Beat{1, {{0, 12, 10}, {1, 11}}}, TaskText{7, 2, std::string("a\0b", 3)},
           Ended{1, 7, 0, 9, true, "killed"},
           Stopped{1, {{3, "python3 is stopped"}}, {"h"}, {"k", ""}, {}, {"gpu"}}, Energy{2, 1.5},
           Energy{2, {}}, Health{1, {"drained"}}, job::StepSignal{15},
           PmixNews{1, PmixFence{{}, "x"}}, PmixNews{1, PmixWant{3, 4}},
           PmixNews{1, PmixHave{"a", 4, 0, "y"}}, PmixNews{1, PmixNone{"no libpmix"}},
           Refused{"no"}, job::Ports{20000, 65535},
           Watched{1,
                   5e15,
                   {{0, 1.5, 2, 3, 'T', "do_wait"}},
                   {{"c", 0, 2, 7, 12.5, 90, "AllReduce", 4096, 4e15, 16, true}},
                   {3, "`x_perf` of format v9"}},
           CheckpointNews{std::string("a\0b", 3)}, RasSaid{1, true, {"rank 1 of 2 is missing"}},
           RasSaid{2, false, {}}}) {
    check_both_ways(each);
  }
}

TEST_CASE("protocol: an agent and its PMIx server understand each other") {
  for (const ToPmixServer& each : std::initializer_list<ToPmixServer>{
           sample_start.pmix, PmixRelease{1}, PmixFenced{{}, 0, "b"}, PmixGet{0, 0, "n"},
           PmixGot{0, 0, ""}}) {
    check_both_ways(each);
  }
  for (const FromPmixServer& each : std::initializer_list<FromPmixServer>{
           PmixReady{{{{"PMIX_RANK", "0"}}, {}}}, PmixAbort{1, -1, "abort"}, PmixNone{"t"},
           PmixFence{{1, 2}, ""}, PmixWant{1, 1}, PmixHave{"n", 0, 0, ""},
           PmixLog{1, 2, "text\n"}}) {
    check_both_ways(each);
  }
}

TEST_CASE("protocol: values arrive as sent") {
  const auto read = std::get<Start>(decode<ToAgent>(encode(sample_start)));
  CHECK(read.attempt == 3);
  CHECK(read.command == sample_start.command);
  CHECK(read.set == sample_start.set);
  CHECK(read.set_to_nodes == sample_start.set_to_nodes);
  CHECK(with_lists_of_nodes(read).set.at("NODES") == "a,b");
  CHECK(read.tasks.at(1).rank == 5);
  CHECK(read.tasks.at(1).set == sample_start.tasks[1].set);
  CHECK(read.pmix.nodes == sample_start.pmix.nodes);
  const auto end = std::get<Ended>(decode<ToLauncher>(encode(Ended{1, 7, 3, 9, true, "w"})));
  CHECK(end.rank == 7);
  CHECK(end.code == 3);
  CHECK(end.signal == 9);
  CHECK(end.by_agent);
  CHECK(end.last_output == "w");
}

TEST_CASE("protocol: invalid input is reported, and allocates nothing") {
  CHECK(error_of("") == "it ends too early");
  CHECK(error_of("\x7f") == "unknown kind 127");
  CHECK(error_of(with_last_number(encode(job::StepSignal{15}), 65)) == "65, expected 1 to 64");
  CHECK(error_of(with_last_number(encode(job::StepSignal{15}), 0)) == "0, expected 1 to 64");
  CHECK(error_of(with_last_number(encode(Beat{1, {{0, 1}}}), -1)) ==
        "-1, expected 0 to 9223372036854775807");
  std::string ended = encode(Ended{1, 7, 0, 0, false, ""});
  ended[ended.size() - 5] = 2;
  CHECK(error_of(ended) == "2, expected yes or no");
  ended[16] = 0x7f;  // the lowest but seven of the rank's bytes is at 9
  CHECK(error_of(ended) == "2, expected yes or no");
  ended[9] = 1;
  CHECK(error_of(ended) == "72057594037928063, expected 0 to 16777215");
  // Four billion texts, in nine bytes.
  std::string health = encode(Health{1, {}});
  for (size_t i = health.size() - 4; i < health.size(); ++i) health[i] = '\xff';
  CHECK(error_of(health) == "4294967295 items or bytes, expected at most 65536");
  std::string energy = encode(Energy{1, 0.0});
  for (size_t i = energy.size() - 8; i < energy.size(); ++i) energy[i] = '\x7f';
  energy[energy.size() - 7] = '\xf0';
  CHECK(error_of(energy) == "a number that is not finite");
}

TEST_CASE("protocol: text that a system call would cut is rejected; names are sorted and unique") {
  std::string order = encode(Requeue{"7", {"node-1"}, ""});
  order[order.find("de-1")] = '\0';
  CHECK_THROWS_WITH(decode<ToAgent>(order), "a text with a zero byte");
  CHECK_THROWS_WITH(encode(Requeue{std::string("7\0", 2), {}, ""}),
                    "a text with a zero byte cannot be sent");
  Start two = sample_start;
  two.set = {{"X", ""}, {"Y", ""}};
  std::string bytes = encode(two);
  bytes[bytes.find('X')] = 'Y';
  CHECK_THROWS_WITH(decode<ToAgent>(bytes), "names out of order");
}

TEST_CASE("protocol: texts for people are cut, anything else that is too large is rejected") {
  const auto read =
      std::get<Refused>(decode<ToLauncher>(encode(Refused{std::string(100'000, 'x')})));
  CHECK(read.text.size() == 65536);
  CHECK_THROWS_WITH(encode(TaskText{most_ranks, 1, ""}), "16777216 cannot be sent");
  CHECK_THROWS_WITH(encode(TaskText{0, 1, std::string((1 << 20) + 1, 'x')}),
                    "1048577 items or bytes cannot be sent");
}
