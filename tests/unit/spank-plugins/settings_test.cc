// Tests of what nccl_env is told.
#include "spank-plugins/nccl_env/settings.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::nccl_env;

namespace {

Arguments parse(const std::vector<std::string>& words) {
  return parse_arguments(words);
}

}  // namespace

TEST_CASE("nccl_env settings: without arguments it is on and reads the deployer's profile") {
  const Arguments arguments = parse({});
  CHECK(arguments.default_mode == Mode::on);
  CHECK(arguments.profile_path == "/etc/slipway/node.json");
}

TEST_CASE("nccl_env settings: plugstack.conf gives the default mode and the profile") {
  const Arguments arguments = parse({"default=off", "profile=/srv/node.json"});
  CHECK(arguments.default_mode == Mode::off);
  CHECK(arguments.profile_path == "/srv/node.json");
}

TEST_CASE("nccl_env settings: an unknown argument is refused with its text") {
  CHECK_THROWS_WITH(parse({"defualt=off"}),
                    "unknown argument `defualt=off` in plugstack.conf: there are `default=` and "
                    "`profile=`; did you mean `default`?");
  CHECK_THROWS_WITH(parse({"x"}),
                    "unknown argument `x` in plugstack.conf: there are `default=` and `profile=`");
}

TEST_CASE("nccl_env settings: a value that is not a mode is refused") {
  CHECK_THROWS_WITH(parse({"default=shwo"}),
                    "`default` in plugstack.conf has no value `shwo`: there are `on`, `off` and "
                    "`show`; did you mean `show`?");
  CHECK_THROWS_WITH(
      parse({"default"}),
      "`default` in plugstack.conf has no value ``: there are `on`, `off` and `show`");
}

TEST_CASE("nccl_env settings: a relative profile would be the job's choice and is refused") {
  CHECK_THROWS_WITH(parse({"profile=node.json"}),
                    "`profile=node.json` in plugstack.conf is not an absolute path");
}

TEST_CASE("nccl_env settings: the same argument twice is refused") {
  CHECK_THROWS_WITH(parse({"default=on", "default=off"}),
                    "`default` stands twice in plugstack.conf, again as `default=off`");
}
