// Tests the record of where nodes' machines are.
#include "launcher/node/physical_hosts.h"

#include <stdlib.h>

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;

namespace {

struct RecordFolder {
  RecordFolder() { ::mkdtemp(path.data()); }
  ~RecordFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path file() const { return std::filesystem::path(path) / "hosts.json"; }
  std::string path = "/tmp/physical-hosts-XXXXXX";
};

}  // namespace

TEST_CASE("physical hosts: nodes come and go, and a shorter file has no rest of the longer one") {
  const RecordFolder folder;
  write_file(folder.file(), "{}\n");
  record_physical_hosts({{"c-gpu-0", "/a/b/c"}, {"c-gpu-1", "/a/b/d"}}, {}, folder.file());
  record_physical_hosts({{"c-gpu-1", "/a/e/f"}}, {"c-gpu-0"}, folder.file());
  CHECK(read_file(folder.file()) == "{\n \"c-gpu-1\": \"/a/e/f\"\n}\n");
  CHECK(read_physical_hosts(folder.file()) == PhysicalHosts{{"c-gpu-1", "/a/e/f"}});
}

TEST_CASE("physical hosts: a file that is not ours to make, or is broken") {
  const RecordFolder folder;
  CHECK_THROWS_AS(record_physical_hosts({}, {}, folder.file()), Error);
  CHECK(read_physical_hosts(folder.file()).empty());
  write_file(folder.file(), R"({"c-gpu-0": 7)");
  CHECK(read_physical_hosts(folder.file()).empty());
  record_physical_hosts({{"c-gpu-1", "/a/b/c"}}, {}, folder.file());
  CHECK(read_physical_hosts(folder.file()) == PhysicalHosts{{"c-gpu-1", "/a/b/c"}});
}

TEST_CASE("physical hosts: a link is not followed") {
  const RecordFolder folder;
  write_file(folder.path + "/other", "{}");
  std::filesystem::create_symlink(folder.path + "/other", folder.file());
  CHECK_THROWS_AS(record_physical_hosts({{"a", "b"}}, {}, folder.file()), Error);
}
