// Tests of the parts of the profiler plugin: its lines, and its file.
#include "common/file.h"
#include "spank-plugins/nccl_profiler/dump_file.h"
#include "spank-plugins/nccl_profiler/line.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::nccl_profiler;

namespace {

template <class Write>
std::string written(const Write& write, size_t room = 1000) {
  std::string space(room, '?');
  Text text(space.data(), space.size());
  write(text);
  return {text.data(), text.size()};
}

}  // namespace

TEST_CASE("nccl profiler: numbers are written alike under every locale") {
  CHECK(written([](Text& text) { text << INT64_MIN << " " << 0 << " " << UINT64_MAX; }) ==
        "-9223372036854775808 0 18446744073709551615");
  CHECK(written([](Text& text) {
          text.hexadecimal(0) << " ";
          text.hexadecimal(0xc28a0f);
        }) == "0 c28a0f");
  CHECK(written([](Text& text) {
          text.millionths(1500001) << " ";
          text.millionths(7);
        }) == "1.500001 0.000007");
  CHECK(written([](Text& text) { text << "too long"; }, 3) == "too");
}

TEST_CASE("nccl profiler: the longest line fits") {
  Author author = {};
  std::fill(author.host, author.host + sizeof author.host - 1, 'h');
  author.process = INT32_MAX;
  Ended ended = {{"ReduceScatter12", UINT64_MAX, UINT64_MAX, INT64_MAX},
                 1,
                 Timing::collective_cpu,
                 UINT64_MAX};
  const std::string line = written([&](Text& text) {
    write_ended(text, author, INT64_MAX, {UINT64_MAX, 1 << 30, 1 << 30, 1 << 30}, ended);
  });
  CHECK(line.size() < longest_line);
  CHECK(line.ends_with("}}\n"));
}

TEST_CASE("nccl profiler: the sizes of NCCL's types") {
  CHECK(bytes_of("ncclInt8") == 1);
  CHECK(bytes_of("ncclBfloat16") == 2);
  CHECK(bytes_of("ncclFloat64") == 8);
  CHECK(bytes_of("ncclFloat8e4m3") == 1);
  CHECK(bytes_of("Unknown") == 0);
  CHECK(bytes_of(nullptr) == 0);
}

TEST_CASE("nccl profiler: a full file starts again, and a relative folder stays where it was") {
  TemporaryDirectory folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  ::unsetenv("NCCL_INSPECTOR_DUMP_DIR");
  ::setenv("SLURM_JOBID", "17", 1);
  DumpFile file;
  const char* why = nullptr;
  REQUIRE(file.prepare(why));
  std::filesystem::current_path(before);
  ::unsetenv("SLURM_JOBID");
  CHECK(std::filesystem::path(file.path()).parent_path().filename() == "nccl-inspector-17");
  const auto add = [&](const std::string& text) {
    REQUIRE(file.open(why, 10));
    REQUIRE(file.write(text.data(), text.size(), why));
    file.close();
    return slipway::read_file(file.path());
  };
  CHECK(add("123456") == "123456");
  CHECK(add("7890") == "1234567890");
  CHECK(add("again") == "again");
}
