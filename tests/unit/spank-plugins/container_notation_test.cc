// Tests of the container plugin's notation: images, mounts, names, options, settings.
#include <sched.h>

#include <map>
#include <stdexcept>

#include "common/error.h"
#include "spank-plugins/container/asked.h"
#include "spank-plugins/container/notation.h"
#include "spank-plugins/container/planning.h"
#include "spank-plugins/container/settings.h"
#include "tests/unit/catch.h"

using namespace slipway::container;

namespace {

std::string shown(const std::vector<MountRequest>& mounts) {
  std::string text;
  for (const MountRequest& mount : mounts) {
    text += "[" + mount.source + " " + mount.target;
    for (const std::string& flag : mount.flags) text += " " + flag;
    text += "]";
  }
  return text;
}

const OptionRow& row(const std::string& name) {
  for (const OptionRow& one : option_rows()) {
    if (name == one.name) return one;
  }
  throw std::runtime_error("no option " + name);
}

Lookup variables(std::map<std::string, std::string> all) {
  return [all](const char* name) {
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  };
}

Request named(const std::string& text) {
  Request request;
  const Name name = parse_name(text);
  request.name = name.name;
  request.reuse = name.reuse;
  return request;
}

}  // namespace

TEST_CASE("container notation: a mount has a source, a target and flags") {
  CHECK(shown(parse_mounts("/a:/b")) == "[/a /b]");
  CHECK(shown(parse_mounts("/a")) == "[/a /a]");
  CHECK(shown(parse_mounts("./:/b")) == "[./ /b]");
  CHECK(shown(parse_mounts("/a:/b:")) == "[/a /b]");
  CHECK(shown(parse_mounts("/a:/b:ro+rprivate,/c:/d:mkdir")) == "[/a /b ro rprivate][/c /d mkdir]");
  CHECK(shown(parse_mounts("tmpfs:/b:x-create=dir+size=1G")) == "[tmpfs /b x-create=dir size=1G]");
  CHECK(shown(parse_mounts("/a:/b:ro+rslave+nofail")) == "[/a /b ro rslave nofail]");
  CHECK(shown(parse_mounts("tmpfs:/scratch,umount:/sys")) == "[tmpfs /scratch][umount /sys]");
  CHECK(shown(parse_mounts("/a:/b/../c")) == "[/a /b/../c]");
}

TEST_CASE("container notation: the same mount twice is mounted once") {
  CHECK(shown(parse_mounts("/a:/b,/c,/a:/b")) == "[/a /b][/c /c]");
}

TEST_CASE("container notation: a wrong mount is rejected with its text") {
  for (const char* wrong : {"", ":", "/a:", ":/b", "/a:/b,", ",/a", "/a:/b:ro:x", "/a:/b:ro++rw"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_mounts(wrong), slipway::Error);
  }
  CHECK_THROWS_WITH(parse_mounts("proc:/proc"),
                    "`proc:/proc` mounts `proc`, which is neither a path that begins with `/` or "
                    "`.`, nor `tmpfs` or `umount`");
  CHECK_THROWS_WITH(parse_mounts("/a:b"),
                    "`/a:b` mounts at `b`, which does not begin with `/` or `.`");
  CHECK_THROWS_WITH(parse_mounts("/home:../home"), "`../home` leads out of the container's root");
  CHECK_THROWS_WITH(parse_mounts("/home:/a/../../b"),
                    "`/a/../../b` leads out of the container's root");
  CHECK_THROWS_WITH(parse_mounts("/a:/b\n/c"), "has a control character");
  CHECK_THROWS_WITH(parse_mounts("/a,/b:/c:readonly"),
                    "`/b:/c:readonly`: unknown mount flag `readonly`");
  for (const std::string root : {"/", "./", "/a/..", "//."}) {
    CHECK_THROWS_WITH(
        parse_mounts("/home:" + root),
        "`/home:" + root + "` would replace the container's root: name a folder in it");
  }
  CHECK_THROWS_AS(parse_mounts("umount:/"), slipway::Error);
}

TEST_CASE("container notation: a name has one of four flags") {
  CHECK(parse_name("train").reuse == Reuse::automatic);
  CHECK(parse_name("train:").reuse == Reuse::automatic);
  CHECK(parse_name("train:auto").reuse == Reuse::automatic);
  CHECK(parse_name("train:create").reuse == Reuse::create);
  CHECK(parse_name("train:exec").reuse == Reuse::exec);
  CHECK(parse_name("train:no_exec").reuse == Reuse::no_exec);
  CHECK(parse_name("7.0").name == "7.0");
  CHECK_THROWS_WITH(parse_name("train:exek"),
                    "`exek` is not a flag: use `auto`, `create`, `exec` or `no_exec`");
}

TEST_CASE("container notation: a name cannot be a path") {
  for (const char* wrong : {"", ":exec", "/tmp/foo", "..", ".", "../x", ".hidden", "a b", "a\nb"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_name(wrong), slipway::Error);
  }
  CHECK_THROWS_AS(parse_name(std::string(300, 'x')), slipway::Error);
}

TEST_CASE("container notation: images are files or in a registry") {
  CHECK(is_file("/a.sqsh"));
  CHECK(is_file("./a.sqsh"));
  CHECK_FALSE(is_file("ubuntu:22.04"));
  CHECK(registry_address("nvcr.io#nvidia/nemo:25.11") == "docker://nvcr.io#nvidia/nemo:25.11");
  CHECK(registry_address("docker://ubuntu") == "docker://ubuntu");
  CHECK(registry_address("dockerd://ubuntu") == "dockerd://ubuntu");
  CHECK_THROWS_WITH(parse_image(""), "needs a value");
  CHECK_THROWS_AS(parse_image(std::string(5000, 'x')), slipway::Error);
}

TEST_CASE("container notation: lists of variables and namespaces") {
  CHECK(parse_variables("A,B_1,A") == std::vector<std::string>{"A", "B_1"});
  CHECK_THROWS_WITH(parse_variables("A,"), "`` is not the name of a variable");
  CHECK_THROWS_WITH(parse_variables("A=1"), "`A=1` is not the name of a variable");
  CHECK(parse_unshared("net,uts") == std::vector<std::string>{"net", "uts"});
  CHECK_THROWS_WITH(parse_unshared("net,foo"),
                    "unknown namespace `foo`: use `net`, `ipc` or `uts`");
}

TEST_CASE("container options: the request has what was given") {
  Asked asked;
  CHECK_FALSE(asked.wants_container());
  asked.take(row("container-image"), "/a.sqsh");
  asked.take(row("no-container-mount-home"), nullptr);
  asked.take(row("container-writable"), nullptr);
  asked.take(row("container-env"), "A,B");
  const Request request = asked.request();
  CHECK(asked.wants_container());
  CHECK(request.image == "/a.sqsh");
  CHECK(request.mount_home == false);
  CHECK(request.writable == true);
  CHECK_FALSE(request.remap_root);
  CHECK(request.environment == std::vector<std::string>{"A", "B"});
}

TEST_CASE("container options: a wrong value names the option") {
  Asked asked;
  CHECK_THROWS_WITH(asked.take(row("container-image"), ""), "--container-image: needs a value");
  CHECK_THROWS_WITH(asked.take(row("container-save"), "x/"),
                    "--container-save: `x/` is a folder, not a file");
}

TEST_CASE("container options: Slurm gives the same one twice, but two values are a mistake") {
  Asked asked;
  asked.take(row("container-image"), "/a");
  asked.take(row("container-image"), "/a");
  CHECK_THROWS_WITH(asked.take(row("container-image"), "/b"),
                    "--container-image is given twice, with different values");
  asked.take(row("container-writable"), nullptr);
  CHECK_THROWS_WITH(asked.take(row("container-readonly"), nullptr),
                    "both --container-writable and --container-readonly are given");
}

TEST_CASE("container options: lists that are given several times add up") {
  Asked asked;
  asked.take(row("container-mounts"), "/a");
  asked.take(row("container-mounts"), "/b:/c:ro");
  asked.take(row("container-mounts"), "/b:/c:ro");
  asked.take(row("container-env"), "A");
  asked.take(row("container-env"), "B,A");
  asked.take(row("container-unshare"), "net");
  CHECK(shown(asked.request().mounts) == "[/a /a][/b /c ro]");
  CHECK(asked.request().environment == std::vector<std::string>{"A", "B"});
}

TEST_CASE("container options: a list reaches the nodes whole, though Slurm passes on its end") {
  Asked submitted;
  submitted.take(row("container-mounts"), "/a");
  submitted.take(row("container-mounts"), "/b");
  submitted.take(row("container-env"), "A");
  std::map<std::string, std::string> environment = {{"SLURM_SPANK_CONTAINER_ENV", "OLD,A"}};
  for (const auto& [name, value] : submitted.lists()) {
    if (value) environment[name] = *value;
    if (!value) environment.erase(name);
  }
  CHECK(environment ==
        std::map<std::string, std::string>{{"SLURM_SPANK_CONTAINER_MOUNTS", "/a,/b"}});

  Asked received;
  received.take(row("container-mounts"), "/b");
  received.take_lists(variables(environment));
  CHECK(shown(received.request().mounts) == "[/a /a][/b /b]");

  Asked other;  // a step with mounts of its own, in a job with that list
  other.take(row("container-mounts"), "/x/b");
  other.take_lists(variables(environment));
  CHECK(shown(other.request().mounts) == "[/x/b /x/b]");
}

TEST_CASE("container options: an inherited list is replaced, also by one that begins like it") {
  Asked asked;
  asked.take(row("container-mounts"), "/a", true);
  CHECK(asked.lists().empty());
  asked.take(row("container-mounts"), "/a", true);
  asked.take(row("container-mounts"), "/b");
  CHECK(shown(asked.request().mounts) == "[/a /a][/b /b]");
  Asked wrong;
  wrong.take(row("container-mounts"), "/b");
  CHECK_THROWS_WITH(wrong.take_lists(variables({{"SLURM_SPANK_CONTAINER_MOUNTS", "x,/b"}})),
                    Catch::Matchers::StartsWith("SLURM_SPANK_CONTAINER_MOUNTS: `x` mounts `x`"));
}

TEST_CASE("container notation: a list may be longer than a path, but none of its paths") {
  std::string many = "/a0";
  for (int i = 1; i < 2000; ++i) many += ",/a" + std::to_string(i);
  CHECK(parse_mounts(many).size() == 2000);
  CHECK_THROWS_WITH(parse_mounts("/a,/" + std::string(5000, 'x')), "is too long");
}

TEST_CASE("container options: srun's own option replaces what the batch job had") {
  Asked asked;
  asked.take(row("container-image"), "/batch", true);
  asked.take(row("container-image"), "/own");
  CHECK(asked.request().image == "/own");
  CHECK_THROWS_AS(asked.take(row("container-image"), "/third"), slipway::Error);
}

TEST_CASE("container options: a variable acts where the option was not given") {
  Asked asked;
  asked.take(row("container-image"), "/option");
  asked.take(row("container-readonly"), nullptr);
  asked.take_variables(variables({{"PYXIS_CONTAINER_IMAGE", "/variable"},
                                  {"PYXIS_CONTAINER_MOUNTS", "/a:/b"},
                                  {"PYXIS_CONTAINER_WRITABLE", "1"},
                                  {"PYXIS_CONTAINER_MOUNT_HOME", "yes"},
                                  {"PYXIS_CONTAINER_UNSHARE", "net"}}));
  const Request request = asked.request();
  CHECK(request.image == "/option");
  CHECK(shown(request.mounts) == "[/a /b]");
  CHECK(request.writable == false);
  CHECK(request.mount_home == true);
  CHECK(request.unshared == std::vector<std::string>{"net"});
}

TEST_CASE("container options: every option but its negation has a variable") {
  for (const VariableRow& variable : variable_rows()) {
    Asked asked;
    const std::string value = is_flag(variable.field)                ? "yes"
                              : variable.field == Field::mounts      ? "/a"
                              : variable.field == Field::unshared    ? "ipc"
                              : variable.field == Field::environment ? "A"
                                                                     : "x";
    asked.take_variables(variables({{variable.name, value}}));
    CAPTURE(variable.name);
    CHECK(asked.without_effect(false).size() == (asked.wants_container() ? 0 : 1));
  }
  Asked asked;
  asked.take_variables(variables({{"PYXIS_CONTAINER_READONLY", "yes"}}));
  CHECK(asked.request().writable == false);
  CHECK_THROWS_WITH(Asked().take_variables(variables({{"PYXIS_CONTAINER_WRITABLE", "maybe"}})),
                    "PYXIS_CONTAINER_WRITABLE: `maybe` is neither yes nor no");
}

TEST_CASE("container options: settings without effect are reported") {
  Asked asked;
  asked.take(row("container-mounts"), "/a");
  asked.take(row("container-writable"), nullptr);
  CHECK(
      asked.without_effect(false) ==
      std::vector<std::string>{"ignoring --container-mounts because neither --container-image nor "
                               "--container-name is set",
                               "ignoring --container-writable because neither --container-image "
                               "nor --container-name is set"});
  Asked logs;
  logs.take(row("container-image"), "/a");
  logs.take(row("container-entrypoint-log"), nullptr);
  CHECK(logs.without_effect(true).empty());
  CHECK(
      logs.without_effect(false) ==
      std::vector<std::string>{"ignoring --container-entrypoint-log because the entrypoint is not "
                               "run: add --container-entrypoint"});
}

TEST_CASE("container settings: plugstack.conf has pyxis's arguments") {
  const std::vector<std::string> words = {"runtime_path=/run/x",  "container_scope=job",
                                          "execute_entrypoint=1", "importer=/opt/import",
                                          "sbatch_support=no",    "kernel_images=yes"};
  const Settings settings = parse_settings(words);
  CHECK(settings.runtime_path == "/run/x");
  CHECK(settings.job_scope);
  CHECK(settings.execute_entrypoint);
  CHECK_FALSE(settings.sbatch_support);
  CHECK(settings.kernel_images);
  CHECK(settings.importer == "/opt/import");
}

TEST_CASE("container settings: a wrong argument is rejected, quoting it") {
  const auto parse = [](const std::string& word) {
    return parse_settings(std::vector<std::string>{word});
  };
  CHECK_THROWS_WITH(parse("runtime_pat=/x"),
                    "unknown argument `runtime_pat=/x` in plugstack.conf; did you mean "
                    "`runtime_path=`?");
  CHECK_THROWS_WITH(parse("container_scope=user"),
                    "`container_scope=user` in plugstack.conf: use `job` or `global`");
  CHECK_THROWS_WITH(parse("writable=maybe"),
                    "`writable=maybe` in plugstack.conf: `maybe` is neither yes nor no");
  CHECK_THROWS_WITH(parse("importer=import"),
                    "`importer=import` in plugstack.conf is not an absolute path");
  CHECK_THROWS_WITH(parse("use_squashfuse=1"),
                    "`use_squashfuse=1` in plugstack.conf has no effect here: images are always "
                    "mounted, and never unpacked; remove it");
  CHECK_THROWS_WITH(parse_settings(std::vector<std::string>{"writable=1", "writable=0"}),
                    "`writable` is in plugstack.conf twice, the second time as `writable=0`");
}

TEST_CASE("container names: the flags choose between making, reusing and joining") {
  Request request = named("x");
  request.image = "/a";
  CHECK(choose_way(request, {false, false}) == Way::make);
  CHECK(choose_way(request, {true, false}) == Way::reuse);
  CHECK(choose_way(request, {true, true}) == Way::attach);
  CHECK(choose_way(named("x:no_exec"), {true, false}) == Way::reuse);
  CHECK_THROWS_WITH(choose_way(named("x:no_exec"), {true, true}),
                    "--container-name=x:no_exec: another step runs the container, and two cannot "
                    "write the same changes; leave out `:no_exec` to join it");
  CHECK(choose_way(named("x:exec"), {true, true}) == Way::attach);
  CHECK_THROWS_WITH(choose_way(named("x"), {false, false}),
                    "a container with name \"x\" does not exist, and --container-image is not set");
  CHECK_THROWS_WITH(choose_way(named("x:create"), {true, false}),
                    "--container-name=x:create: the container already exists");
  CHECK_THROWS_WITH(choose_way(named("x:exec"), {true, false}),
                    "--container-name=x:exec: the container is not running");
}

TEST_CASE("container names: a step that joins cannot choose other namespaces") {
  Request request = named("x");
  request.unshared = parse_unshared("net,ipc");
  CHECK_NOTHROW(check_joined(request, CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC));
  CHECK_THROWS_WITH(check_joined(request, CLONE_NEWUSER | CLONE_NEWIPC),
                    "--container-unshare=net: the running container \"x\" is not in a separate "
                    "network namespace: only the step that starts a container chooses its "
                    "namespaces");
  CHECK_THROWS_WITH(check_joined(request, CLONE_NEWNET),
                    Catch::Matchers::StartsWith("--container-unshare=ipc: the running container"));
}

TEST_CASE("container plan: relative paths of the node begin in the job's folder") {
  Request request;
  request.mounts = parse_mounts("./data:/data,../x:/x,tmpfs:/t");
  Settings settings;
  settings.writable = settings.kernel_images = true;
  const ContainerPlan plan = plan_of(request, settings, "/home/me");
  CHECK(shown(plan.mounts) == "[/home/me/data /data][/home/x /x][tmpfs /t]");
  CHECK(plan.writable);
  CHECK(plan.kernel_images);
  CHECK_FALSE(plan.mount_home);
}
