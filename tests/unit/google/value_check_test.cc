// Comparing values with the rules of the catalogue.
#include "launcher/google/value_check.h"

#include <nlohmann/json.hpp>

#include "tests/unit/catch.h"

using namespace slipway::google;

namespace {

ValueRule file_systems() {
  ValueRule rule;
  rule.words = {"nfs", "gcsfuse"};
  rule.more_words = true;
  rule.mistaken = {{"gcs", "gcsfuse"}};
  return rule;
}

}  // namespace

TEST_CASE("value check: what people write instead of a word is wrong, and the word is the hint") {
  CHECK_FALSE(keeps(file_systems(), "gcs"));
  CHECK(meant_by(file_systems(), "gcs") == "did you mean `gcsfuse`?");
}

TEST_CASE("value check: a slip of a word is wrong, also one in capitals") {
  CHECK_FALSE(keeps(file_systems(), "gcsfues"));
  CHECK(meant_by(file_systems(), "gcsfues") == "did you mean `gcsfuse`?");
  CHECK_FALSE(keeps(file_systems(), "NFS"));
  CHECK(meant_by(file_systems(), "NFS") == "did you mean `nfs`?");
}

TEST_CASE("value check: a word unlike the known ones is right, if there may be others") {
  CHECK(keeps(file_systems(), "beegfs"));
  CHECK(meant_by(file_systems(), "beegfs").empty());
  CHECK(keeps(file_systems(), "${local.kind}"));
}
