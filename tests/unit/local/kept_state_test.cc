#include "launcher/local/kept_state.h"

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::local;

namespace {

struct Kept {
  Kept() {
    make_directories(folder.state());
    make_directories(folder.database());
    write(1);
  }
  void write(int number) const {
    write_file(folder.state() / "job_state", std::to_string(number));
    write_file(folder.database() / "ibdata1", std::to_string(number));
  }
  std::string text() const {
    return read_file(folder.state() / "job_state") + read_file(folder.database() / "ibdata1");
  }
  TemporaryDirectory directory;
  DeploymentFolder folder{directory.path(), "kept"};
};

}  // namespace

TEST_CASE("kept state: what a newer Slurm wrote is replaced by the copy, which then is gone") {
  const Kept kept;
  keep_state(kept.folder);
  kept.write(2);
  write_file(kept.folder.state() / "new_file", "new");
  restore_kept_state(kept.folder);
  CHECK(kept.text() == "11");
  CHECK_FALSE(std::filesystem::exists(kept.folder.state() / "new_file"));
  CHECK_FALSE(std::filesystem::exists(kept.folder.kept_state()));
  restore_kept_state(kept.folder);  // nothing to restore
  CHECK(kept.text() == "11");
}

TEST_CASE("kept state: the first copy stays, also after an interruption") {
  const Kept kept;
  make_directories(kept.folder.kept_state().string() + ".part/state");  // an interrupted copy
  keep_state(kept.folder);
  kept.write(2);
  keep_state(kept.folder);
  std::filesystem::remove_all(kept.folder.state());  // an interrupted restoration
  restore_kept_state(kept.folder);
  CHECK(kept.text() == "11");
}

TEST_CASE("kept state: a copy that is not needed is dropped") {
  const Kept kept;
  keep_state(kept.folder);
  kept.write(2);
  drop_kept_state(kept.folder);
  restore_kept_state(kept.folder);
  CHECK(kept.text() == "22");
}
