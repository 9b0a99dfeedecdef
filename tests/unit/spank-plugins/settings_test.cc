// Tests of nccl_env's settings.
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

TEST_CASE("nccl_env settings: without arguments, it is on and reads the deployer's profile") {
  const Arguments arguments = parse({});
  CHECK(arguments.default_mode == Mode::on);
  CHECK(arguments.profile_path == "/etc/slipway/node.json");
}

TEST_CASE("nccl_env settings: plugstack.conf sets the default mode and the profile") {
  const Arguments arguments = parse({"default=off", "profile=/srv/node.json"});
  CHECK(arguments.default_mode == Mode::off);
  CHECK(arguments.profile_path == "/srv/node.json");
}

TEST_CASE("nccl_env settings: an unknown argument is rejected, quoting it") {
  CHECK_THROWS_WITH(parse({"defualt=off"}),
                    "unknown argument `defualt=off` in plugstack.conf: use `default=`, "
                    "`profile=`, `env_plugin=` or `NCCL_NAME=`; did you mean `default`?");
  CHECK_THROWS_WITH(parse({"x"}),
                    "unknown argument `x` in plugstack.conf: use `default=`, `profile=`, "
                    "`env_plugin=` or `NCCL_NAME=`");
}

TEST_CASE("nccl_env settings: an unknown mode is rejected") {
  CHECK_THROWS_WITH(parse({"default=shwo"}),
                    "`default` in plugstack.conf has no value `shwo`: use `on`, `off`, "
                    "`show` or `warn`; did you mean `show`?");
  CHECK_THROWS_WITH(
      parse({"default"}),
      "`default` in plugstack.conf has no value ``: use `on`, `off`, `show` or `warn`");
}

TEST_CASE("nccl_env settings: a relative profile would be the job's choice, and is rejected") {
  CHECK_THROWS_WITH(parse({"profile=node.json"}),
                    "`profile=node.json` in plugstack.conf is not an absolute path");
}

TEST_CASE("nccl_env settings: the same argument twice is rejected") {
  CHECK_THROWS_WITH(parse({"default=on", "default=off"}),
                    "`default` is in plugstack.conf twice, the second time as `default=off`");
}

TEST_CASE("nccl_env settings: the administrator's variables, and NCCL's environment plugin") {
  const Arguments arguments =
      parse({"NCCL_DEBUG=WARN", "NCCL_SOCKET_IFNAME==eth0", "env_plugin=/opt/e.so"});
  CHECK(arguments.variables == std::map<std::string, std::string>{{"NCCL_DEBUG", "WARN"},
                                                                  {"NCCL_SOCKET_IFNAME", "=eth0"}});
  CHECK(arguments.environment_plugin == "/opt/e.so");
  CHECK_THROWS(parse({"NCCL_DEBUG"}));
  CHECK_THROWS(parse({"LD_PRELOAD=/x"}));
  CHECK_THROWS(parse({"env_plugin=e.so"}));
}
