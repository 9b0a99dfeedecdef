// Tests of what is read from the files of NCCL's profiler plugins. The recorded files are those of
// NVIDIA's inspector on a GPU; the lines of later formats follow what its sources write.
#include "launcher/job/inspector_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;

namespace {

const std::filesystem::path recorded =
    std::filesystem::path(TEST_SOURCE_ROOT) / "tests/fakes/nccl_recorded";

std::string head_of(int pid, const std::string& more = "") {
  return fmt::format(
      R"({{"header":{{"id":"0x7f","rank":1,"n_ranks":2,"nnodes":2}},)"
      R"("metadata":{{"inspector_output_format_version":"v4.0","dump_timestamp_us":5,"hostname":"n1","pid":{}{}}})",
      pid, more);
}
std::string perf(int64_t sequence, const std::string& function = "AllReduce") {
  return fmt::format(
      R"("coll_perf":{{"coll":"{}","coll_sn":{},"coll_msg_size_bytes":4096,"coll_exec_time_us":61,)"
      R"("coll_timing_source":"kernel_gpu","coll_algobw_gbs":1.500000,"coll_busbw_gbs":2.750000}})",
      function, sequence);
}
std::string whole_line(int pid, int64_t sequence) {
  return head_of(pid) + "," + perf(sequence) + "}\n";
}

// What is read of a file of process 10, which is rank 5.
std::vector<RankCollective> read_text(const std::string& text) {
  const TemporaryDirectory folder;
  write_file(folder / "n1-pid10.log", text);
  return InspectorFiles().read(folder.path(), {{10, 5}});
}
std::vector<int64_t> sequences(const std::vector<RankCollective>& seen) {
  std::vector<int64_t> all;
  for (const RankCollective& each : seen) all.push_back(each.sequence);
  return all;
}

}  // namespace

TEST_CASE("inspector files: what NVIDIA's inspector of NCCL 2.28.9 has written") {
  InspectorFiles files;
  const auto seen = files.read(recorded, {{1698, 0}, {1699, 8}});
  REQUIRE(seen.size() == 22);
  const auto first = std::ranges::find(seen, 0, &RankCollective::rank);
  CHECK(first->communicator == "0xc28aaa497c9bc2");
  CHECK(first->ranks == 2);
  CHECK(first->function == "AllReduce");
  CHECK(first->sequence == 81);
  CHECK(first->bytes == 1048576);
  CHECK(first->microseconds == 7009);
  CHECK(first->gb_per_second == 0.149604);
  CHECK(first->start_microseconds == 0);
  CHECK(first->has_ended);
  CHECK(files.read(recorded, {{1698, 0}, {1699, 8}}).empty());
  // Of another process, or of another host in a folder that hosts share.
  CHECK(InspectorFiles().read(recorded, {{698, 0}}).empty());
  CHECK(InspectorFiles().read(recorded, {{1698, 0}}, "n1").empty());
  CHECK(InspectorFiles().read(recorded, {{1698, 0}}, "inspector-vm").size() == 11);
}

TEST_CASE("inspector files: each line is read once, when it is whole") {
  const TemporaryDirectory folder;
  InspectorFiles files;
  const std::map<pid_t, int64_t> ranks = {{10, 5}};
  CHECK(files.read(folder.path() / "missing", ranks).empty());
  std::string text = whole_line(10, 1) + "\nnot JSON\n{}\n" + whole_line(10, 3);
  text.pop_back();
  write_file(folder / "n1-pid10.log", text);
  CHECK(sequences(files.read(folder.path(), ranks)) == std::vector<int64_t>{1});
  text += "\n";
  write_file(folder / "n1-pid10.log", text);
  CHECK(sequences(files.read(folder.path(), ranks)) == std::vector<int64_t>{3});
  CHECK(files.read(folder.path(), ranks).empty());
  // A new communicator after the last one has ended begins the file again.
  write_file(folder / "n1-pid10.log", whole_line(10, 7));
  CHECK(sequences(files.read(folder.path(), ranks)) == std::vector<int64_t>{7});
}

TEST_CASE(
    "inspector files: of many, the same few on each node, for how many they stand, and the last") {
  std::string few, many;
  for (int64_t sequence = 1; sequence <= 4001; sequence += 2) {  // others were below 8 KiB
    many += whole_line(10, sequence);
    if (sequence > 3000) few += whole_line(10, sequence);
  }
  const auto coarse = read_text(many), fine = read_text(few);
  CHECK(coarse.size() > 4);
  CHECK(coarse.size() < 40);
  CHECK(coarse.back().sequence == 4001);
  double all = 0;
  for (const RankCollective& each : coarse) all += static_cast<double>(each.stands_for);
  CHECK(all > 1000);
  CHECK(all < 4000);
  const std::vector<int64_t> kept = sequences(fine);
  CHECK(std::ranges::all_of(coarse, [&](const RankCollective& each) {
    return each.sequence <= 3000 || std::ranges::find(kept, each.sequence) != kept.end();
  }));
}

TEST_CASE("inspector files: functions are separate, as NCCL counts each of them") {
  const auto seen = read_text(head_of(10) + "," + perf(7) + "}\n" + head_of(10) + "," +
                              perf(7, "AllGather") + "}\n");
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].function == "AllReduce");
  CHECK(seen[1].function == "AllGather");
}

TEST_CASE("inspector files: from v4.3 on, a line of statistics has the header of those after it") {
  const std::string stats = R"(,"dump_stats":{"coll_records":2,"p2p_records":0}})";
  const std::string begin = head_of(10) + stats + "\n";
  const std::string bare = "{" + perf(1) + "}\n{" + perf(2) + "}\n";
  const auto seen = read_text(begin + bare);
  CHECK(sequences(seen) == std::vector<int64_t>{1, 2});
  CHECK(seen.at(1).communicator == "0x7f");
  CHECK(read_text(bare).empty());  // whose are they?
  CHECK(read_text(begin + "{\"coll_pe\n" + bare).empty());

  // What did not fit at once is skipped, with the header that it may have had.
  std::string long_text = begin;
  while (long_text.size() < (size_t{5} << 20))
    long_text += R"({"proxy_trace":{"steps":[1,2,3]}})"
                 "\n";
  CHECK(read_text(long_text + bare).empty());
  CHECK(read_text(long_text + begin + bare).size() == 2);
}

TEST_CASE("inspector files: messages between two ranks belong to their link") {
  const auto seen = read_text(
      head_of(10) +
      R"(,"p2p_perf":{"p2p":"Send","p2p_sn":8,"p2p_peer":0,"p2p_msg_size_bytes":524288,)"
      R"("p2p_exec_time_us":50,"p2p_timing_source":"kernel_gpu","p2p_algobw_gbs":30.0,"p2p_busbw_gbs":30.0}})"
      "\n");
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].communicator == "0x7f:0-1");
  CHECK(seen[0].ranks == 2);
  CHECK(seen[0].function == "Send");
  CHECK(seen[0].gb_per_second == 30);
  CHECK(is_message(seen[0]));
}

TEST_CASE("inspector files: Slipway's plugin adds when a rank entered, and what has yet to end") {
  const auto seen = read_text(
      head_of(10, R"(,"sampled_every":4)") +
      R"(,"coll_perf":{"coll":"AllReduce","coll_sn":8,"coll_msg_size_bytes":4,"coll_start_timestamp_us":1795718916267742,)"
      R"("coll_exec_time_us":61,"coll_timing_source":"kernel_gpu","coll_algobw_gbs":1.500000,"coll_busbw_gbs":2.750000}})"
      "\n" +
      head_of(10) +
      R"(,"coll_pending":{"coll":"AllReduce","coll_sn":9,"coll_msg_size_bytes":4,"coll_start_timestamp_us":1795718916267800}})"
      "\n");
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].start_microseconds == 1795718916267742);
  CHECK(seen[0].stands_for == 4);
  CHECK(seen[0].has_ended);
  CHECK(seen[1].sequence == 9);
  CHECK(seen[1].stands_for == 1);
  CHECK(!seen[1].has_ended);
}

TEST_CASE("inspector files: what is not as it should be is skipped") {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string line = whole_line(10, 1);
    line.replace(line.find(from), from.size(), to);
    return read_text(line + whole_line(10, 2)).size();
  };
  CHECK(with("2.750000", "\"nan\"") == 2);
  CHECK(with("\"coll_sn\":1", "\"coll_sn\":-1") == 1);
  CHECK(with("\"coll_sn\":1", "\"coll_sn\":\"1\"") == 1);
  CHECK(with("61", "-61") == 1);
  CHECK(with("61", "1e999") == 1);
  CHECK(with("AllReduce", "\\u0000") == 1);
  CHECK(with("\"0x7f\"", "\"" + std::string(100, 'x') + "\"") == 1);
  CHECK(with("\"n_ranks\":2", "\"n_ranks\":0") == 1);
  CHECK(with("\"v4.0\"", "\"" + std::string(5000, '4') + "\"") == 2);  // verbose lines are long
  CHECK(with("\"v4.0\"", "\"" + std::string(70000, '4') + "\"") == 1);
  CHECK(read_text("[]\n[[[[[[[[[[[[[[[[[[[[\n\n" + whole_line(10, 1)).size() == 1);
}

TEST_CASE("inspector files: lines of later formats are counted, and the first is named") {
  const TemporaryDirectory folder;
  InspectorFiles files;
  const std::string later =
      R"({"header":{"id":"0x7f","rank":1,"n_ranks":2,"nnodes":2},"metadata":{"inspector_output_format_version":"v5.0"},)"
      R"("rma_perf":{"rma":"Put","rma_sn":4}})";
  const std::string renamed =
      head_of(10) + R"(,"coll_perf":{"name":"AllReduce","sn":7,"microseconds":61}})";
  write_file(folder / "n1-pid10.log", later + "\n" + renamed + "\nHello\n" + whole_line(10, 3) +
                                          "{}\n"
                                          R"({"proxy_trace":{"steps":[]}})"
                                          "\n" +
                                          head_of(10) +
                                          R"(,"dump_stats":{"coll_records":0}})"
                                          "\n");
  CHECK(sequences(files.read(folder.path(), {{10, 5}})) == std::vector<int64_t>{3});
  const UnreadLines unread = files.take_unread();
  CHECK(unread.count == 3);
  CHECK(unread.first == "`rma_perf` of format v5.0");
  CHECK(files.take_unread().count == 0);
  write_file(folder / "n1-pid10.log", renamed + "\n");
  files.read(folder.path(), {{10, 5}});
  CHECK(files.take_unread().first == "`coll_perf` of format v4.0");
  // Whose these are is unknown, but not what they are.
  write_file(folder / "n1-pid10.log", "{" + perf(1) + "}\n");
  CHECK(files.read(folder.path(), {{10, 5}}).empty());
  CHECK(files.take_unread().count == 0);
}

TEST_CASE("inspector files: the part of a line at which reading goes on is not counted") {
  const TemporaryDirectory folder;
  std::string text;
  while (text.size() < (size_t{5} << 20)) text += whole_line(10, 3);
  write_file(folder / "n1-pid10.log", text);
  InspectorFiles files;
  CHECK(!files.read(folder.path(), {{10, 5}}).empty());
  CHECK(files.take_unread().count == 0);
}
