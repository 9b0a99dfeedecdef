// Tests what a changed configuration needs of slurmctld.
#include "launcher/node/reconcile_config.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;

namespace {

using Files = std::map<std::string, std::string>;
using How = Takeover::How;

Files conf(const std::string& text) {
  return {{"slurm.conf", text}};
}

constexpr SlurmVersion older{22, 5, 8}, newer{24, 11, 5};

}  // namespace

TEST_CASE("configuration: the same files need nothing") {
  CHECK(takeover_of(conf("A=1\n"), conf("A=1\n"), newer).how == How::nothing);
}

TEST_CASE("configuration: most changes are taken over while slurmctld runs") {
  CHECK(takeover_of(conf("SuspendTimeout=1\n"), conf("SuspendTimeout=2\n"), older).how ==
        How::reconfigure);
  CHECK(takeover_of(conf("PartitionName=a Nodes=n\n"), conf("PartitionName=b Nodes=n\n"), older)
            .how == How::reconfigure);
  Files changed = conf("A=1\n");
  changed["gres.conf"] = "new";
  CHECK(takeover_of(conf("A=1\n"), changed, newer).how == How::reconfigure);
}

TEST_CASE("configuration: what slurmctld reads at its start needs a restart") {
  const Takeover takeover = takeover_of(conf("SelectType=select/linear\n"),
                                        conf("selecttype = select/cons_tres\n"), newer);
  CHECK(takeover.how == How::restart);
  CHECK(takeover.why == "selecttype changed");
  CHECK(takeover_of(conf(""), conf("MaxNodeCount=7\n"), newer).how == How::restart);
  CHECK(takeover_of(conf("SlurmctldHost=a\n"), conf("SlurmctldHost=a\nSlurmctldHost=b\n"), newer)
            .how == How::restart);
}

TEST_CASE("configuration: comments are not settings") {
  CHECK(takeover_of(conf("SelectType=a\n"), conf("SelectType=a # SelectType=b\n"), newer).how ==
        How::reconfigure);
}

TEST_CASE("configuration: more nodes need a restart of an older Slurm only") {
  const Files before = conf("NodeName=c-gpu-[0-3] State=CLOUD\n");
  const Files after = conf("NodeName=c-gpu-[0-7] State=CLOUD\n");
  CHECK(takeover_of(before, after, older).how == How::restart);
  CHECK(takeover_of(before, after, newer).how == How::reconfigure);
  CHECK(takeover_of(before, conf("NodeName=c-gpu-[0-3] State=CLOUD Weight=2\n"), older).how ==
        How::reconfigure);
}

TEST_CASE("configuration: the digest is of Slurm's files only") {
  ClusterFile one, two;
  one.files = {{"slurm/slurm.conf", "x"}, {"machines/a.json", "y"}};
  two.files = {{"slurm/slurm.conf", "x"}};
  CHECK(configuration_digest(one) == configuration_digest(two));
  two.files["slurm/slurm.conf"] = "z";
  CHECK(configuration_digest(one) != configuration_digest(two));
}

TEST_CASE("configuration: a file of another folder is refused") {
  ClusterFile cluster;
  cluster.files = {{"slurm/../passwd", "x"}};
  CHECK_THROWS_AS(configuration_digest(cluster), Error);
}
