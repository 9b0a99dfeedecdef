// Tests of the decision for each variable, and of the table that shows it.
#include "spank-plugins/nccl_env/resolve.h"

#include "spank-plugins/nccl_env/table.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::nccl_env;

namespace {

NodeProfile profile_with(std::vector<NodeProfile::Variable> environment) {
  NodeProfile profile;
  profile.node = "demo-a3-0";
  profile.machine_type = "a3-megagpu-8g";
  profile.transport = {"socket", std::move(environment)};
  return profile;
}

NodeProfile socket_profile(const std::string& nic = "enp6s0") {
  return profile_with({{"NCCL_SOCKET_IFNAME", "=" + nic, "sockets use the host interface"},
                       {"NCCL_IB_DISABLE", "1", "there is no InfiniBand"}});
}

// The environment that a task then sees.
Environment applied(const Resolution& resolution, Environment environment) {
  for (const Decision& decision : resolution.decisions) {
    if (decision.action == Action::set) environment[decision.name] = *decision.value;
    if (decision.action == Action::unset) environment.erase(decision.name);
  }
  environment.erase(marker_name);
  if (resolution.marker) environment[marker_name] = *resolution.marker;
  return environment;
}

Resolution resolve(const NodeProfile& profile, const Environment& environment) {
  return resolve(collect_advice(profile, {{}, true}).advice, profile.transport.name, environment);
}

Environment resolved(const NodeProfile& profile, const Environment& environment) {
  return applied(resolve(profile, environment), environment);
}

const Environment batch_environment = {
    {"NCCL_SOCKET_IFNAME", "=enp6s0"},
    {"NCCL_IB_DISABLE", "1"},
    {"SLIPWAY_NCCL_ENV", R"({"NCCL_IB_DISABLE":"1","NCCL_SOCKET_IFNAME":"=enp6s0"})"}};

}  // namespace

TEST_CASE("nccl_env: missing variables are set, and marked as ours") {
  CHECK(resolved(socket_profile(), {}) == batch_environment);
}

TEST_CASE("nccl_env: a second time changes nothing") {
  CHECK(resolved(socket_profile(), batch_environment) == batch_environment);
}

TEST_CASE("nccl_env: what the user set wins, and is not marked") {
  CHECK(resolved(socket_profile(), {{"NCCL_IB_DISABLE", "0"}}) ==
        Environment{{"NCCL_IB_DISABLE", "0"},
                    {"NCCL_SOCKET_IFNAME", "=enp6s0"},
                    {"SLIPWAY_NCCL_ENV", R"({"NCCL_SOCKET_IFNAME":"=enp6s0"})"}});
}

TEST_CASE("nccl_env: an empty value is a value") {
  CHECK(resolved(socket_profile(), {{"NCCL_IB_DISABLE", ""}}).at("NCCL_IB_DISABLE").empty());
}

TEST_CASE("nccl_env: a value of ours that the user changed in the batch script wins") {
  Environment environment = batch_environment;
  environment["NCCL_SOCKET_IFNAME"] = "=lo";
  CHECK(resolved(socket_profile(), environment).at("NCCL_SOCKET_IFNAME") == "=lo");
}

TEST_CASE("nccl_env: a value of ours that the user removed stays away, also two steps deep") {
  Environment environment = batch_environment;
  environment.erase("NCCL_IB_DISABLE");
  const Environment first = resolved(socket_profile(), environment);
  CHECK(first == environment);
  CHECK(resolved(socket_profile(), first) == environment);
}

TEST_CASE("nccl_env: another kind of node has its own values") {
  CHECK(resolved(socket_profile("eth0"), batch_environment).at("NCCL_SOCKET_IFNAME") == "=eth0");
}

TEST_CASE("nccl_env: what only the batch script's node needs is removed elsewhere") {
  const NodeProfile other = profile_with({{"NCCL_SOCKET_IFNAME", "=eth0", "the only one"}});
  CHECK(resolved(other, batch_environment) ==
        Environment{{"NCCL_SOCKET_IFNAME", "=eth0"},
                    {"SLIPWAY_NCCL_ENV", R"({"NCCL_SOCKET_IFNAME":"=eth0"})"}});
}

TEST_CASE("nccl_env: a marker that is not ours makes every value the user's") {
  const std::string marker = GENERATE("", "{", "[1]", R"({"NCCL_IB_DISABLE":1})");
  Environment environment = batch_environment;
  environment["NCCL_IB_DISABLE"] = "0";
  environment["SLIPWAY_NCCL_ENV"] = marker;
  const Environment after = resolved(socket_profile("eth0"), environment);
  CHECK(after.at("NCCL_IB_DISABLE") == "0");
  CHECK(after.at("NCCL_SOCKET_IFNAME") == "=enp6s0");
  CHECK(!after.contains("SLIPWAY_NCCL_ENV"));
}

TEST_CASE("nccl_env: of a variable that the profile names twice, the first wins") {
  CHECK(resolved(profile_with({{"A", "1", ""}, {"A", "2", ""}}), {}).at("A") == "1");
}

TEST_CASE("nccl_env: off removes our values and keeps the user's") {
  Environment environment = batch_environment;
  environment["NCCL_IB_DISABLE"] = "0";
  environment["NCCL_DEBUG"] = "INFO";
  CHECK(applied(take_back(environment), environment) ==
        Environment{{"NCCL_DEBUG", "INFO"}, {"NCCL_IB_DISABLE", "0"}});
}

TEST_CASE("nccl_env table: every origin, with its reason") {
  const NodeProfile profile = profile_with({{"NCCL_A", "1", "a is needed"},
                                            {"NCCL_B", "2", "b is needed"},
                                            {"NCCL_C", "3", "c is needed"},
                                            {"NCCL_D", "4", "d is needed"}});
  const Environment environment = {{"NCCL_B", "two\nlines"},
                                   {"NCCL_C", "3"},
                                   {"NCCL_E", "5"},
                                   {"SLIPWAY_NCCL_ENV", R"({"NCCL_D":"4","NCCL_E":"5"})"}};
  CHECK(
      table(profile, resolve(profile, environment)) ==
      "nccl_env: node demo-a3-0, machine type a3-megagpu-8g, transport socket\n"
      "  variable  value         origin              why\n"
      "  NCCL_A    1             slipway: transport  a is needed\n"
      "  NCCL_B    two\\x0alines  user                differs: the transport has `2`: b is needed\n"
      "  NCCL_C    3             user                same as the transport\n"
      "  NCCL_D    (not set)     user                removed; the transport has `4`: d is needed\n"
      "  NCCL_E    (not set)     slipway             came from another node; transport `socket` "
      "has no such variable\n");
}

TEST_CASE("nccl_env table: a job that needs no variables") {
  const NodeProfile profile = profile_with({});
  CHECK(table(profile, resolve(profile, {})) ==
        "nccl_env: node demo-a3-0, machine type a3-megagpu-8g, transport socket\n"
        "  this job needs no variables\n");
}

TEST_CASE("nccl_env table: warn shows only differences from the recommended values") {
  const NodeProfile profile =
      profile_with({{"NCCL_A", "1", "a"}, {"NCCL_B", "2", "b"}, {"NCCL_C", "3", "c"}});
  CHECK(table_of_differences(profile, resolve(profile, {{"NCCL_A", "1"}, {"NCCL_B", "0"}})) ==
        "nccl_env: node demo-a3-0, machine type a3-megagpu-8g, transport socket\n"
        "  variable  value      advised  why\n"
        "  NCCL_B    0          2        b\n"
        "  NCCL_C    (not set)  3        c\n");
  CHECK(table_of_differences(profile_with({{"NCCL_A", "1", "a"}}),
                             resolve(profile_with({{"NCCL_A", "1", "a"}}), {{"NCCL_A", "1"}}))
            .empty());
}

TEST_CASE("nccl_env: the administrator's values win over the transport's") {
  const NodeProfile profile = socket_profile();
  const auto advised = collect_advice(profile, {{{"NCCL_IB_DISABLE", "0"}}, true}).advice;
  REQUIRE(advised.size() == 2);
  CHECK(advised[0].source == "plugstack.conf");
  CHECK(applied(resolve(advised, "socket", {}), {}).at("NCCL_IB_DISABLE") == "0");
}

TEST_CASE("nccl_env: a job on one node gets the variables for one node") {
  NodeProfile profile = socket_profile();
  CHECK(collect_advice(profile, {{}, false}).advice.empty());
  profile.transport.single_node = {{"NCCL_NET_PLUGIN", "none", "the daemon does not run"}};
  CHECK(applied(resolve(collect_advice(profile, {{}, false}).advice, "socket", {}), {}) ==
        Environment{{"NCCL_NET_PLUGIN", "none"},
                    {"SLIPWAY_NCCL_ENV", R"({"NCCL_NET_PLUGIN":"none"})"}});
}

TEST_CASE("nccl_env: the transport's libraries come before the user's, and only once") {
  NodeProfile profile = profile_with({});
  profile.transport.libraries = {"/opt/lib", {}, false};
  const Environment users = {{"LD_LIBRARY_PATH", "/home/lib"}};
  const Environment first = resolved(profile, users);
  CHECK(first.at("LD_LIBRARY_PATH") == "/opt/lib:/home/lib");
  CHECK(resolved(profile, first) == first);
  CHECK(applied(take_back(first), first) == users);
  const Environment alone = resolved(profile, {});
  CHECK(alone.at("LD_LIBRARY_PATH") == "/opt/lib");
  CHECK(applied(take_back(alone), alone).empty());
}

TEST_CASE("nccl_env: NCCL variables that are not ours are the user's") {
  Environment environment = batch_environment;
  environment["NCCL_DEBUG"] = "INFO";
  environment["HOME"] = "/home/ada";
  CHECK(users_own(environment) == Environment{{"NCCL_DEBUG", "INFO"}});
}
