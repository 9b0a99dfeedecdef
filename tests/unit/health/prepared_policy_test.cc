// Tests of the prepared health policy.
#include "launcher/health/prepared_policy.h"

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::health;

namespace {

const std::filesystem::path shipped = TEST_SOURCE_ROOT "/blueprints/catalogue/health.yaml";

Policy from_yaml(const std::string& text) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const Policy policy = read_policy(sources.add("health.yaml", text), sources, diagnostics);
  REQUIRE(render(diagnostics).empty());
  return policy;
}

// A catalog with the shipped policy, and its prepared form.
struct Prepared {
  Prepared() {
    write_file(folder / "health.yaml", text);
    write_file(file(), whole);
  }
  std::filesystem::path file() const { return folder / prepared_policy_name; }
  // Loads the folder's policy, in either form.
  Policy load() const {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    Policy policy = load_policy(folder.path(), {}, sources, diagnostics);
    CHECK(render(diagnostics).empty());
    return policy;
  }
  const std::string text = read_file(shipped), whole = prepare_policy(from_yaml(text), text);
  const TemporaryDirectory folder;
};

}  // namespace

TEST_CASE("prepared health policy: equals its YAML file") {
  const Prepared prepared;
  const auto policy = read_prepared_policy(prepared.folder.path(), prepared.text);
  REQUIRE(policy);
  CHECK(prepare_policy(*policy, prepared.text) == prepared.whole);
  CHECK(policy->findings.size() > 30);
  CHECK(policy->program_records.at(0).matches("python3[7]: segfault at 0"));
}

TEST_CASE("prepared health policy: if the YAML has changed since, it is read instead") {
  const Prepared prepared;
  REQUIRE(prepared.load().clean_checks != 77);
  std::string text = prepared.text;
  const size_t at = text.find("clean_checks: ");
  REQUIRE(at != text.npos);
  text.replace(at, text.find('\n', at) - at, "clean_checks: 77");
  write_file(prepared.folder / "health.yaml", text);
  CHECK_FALSE(read_prepared_policy(prepared.folder.path(), text));
  CHECK(prepared.load().clean_checks == 77);
}

TEST_CASE("prepared health policy: a file that is broken or from another version is ignored") {
  const Prepared prepared;
  for (size_t kept = 0; kept < prepared.whole.size(); kept += 101) {
    write_file(prepared.file(), prepared.whole.substr(0, kept));
    CHECK_FALSE(read_prepared_policy(prepared.folder.path(), prepared.text));
  }
  CHECK(prepared.load().clean_checks > 0);
  std::string other = prepared.whole;
  other[other.find("slipway health policy ") + 22] = 'x';
  write_file(prepared.file(), other);
  CHECK_FALSE(read_prepared_policy(prepared.folder.path(), prepared.text));
}
