// Tests what a changed configuration needs of slurmd.
#include "launcher/node/follow.h"

#include "tests/unit/catch.h"

using namespace slipway::node;

namespace {

using Values = std::map<std::string, std::string>;
using Needs = SlurmdChange::How;

Values with_conf(const std::string& text) {
  return {{"slurm.conf", text}};
}

}  // namespace

TEST_CASE("follow: the same files need nothing") {
  CHECK(slurmd_change(with_conf("A=1\n"), with_conf("A=1\n")).how == Needs::nothing);
}

TEST_CASE("follow: slurmd reads most changes while it runs") {
  CHECK(slurmd_change(with_conf("SuspendTime=1\n"), with_conf("SuspendTime=2\n")).how ==
        Needs::reload);
  CHECK(slurmd_change(with_conf("Prolog=/a\n"), with_conf("")).how == Needs::reload);
  CHECK(slurmd_change({}, with_conf("AuthType=auth/munge\n")).impossible.empty());
}

TEST_CASE("follow: what slurmd reads at its start needs a restart, under jobs or not") {
  const SlurmdChange mpi =
      slurmd_change(with_conf("MpiDefault=pmix\n"), with_conf("mpidefault = none # x\n"));
  CHECK(mpi.how == Needs::restart);
  CHECK(mpi.why == "mpidefault changed");
  CHECK_FALSE(mpi.needs_idle);
  const SlurmdChange tasks =
      slurmd_change(with_conf("TaskPlugin=task/none\n"), with_conf("TaskPlugin=task/affinity\n"));
  CHECK(tasks.how == Needs::restart);
  CHECK(tasks.needs_idle);
}

TEST_CASE("follow: the files of devices and cgroups need a restart") {
  Values before = with_conf("A=1\n"), after = before;
  before["gres.conf"] = "Name=gpu File=/dev/nvidia0\n";
  after["gres.conf"] = "Name=gpu File=/dev/nvidia[0-7]\n";
  CHECK(slurmd_change(before, after).why == "gres.conf changed");
  CHECK_FALSE(slurmd_change(before, after).needs_idle);
  after["cgroup.conf"] = "ConstrainCores=yes\n";
  CHECK(slurmd_change(before, after).needs_idle);
}

TEST_CASE("follow: a node cannot change its way to authenticate alone") {
  const SlurmdChange change = slurmd_change(with_conf("AuthType=auth/munge\nA=1\n"),
                                            with_conf("AuthType=auth/slurm\nA=2\n"));
  CHECK(change.impossible == "authtype changed");
}

TEST_CASE("follow: slurmctld says whether it reads the same slurm.conf") {
  CHECK(is_slurm_conf_of_slurmctld("GroupUpdateForce = 1\nHASH_VAL                = Match\n"));
  CHECK_FALSE(
      is_slurm_conf_of_slurmctld("HASH_VAL                = Different Ours=0x12 Slurmctld=0x34\n"));
  CHECK(is_slurm_conf_of_slurmctld("DebugFlags              = NO_CONF_HASH\n"));
}
