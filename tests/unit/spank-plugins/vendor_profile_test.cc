// Tests of the vendor profile: what is taken from a shell script, and what never is.
#include "spank-plugins/nccl_env/vendor_profile.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::nccl_env;
using Variables = std::vector<std::pair<std::string, std::string>>;

namespace {

const std::map<std::string, std::string> inputs = {{"NCCL_LIB_DIR", "/opt/lib"},
                                                   {"gpu_nics", "enp6s0,enp7s0"}};

VendorVariables parse(const std::string& text) {
  return parse_vendor_profile(text, inputs);
}

}  // namespace

TEST_CASE("vendor profile: plain exports are taken in order, with all kinds of quotes") {
  const VendorVariables vendor = parse(
      "# a comment\n"
      "export NCCL_A=1\n"
      "export NCCL_B='two words'   # why\n"
      "  export\tNCCL_C=\"x\"y'z'\n"
      "export NCCL_D=\n");
  CHECK(vendor.variables ==
        Variables{{"NCCL_A", "1"}, {"NCCL_B", "two words"}, {"NCCL_C", "xyz"}, {"NCCL_D", ""}});
  CHECK(vendor.skipped.empty());
}

TEST_CASE("vendor profile: known variables are replaced, inside and outside quotes") {
  const VendorVariables vendor = parse(
      "export NCCL_TUNER_CONFIG_PATH=${NCCL_LIB_DIR}/tuner.textproto\n"
      "export NCCL_FASTRAK_IFNAME=\"${gpu_nics}\"\n"
      "export NCCL_A=\"$NCCL_TUNER_CONFIG_PATH.bak\"\n"
      "export NCCL_B='$NCCL_LIB_DIR'\n");
  CHECK(vendor.variables == Variables{{"NCCL_TUNER_CONFIG_PATH", "/opt/lib/tuner.textproto"},
                                      {"NCCL_FASTRAK_IFNAME", "enp6s0,enp7s0"},
                                      {"NCCL_A", "/opt/lib/tuner.textproto.bak"},
                                      {"NCCL_B", "$NCCL_LIB_DIR"}});
}

TEST_CASE("vendor profile: if a variable is set twice, the last value wins") {
  CHECK(parse("export NCCL_A=1\nexport NCCL_B=2\nexport NCCL_A=3\n").variables ==
        Variables{{"NCCL_B", "2"}, {"NCCL_A", "3"}});
  const VendorVariables unclear = parse("export NCCL_A=1\nexport NCCL_A=$(hostname)\n");
  CHECK(unclear.variables.empty());
  CHECK(unclear.skipped == std::vector<int>{2});
}

TEST_CASE("vendor profile: a line that needs a real shell is skipped and reported") {
  const std::string line = GENERATE(
      "export NCCL_A=$(touch /tmp/owned)", "export NCCL_A=`id`", "export NCCL_A=${X:-1}",
      "export NCCL_A=$unknown", "export NCCL_A=1; rm -rf /", "export NCCL_A=1 NCCL_B=2",
      "export NCCL_A=1 && true", "export NCCL_A=a*", "export NCCL_A=~/x", "export NCCL_A=\"open",
      "export NCCL_A='open", "export NCCL_A=a\\ b", "export NCCL_A=1|cat", "export NCCL_A=1>f",
      "NCCL_A=1", "declare -x NCCL_A=1", "source /tmp/other.sh", ". /tmp/other.sh",
      "eval export NCCL_A=1", "[ -e /x ] && export NCCL_A=1", "export NCCL_A=$((1 + 1))",
      "export NCCL_A=<(id)", "export NCCL_A=1 \\", ": \"${NCCL_A:=1}\"", "unset NCCL_A");
  CAPTURE(line);
  const VendorVariables vendor = parse("export NCCL_Z=1\n" + line + "\n");
  CHECK(vendor.variables == Variables{{"NCCL_Z", "1"}});
  CHECK(vendor.skipped == std::vector<int>{2});
}

TEST_CASE("vendor profile: code that may not run is not taken") {
  const std::string block = GENERATE(
      "if [ -e /x ]; then\nexport NCCL_A=1\nfi", "f() {\nexport NCCL_A=1\n}",
      "for i in 1 2; do\nexport NCCL_A=1\ndone", "while true; do\nexport NCCL_A=1\ndone",
      "case $x in\nexport NCCL_A=1\nesac", "(\nexport NCCL_A=1\n)", "{\nexport NCCL_A=1\n}");
  CAPTURE(block);
  const VendorVariables vendor = parse(block + "\nexport NCCL_Z=1\n");
  CHECK(vendor.variables == Variables{{"NCCL_Z", "1"}});
  CHECK(vendor.skipped == std::vector<int>{2});
}

TEST_CASE("vendor profile: after an exit or a here-document, nothing is certain") {
  const std::string end = GENERATE("exit 0", "return", "cat <<EOF");
  CAPTURE(end);
  const VendorVariables vendor = parse("export NCCL_Z=1\n" + end + "\nexport NCCL_A=1\n");
  CHECK(vendor.variables == Variables{{"NCCL_Z", "1"}});
  CHECK(vendor.skipped == std::vector<int>{3});
}

TEST_CASE("vendor profile: it can only set NCCL variables") {
  const VendorVariables vendor = parse(
      "export LD_PRELOAD=/tmp/evil.so\n"
      "export PATH=/tmp\n"
      "export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\n"
      "export LD_LIBRARY_PATH=\"${NCCL_LIB_DIR}:${LD_LIBRARY_PATH}\"\n");
  CHECK(vendor.variables.empty());
  CHECK(vendor.skipped.empty());
}

// Shaped like a vendor's profile that finds its interfaces itself: the names come from inputs.
TEST_CASE("vendor profile: a script with its own functions is taken whole, without a warning") {
  const VendorVariables vendor = parse(
      ": \"${NCCL_LIB_DIR:?must be set}\"\n"
      "gpu_nics=\"eth1,eth2\"\n"
      "look() {\n"
      "  for device in $(ls /sys/class/net); do\n"
      "    if [[ -e \"/sys/class/net/${device}/device\" ]]; then\n"
      "      found=\"${device}\"\n"
      "    fi\n"
      "  done\n"
      "}\n"
      "look\n"
      "export NCCL_FASTRAK_IFNAME=\"${gpu_nics}\"\n"
      "export NCCL_PROTO=Simple,LL128\n");
  CHECK(vendor.variables ==
        Variables{{"NCCL_FASTRAK_IFNAME", "enp6s0,enp7s0"}, {"NCCL_PROTO", "Simple,LL128"}});
  CHECK(vendor.skipped.empty());
}

TEST_CASE("vendor profile: only a regular file of limited size is read") {
  TemporaryDirectory folder;
  CHECK_THROWS_AS(read_vendor_profile(folder.path()), Error);
  write_file(folder / "large.sh", std::string(1 << 20, '#'));
  CHECK_THROWS_AS(read_vendor_profile(folder / "large.sh"), Error);
  REQUIRE(::mkfifo((folder / "pipe.sh").c_str(), 0600) == 0);
  CHECK_THROWS_AS(read_vendor_profile(folder / "pipe.sh"), Error);
}

TEST_CASE("vendor profile: root reads only files that no one else can write") {
  if (::geteuid() != 0) return;
  TemporaryDirectory folder;
  const std::filesystem::path path = folder / "profile.sh";
  write_file(path, "export NCCL_A=1\n");
  CHECK(read_vendor_profile(path) == "export NCCL_A=1\n");
  ::chmod(path.c_str(), 0666);
  CHECK_THROWS_WITH(read_vendor_profile(path), "users besides root can write " + path.string());
  ::chmod(path.c_str(), 0644);
  REQUIRE(::chown(path.c_str(), 1000, 1000) == 0);
  CHECK_THROWS_AS(read_vendor_profile(path), Error);
}
