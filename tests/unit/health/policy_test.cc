// Tests of health policy: the shipped one, and a site's own file on top.
#include "launcher/health/policy.h"

#include <fmt/core.h>

#include <algorithm>

#include "launcher/health/policy_values.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"

using namespace slipway;
using namespace slipway::health;

namespace slipway::health {

Policy policy_with(const std::string& own) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const source::Span text = own.empty() ? source::Span{} : sources.add("own.yaml", own);
  Policy policy = load_policy(TEST_SOURCE_ROOT "/blueprints/catalogue", text, sources, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(diagnostics.errors() == 0);
  return policy;
}

}  // namespace slipway::health

namespace {

// The diagnostics for a site's own file.
std::string complaint(const std::string& own) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  load_policy(TEST_SOURCE_ROOT "/blueprints/catalogue", sources.add("own.yaml", own), sources,
              diagnostics);
  return render(diagnostics);
}

Action xid_action(const Policy& policy, int xid) {
  return policy.meaning_of_xid(xid).rule.action;
}

}  // namespace

TEST_CASE("health policy: the shipped policy is valid, and its preset covers every Xid") {
  const Policy policy = policy_with();
  for (const auto& [xid, row] : policy.xids) {
    INFO(xid);
    CHECK(!row.name.empty());
    CHECK(!row.says.empty());
  }
  for (const auto& [name, rule] : policy.findings) {
    INFO(name);
    CHECK(!rule.about.empty());
  }
  CHECK(policy.meaning_of_xid(79).who == "nvidia: restart-machine");
  CHECK(xid_action(policy, 79) == Action::reboot);
  CHECK(xid_action(policy, 9999) == Action::note);
}

TEST_CASE("health policy: sources disagree, and the preset decides which one wins") {
  CHECK(xid_action(policy_with(), 63) == Action::note);
  CHECK(xid_action(policy_with("preset: nvidia\n"), 63) == Action::note);
  CHECK(xid_action(policy_with("preset: azure\n"), 63) == Action::drain);
  CHECK(xid_action(policy_with("preset: gpud\n"), 63) == Action::reboot);
  CHECK(xid_action(policy_with("preset: aws\n"), 79) == Action::reboot);
  CHECK(policy_with("preset: meta\n").meaning_of_xid(79).who == "nvidia: restart-machine");
}

TEST_CASE("health policy: what users can cause with a program drains no node") {
  const std::string preset = GENERATE("slipway", "nvidia", "aws", "nebius", "meta", "gpud");
  const Policy policy = policy_with("preset: " + preset + "\n");
  for (const int xid : {13, 31, 43, 45, 68, 69}) CHECK(xid_action(policy, xid) < Action::drain);
  for (const char* finding :
       {"gpu-busy", "scratch-full", "memory-low", "kernel-stall", "overloaded"}) {
    CHECK(policy.findings.at(finding).action < Action::drain);
    CHECK(policy.findings.at(finding).escalation.times == 0);
  }
}

TEST_CASE("health policy: a site's file changes what it names, and nothing else") {
  const Policy policy = policy_with(
      "findings:\n"
      "  gpu-hot: note\n"
      "  nic-errors: {action: degrade, after: {times: 2, hours: 1, action: drain}}\n"
      "xids:\n"
      "  79: replace\n"
      "  999: drain\n"
      "limits: {gpu_celsius: 85}\n"
      "mounts: [/scratch]\n"
      "jobs_may_skip: true\n"
      "breaker: {share: 0.5}\n");
  CHECK(policy.findings.at("gpu-hot").action == Action::note);
  CHECK(policy.findings.at("nic-errors").escalation.times == 2);
  CHECK(policy.findings.at("nic-down").action == Action::drain);
  CHECK(policy.meaning_of_xid(79).who == "site policy");
  CHECK(xid_action(policy, 79) == Action::replace);
  CHECK(xid_action(policy, 999) == Action::drain);
  CHECK(policy.limit("gpu_celsius") == 85);
  CHECK(policy.limit("gpu_pages_retired") == 60);
  CHECK(policy.mounts == std::vector<std::string>{"/scratch"});
  CHECK(policy.jobs_may_skip);
  CHECK(policy.breaker.share == 0.5);
  CHECK(policy.breaker.nodes == 2);
}

TEST_CASE("health policy: an error is shown with a caret and a suggestion") {
  CHECK(complaint("findings:\n  gpu-hott: note\n") ==
        "error[E0903]: there is no finding `gpu-hott`\n"
        " --> own.yaml:2:3\n"
        "  |\n"
        "2 |   gpu-hott: note\n"
        "  |   ^^^^^^^^\n"
        "  = help: did you mean `gpu-hot`?\n");
}

TEST_CASE("health policy: every kind of error is reported") {
  const auto [text, words] = GENERATE(table<std::string, std::string>({
      {"findigs: {}\n", "there is no key of a health policy `findigs`"},
      {"findings: {gpu-hot: drian}\n", "there is no action `drian`"},
      {"findings: {gpu-hot: {actoin: drain}}\n", "there is no key of finding `gpu-hot` `actoin`"},
      {"findings: [gpu-hot]\n", "`findings` is a list, expected a mapping"},
      {"findings: {gpu-hot: {after: {times: 2}}}\n", "`after` needs `times`, `hours` and `action`"},
      {"xids: {x: note}\n", "`x` is not the number of an Xid"},
      {"xids: {0: note}\n", "`0` is not the number of an Xid"},
      {"xids: {079: note}\n", "`079` is not the number of an Xid"},
      {"xids: {10000: note}\n", "Xids are whole numbers from 1 to 9999"},
      {"xids: {63: {name: {}}}\n", "`name` is a mapping, expected a string"},
      {"xids: {63: {azur: fail}}\n", "there is no source of Xids `azur`"},
      {"preset: googol\n", "there is no preset `googol`"},
      {"limits: {gpu_celcius: 1}\n", "there is no limit `gpu_celcius`"},
      {"limits: {gpu_celsius: hot}\n", "`gpu_celsius` is `hot`, expected a number from 40 to 120"},
      {"mounts: [scratch]\n", "`scratch` is not an absolute path"},
      {"mounts: /scratch\n", "`mounts` is a string, expected a list"},
      {"mounts: [{}]\n", "an entry of `mounts` is a mapping, expected a string"},
      {"mounts: ['']\n", "an entry of `mounts` is a string, expected a string"},
      {"mounts: [/a, /b, /a]\n", "`mounts` has `/a` twice"},
      {"mounts: [/a, /a/]\n", "`mounts` has `/a` twice"},
      {"disks: [/a/, /a]\n", "`disks` has `/a` twice"},
      {"mounts: [/a/../b]\n", "= help: did you mean `/b`?"},
      {"daemons: [/usr/sbin/slurmd]\n", "`/usr/sbin/slurmd` is not the name of a process"},
      {"daemons: [slurmd -D]\n", "`slurmd -D` is not the name of a process"},
      {"daemons: [slurmd, slurmd]\n", "`daemons` has `slurmd` twice"},
      {"gpu_models: {x: {nvlinks: 1}}\n", "GPU model `x` needs `name`"},
      {"presets: {}\n", "there is no key of a health policy `presets`"},
      {"jobs_may_skip: perhaps\n", "`jobs_may_skip` must be `true` or `false`"},
      {"kernel_log: [{begins: x, finding: kernel-fault}]\n",
       "`begins` is no longer supported in `kernel_log`"},
      {"kernel_log: [{record: x}]\n", "a pattern needs `name`"},
      {"kernel_log: [{recrod: x}]\n", "there is no key of a pattern `recrod`"},
      {"kernel_log: [x]\n", "a pattern of `kernel_log` is a string, expected a mapping"},
      {"kernel_log: [{name: []}]\n", "`name` is a list, expected a string"},
      {"program_records: [x]\n", "there is no key of a health policy `program_records`"},
      {"- a\n", "a health policy is a list, expected a mapping"},
      {"xid_sources: {}\n", "there is no key of a health policy `xid_sources`"},
  }));
  CHECK_THAT(complaint(text), ContainsSubstring("E0903") && ContainsSubstring(words));
}

TEST_CASE("health policy: every number has a range, and is rejected outside it") {
  const auto [key, range] = GENERATE(table<std::string, std::string>({
      {"deadlines: {prolog: ", "`prolog` is `{}`, expected a number from 1 to 12"},
      {"deadlines: {epilog: ", "`epilog` is `{}`, expected a number from 1 to 12"},
      {"deadlines: {periodic: ", "`periodic` is `{}`, expected a number from 1 to 50"},
      {"deadlines: {deep: ", "`deep` is `{}`, expected a number from 10 to 86400"},
      {"limits: {gpu_celsius: ", "`gpu_celsius` is `{}`, expected a number from 40 to 120"},
      {"limits: {memory_lost_percent: ", "`memory_lost_percent` is `{}`, expected a number from"},
      {"limits: {clock_offset_ms: ", "`clock_offset_ms` is `{}`, expected a number from 1 to"},
      {"breaker: {nodes: ", "`nodes` is `{}`, expected a whole number from 1 to 1000000"},
      {"breaker: {minutes: ", "`minutes` is `{}`, expected a number from 1 to 10080"},
      {"findings: {gpu-hot: {after: {hours: 1, action: drain, times: ",
       "`times` is `{}`, expected a whole number from 1 to 1000"},
      {"findings: {gpu-hot: {after: {times: 1, action: drain, hours: ",
       "`hours` is `{}`, expected a number from 0.01 to 8760"},
  }));
  const std::string value = GENERATE("0", "-1", "1e300", ".nan", ".inf", "-.inf", "'2'", "true");
  std::string complete = key + value;
  for (size_t i = key.size(); i-- > 0;) complete += key[i] == '{' ? "}" : "";
  std::string words = range;
  const std::string bare = value == "'2'" ? "2" : value;
  words.replace(words.find("{}"), 2, bare);
  INFO(complete);
  CHECK_THAT(complaint(complete + "\n"), ContainsSubstring("--> own.yaml:1:") &&
                                             ContainsSubstring("^") && ContainsSubstring(words));
}

TEST_CASE("health policy: a fraction is rejected for counts, and not rounded") {
  const std::string text =
      GENERATE("clean_checks: 8.9", "limits: {rdma_ports: 8.9}", "breaker: {nodes: 1.5}",
               "limits: {gpu_pages_retired: 0.5}", "limits: {driver_major: 570.86}",
               "gpu_models: {nvidia-l4: {pcie_width: 8.9}}");
  INFO(text);
  CHECK_THAT(complaint(text), ContainsSubstring("expected a whole number from"));
}

TEST_CASE("health policy: every shipped limit has a range, and so has every stage") {
  const Policy policy = policy_with();
  for (const auto& [name, value] : policy.limits) CHECK(range_of_limit(name));
  for (const char* stage : {"prolog", "epilog", "periodic", "manual", "deep"}) {
    CHECK(policy.deadlines.contains(stage));
    CHECK(range_of_deadline(stage));
  }
}

TEST_CASE("health policy: paths and names are those of the node") {
  const Policy policy = policy_with(
      "mounts: [/home/, //scratch, /a/./b]\n"
      "disks: [/, /var/]\n"
      "gpu_models: {x: {name: H100}}\n");
  CHECK(policy.mounts == std::vector<std::string>{"/home", "/scratch", "/a/b"});
  CHECK(policy.disks == std::vector<std::string>{"/", "/var"});
  CHECK(policy.gpu_models.at("x").name == "h100");
}

TEST_CASE("health policy: a pattern for the kernel log must match a whole record") {
  const auto [level, record, example, words] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {"error", "md: [a-z]+", "md: x", ""},
          {"error", R"(\{[0-9]+\}x)", "{1}x", ""},
          {"error", R"(a(b|c)[]|]d)", "ab|d", ""},
          {"info", "md: x", "md: x", "there is no level of a fault `info`"},
          {"error", "md: (", "md: (", "`md: (` is not a regular expression: missing ): md: ("},
          {"error", ".*md: x", "md: x", "`.*md: x` does not begin with fixed text"},
          {"error", "[m]d: x", "md: x", "does not begin with fixed text"},
          {"error", "(md)?: x", "md: x", "does not begin with fixed text"},
          {"error", "m?d: x", "md: x", "does not begin with fixed text"},
          {"error", "m{0}d: x", "d: x", "does not begin with fixed text"},
          {"error", R"(\w+: x)", "md: x", "does not begin with fixed text"},
          {"error", "md: x|.*", "md: x", "does not begin with fixed text"},
          {"error", "md: x", "md: x y", "the example does not match `record`"},
          {"error", R"(md\[[0-9]+\]: .*)", "md[1]: x", "the example begins with a program's name"},
      }));
  const std::string said = complaint(
      fmt::format("kernel_log:\n  - name: x\n    level: {}\n    record: '{}'\n    example: '{}'\n"
                  "    finding: disk-errors\n",
                  level, record, example));
  INFO(said);
  CHECK_THAT(said, ContainsSubstring(words));
  CHECK(said.empty() == words.empty());
}

TEST_CASE("health policy: a file with only comments changes nothing") {
  CHECK(policy_with("# nothing yet\n").limits == policy_with().limits);
}

TEST_CASE("health policy: whom to tell") {
  const Policy policy = policy_with(
      "tell:\n  program: /usr/local/sbin/tell-us\n  webhook: "
      "https://hooks.example.com:8443/T0/x?y=z\n"
      "  mail: [ops@example.com, root]\n  events: [drain]\n  most: 3\n");
  CHECK(policy.tell.tells("drain"));
  CHECK(!policy.tell.tells("breaker"));
  CHECK(policy.tell.most == 3);
  CHECK(policy.tell.minutes == 60);
  CHECK(policy.tell.sendmail == "/usr/sbin/sendmail");
  CHECK(!policy_with().tell.tells());
  CHECK(policy_tells("{tell: {mail: [root]}}"));
  CHECK(!policy_tells("mounts: [/tell]\n"));
}

TEST_CASE("health policy: when deep checks come before work") {
  const Policy policy = policy_with("deep_checks: {when: [boot, return], retry_minutes: 5}\n");
  CHECK(policy.deep_checks.at("boot"));
  CHECK_FALSE(policy.deep_checks.at("new"));
  CHECK(policy.deep_checks.retry_minutes == 5);
  CHECK(policy.deep_checks.detect_percent == 10);
  CHECK_FALSE(policy_with().deep_checks.any());
  CHECK(policy_checks_deeply("{deep_checks: {when: [new]}}"));
  CHECK_FALSE(policy_checks_deeply("deadlines: {deep: 60}\n"));
  CHECK_THAT(complaint("deep_checks: {when: [boots]}\n"),
             ContainsSubstring("did you mean `boot`?"));
  CHECK_THAT(complaint("deep_checks: {retry: 5}\n"),
             ContainsSubstring("there is no key of `deep_checks` `retry`"));
  CHECK(policy.deep_checks.scan_mib == 0);
  CHECK(policy_with("deep_checks: {scan_mib: 16}\n").deep_checks.scan_mib == 16);
  CHECK_THAT(complaint("deep_checks: {detect_percent: 0}\n"), ContainsSubstring("detect_percent"));
  CHECK(policy_with("deep_checks: {retry_minutes: 0.1}\n").deep_checks.retry_minutes == 0.1);
  CHECK_THAT(complaint("deep_checks: {retry_minutes: 0}\n"), ContainsSubstring("retry_minutes"));
  CHECK_THAT(complaint("deep_checks: {scan_mib: 0.5}\n"), ContainsSubstring("scan_mib"));
}

TEST_CASE("health policy: an address that is an option, a header or a password is wrong") {
  for (const char* mail :
       {"-Xlog", "\"a@b\\nBcc: c@d\"", "a@b c", "a@-b", "'root, other'", "a@b@c"}) {
    CHECK_THAT(complaint(fmt::format("tell: {{mail: [{}]}}\n", mail)),
               ContainsSubstring("is not a mail address"));
  }
  for (const char* url : {"https://me:secret@host/", "ftp://host/", "file:///etc/shadow",
                          "host/path", "'https://host/a b'", "\"https://host/\\nheader\""}) {
    CHECK_THAT(
        complaint(fmt::format("tell: {{webhook: {}}}\n", url)),
        ContainsSubstring("`webhook` must be an `https://` or `http://` URL without a password"));
  }
  CHECK_THAT(complaint("tell: {program: tell-us}\n"),
             ContainsSubstring("must be an absolute path"));
  CHECK_THAT(complaint("tell: {events: [drains]}\n"), ContainsSubstring("did you mean `drain`?"));
  CHECK_THAT(complaint("tell: {emails: [root]}\n"),
             ContainsSubstring("there is no key of `tell` `emails`"));
}
