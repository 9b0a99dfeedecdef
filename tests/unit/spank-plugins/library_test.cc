// Tests of the library that NCCL asks for its variables.
#include <stdlib.h>

#include <string>

#include "common/file.h"
#include "spank-plugins/nccl_library/environment.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::nccl_library;

namespace {

// The start environment of a process, as "NAME=value" lines.
class Started {
 public:
  explicit Started(std::string lines) {
    for (char& c : lines) {
      if (c == '\n') c = '\0';
    }
    slipway::write_file(folder_ / "environ", lines);
    start.read((folder_ / "environ").c_str());
  }
  Start start;

 private:
  TemporaryDirectory folder_;
};

std::string text(const char* value) {
  return value == nullptr ? "(none)" : value;
}

// Sets a variable for the duration of a test.
class Present {
 public:
  Present(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Present() { ::unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("nccl library: the marker's texts are read and unescaped") {
  Values values;
  values.read(R"({"NCCL_A":"1","NCCL_B":"a \"b\" \\ \u000a\t/","NCCL_C":""})");
  CHECK(text(values.find("NCCL_A")) == "1");
  CHECK(text(values.find("NCCL_B")) == "a \"b\" \\ \n\t/");
  CHECK(text(values.find("NCCL_C")).empty());
  CHECK(text(values.find("NCCL_D")) == "(none)");
  values.read("{}");
  CHECK(text(values.find("NCCL_A")) == "(none)");
}

TEST_CASE("nccl library: an invalid marker has no values") {
  const char* json = GENERATE("", "{", "[1]", R"({"A":1})", R"({"A":"1")", R"({"A":"\q"})",
                              R"({"A":"\u1234"})", R"({"A)", R"({"A":"\)");
  Values values;
  values.read(json);
  CHECK(text(values.find("A")) == "(none)");
  values.read(nullptr);
  CHECK(text(values.find("A")) == "(none)");
}

TEST_CASE("nccl library: the job's values win over an image's") {
  const Present image("SLIPWAY_TEST_X", "image");
  Started process("HOME=/\nSLIPWAY_TEST_X=image\n");
  Values ours;
  CHECK(text(choose("SLIPWAY_TEST_X", process.start, ours)) == "image");
  ours.read(R"({"SLIPWAY_TEST_X":"ours"})");
  CHECK(text(choose("SLIPWAY_TEST_X", process.start, ours)) == "ours");
  Started users("SLIPWAY_TEST_X=image\nSLIPWAY_NCCL_USER_SLIPWAY_TEST_X=user\n");
  CHECK(text(choose("SLIPWAY_TEST_X", users.start, ours)) == "user");
}

TEST_CASE("nccl library: changes by the program itself win over everything") {
  Values ours;
  ours.read(R"({"SLIPWAY_TEST_X":"ours"})");
  const std::string lines = "SLIPWAY_TEST_X=image\nSLIPWAY_NCCL_USER_SLIPWAY_TEST_X=user\n";
  {
    const Present program("SLIPWAY_TEST_X", "program");
    Started process(lines);
    CHECK(text(choose("SLIPWAY_TEST_X", process.start, ours)) == "program");
  }
  Started process(lines);  // and it was unset since
  CHECK(text(choose("SLIPWAY_TEST_X", process.start, ours)) == "(none)");
}

TEST_CASE("nccl library: a value of ours that the user removed stays away") {
  Started process("HOME=/\n");
  Values ours;
  ours.read(R"({"SLIPWAY_TEST_X":"ours"})");
  CHECK(text(choose("SLIPWAY_TEST_X", process.start, ours)) == "(none)");
}

TEST_CASE("nccl library: without /proc, the job's values still win") {
  const Present image("SLIPWAY_TEST_X", "image");
  Start start;
  start.read("/nowhere/environ");
  Values ours;
  ours.read(R"({"SLIPWAY_TEST_X":"ours"})");
  CHECK(text(choose("SLIPWAY_TEST_X", start, ours)) == "ours");
  const Present user("SLIPWAY_NCCL_USER_SLIPWAY_TEST_X", "user");
  CHECK(text(choose("SLIPWAY_TEST_X", start, ours)) == "user");
}

TEST_CASE("nccl library: bytes from 0x80 on are read from the marker unchanged") {
  Values values;
  values.read(R"({"NCCL_A":"\u00ff\u00e9\u0080"})");
  CHECK(text(values.find("NCCL_A")) == "\xff\xe9\x80");
}
