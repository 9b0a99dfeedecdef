// Tests of what the lines of an nhc.conf become.
#include "launcher/hosts/nhc.h"

#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::hosts;

namespace {

const std::filesystem::path catalogue =
    std::filesystem::path(TEST_SOURCE_ROOT) / "blueprints/catalogue";

const NhcTable& nhc_table() {
  static const NhcTable table = load_nhc_table(catalogue);
  return table;
}

health::Policy policy_with(const std::string& own) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const source::Span text = own.empty() ? source::Span() : sources.add("health.yaml", own);
  health::Policy policy = health::load_policy(catalogue, text, sources, diagnostics);
  CHECK(render(diagnostics, source::Color::never).empty());
  return policy;
}

NhcTranslation translated(const std::string& text, const std::string& node = "n1") {
  return translate_nhc(text, nhc_table(), node);
}

NhcAnswer answer_to(const std::string& check) {
  const NhcTranslation translation = translated("* || " + check + "\n");
  REQUIRE(translation.answers.size() == 1);
  return translation.answers[0];
}

}  // namespace

TEST_CASE(
    "nhc: every finding in the table is one of the policy, and every list is one of its keys") {
  const health::Policy policy = policy_with("");
  for (const auto& [name, check] : nhc_table().checks) {
    INFO(name);
    for (const std::string& finding : check.findings) CHECK(policy.findings.contains(finding));
    const bool known = check.becomes.empty() || check.becomes == "mounts" ||
                       check.becomes == "disks" || check.becomes == "daemons" ||
                       policy.limits.contains(check.becomes);
    CHECK(known);
  }
}

TEST_CASE("nhc: lines become a policy that can be read, with our own entries first") {
  const NhcTranslation translation = translated(
      "* || export TIMEOUT=60 MARK_OFFLINE=0\n"
      "* || check_fs_mount_rw -t nfs -s fs:/home -f /home/\n"
      "* || check_fs_mount /scratch\n"
      "* || check_fs_free /tmp 20%\n"
      "* || check_fs_ifree /scratch 1k\n"
      "* || check_fs_used /scratch 90%\n"
      "* || check_ps_service -u root -S sshd\n"
      "* || check_ps_service -d rpc.statd -r nfslock\n"
      "* || check_hw_ib 400 mlx5_0:1\n"
      "* || check_hw_ib 400 mlx5_1:1\n"
      "gpu* || check_ps_service nvidia-persistenced\n");
  const std::string text = policy_of_nhc(translation, policy_with(""));
  CHECK(text ==
        "daemons:\n  - munged\n  - slurmd\n  - sshd  # line 7\n  - rpc.statd  # line 8\n"
        "disks:\n  - /\n  - /run\n  - /var/spool/slurmd\n  - /tmp  # line 4\n"
        "  - /scratch  # line 5, 6\n"
        "mounts:\n  - /home  # line 2\n  - /scratch  # line 3\n"
        "limits: {rdma_ports: 2}\n");
  const health::Policy policy = policy_with(text);
  CHECK(policy.mounts == std::vector<std::string>{"/home", "/scratch"});
  CHECK(policy.limit("rdma_ports") == 2);
  CHECK(translation.count(NhcFate::setting) == 1);
  CHECK(translation.count(NhcFate::other_node) == 1);
  CHECK(translation.count(NhcFate::uncovered) == 0);
  CHECK(translated("gpu* || check_ps_service a\n", "gpu7").count(NhcFate::other_node) == 0);
}

TEST_CASE("nhc: an answer says which findings report the fault, and what is lost") {
  CHECK(answer_to("check_gpu_xid").fate == NhcFate::checked);
  CHECK(answer_to("check_gpu_xid").text == "gpu-xid");
  CHECK(answer_to("check_fs_mount -f /home").fate == NhcFate::checked);
  const NhcAnswer mount = answer_to("check_fs_mount_rw -rt nfs -o *hard* -f /home");
  CHECK(mount.fate == NhcFate::in_part);
  CHECK(mount.text ==
        "`mounts`: mount-missing, mount-broken, mount-hang, mount-read-only; not its options, "
        "mounting it, its type");
  CHECK(answer_to("check_ps_daemon /usr/sbin/sshd root").text ==
        "`daemons`: daemon-missing; not its user and arguments");
}

TEST_CASE("nhc: what nothing checks is named, with the reason") {
  const std::pair<const char*, const char*> cases[] = {
      {"check_file_test -r -s /etc/passwd", "files are not compared"},
      {"check_site_thing 3", "a check of your site, or of a newer NHC"},
      {"check_fs_free $SCRATCH 5%", "only a shell knows its words: write them into `disks`"},
      {"check_fs_free scratch 5%", "`scratch`: not an absolute path"},
      {"check_fs_free", "it names nothing"},
      {"check_ps_service -k telnetd", "with -k, it wants the opposite"},
      {"check_ps_service -Q sshd", "the option -Q is not known"},
      {"check_fs_mount -f '/mnt/*'", "`/mnt/*`: a pattern: write what it means"},
      {"test -d /x && check_gpu_xid",
       "a shell command of several parts, and no program of a site is run"}};
  for (const auto& [check, text] : cases) {
    INFO(check);
    CHECK(answer_to(check).fate == NhcFate::uncovered);
    CHECK(answer_to(check).text == text);
  }
  CHECK(translated("check_gpu_xid\n").answers[0].text ==
        "it has no `||`, so NHC does nothing with it");
  CHECK(translated("%gpu% || check_gpu_xid\n").answers[0].fate == NhcFate::uncovered);
}

TEST_CASE("nhc: names that YAML would misread are quoted") {
  const NhcTranslation translation = translated("* || check_fs_free '/a: #b' 5%\n");
  CHECK(policy_with(policy_of_nhc(translation, policy_with(""))).disks.back() == "/a: #b");
}
