#include "launcher/local/image_change.h"

#include "launcher/local/changes.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway;
using namespace slipway::local;
using Names = std::vector<std::string>;

namespace {

// An image's name is its Slurm's version here; only 24.11 has the plugin for PMIx.
node::InstalledSlurm slurm_of(const std::string& image) {
  return {parse_slurm_version(image), image.starts_with("24.11")};
}

struct Change {
  explicit Change(const std::string& from, const std::string& to, int64_t nodes = 4) {
    cluster::Cluster cluster = cluster::quickstart_cluster(nodes);
    const cluster::Catalogue catalogue = cluster::shipped_catalogue();
    current = make_plan(cluster, catalogue, nullptr, slurm_of(from));
    current.start_from(from);
    cluster.partitions.at(0).partition_conf["MaxTime"] = "90";
    wanted = make_plan(cluster, catalogue, &current, slurm_of(to));
    wanted.start_from(to);
  }
  std::vector<ImageStep> steps(size_t at_once) const {
    return image_steps(current, wanted, at_once, slurm_of);
  }
  Plan current, wanted;
};

cluster::SlurmReleases shipped_releases() {
  return cluster::load_slurm_releases(TEST_SOURCE_ROOT "/blueprints/catalogue");
}

Names images_of(const Plan& plan) {
  Names images;
  for (const PlannedNode& node : plan.nodes) images.push_back(node.image);
  return images;
}

}  // namespace

TEST_CASE("image change: the controller and login nodes come first, then compute nodes in blocks") {
  const Change change("24.11.5", "26.05.5");
  const std::vector<ImageStep> steps = change.steps(3);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].what == "the controller and login nodes");
  CHECK(steps[0].nodes == Names{"quickstart-controller", "quickstart-login-001"});
  CHECK(steps[1].what == "block 1 of 2");
  CHECK(steps[1].nodes.size() == 3);
  CHECK(steps[2].nodes == Names{"quickstart-a3meganodeset-3"});
  const std::string a = "24.11.5", b = "26.05.5";
  CHECK(images_of(steps[0].plan) == Names{b, b, a, a, a, a});
  CHECK(images_of(steps[1].plan) == Names{b, b, b, b, b, a});
  CHECK(images_of(steps[2].plan) == Names{b, b, b, b, b, b});
}

TEST_CASE("image change: until the end, Slurm's files are as the oldest Slurm reads them") {
  const Change change("24.11.5", "26.05.5");
  const std::vector<ImageStep> steps = change.steps(0);
  for (const ImageStep& step : steps) {
    const std::string& conf = step.plan.slurm_files.at("slurm.conf");
    CHECK(conf.find("MaxTime=90") == conf.npos);  // the blueprint's other changes come after that
    CHECK(conf.find("\nMpiDefault=pmix") == conf.npos);
    CHECK_FALSE(compare(change.current, step.plan).slurm == Changes::Slurm::reread);
  }
  CHECK(change.current.slurm_files.at("slurm.conf").find("\nMpiDefault=pmix") != std::string::npos);
  CHECK(compare(steps.back().plan, change.wanted).any());
}

TEST_CASE("image change: a tenth of the compute nodes by default, and at least one") {
  CHECK(Change("24.11.5", "24.11.6", 3).steps(0).size() == 1 + 3);
  CHECK(Change("24.11.5", "24.11.6", 40).steps(0).size() == 1 + 10);
  CHECK(Change("24.11.5", "24.11.6", 40).steps(100).size() == 1 + 1);
  CHECK(Change("24.11.5", "24.11.5").steps(0).empty());
}

TEST_CASE("image change: after an interruption, it continues with the nodes that are left") {
  Change change("24.11.5", "26.05.5");
  change.current = change.steps(3)[1].plan;
  const std::vector<ImageStep> left = change.steps(3);
  REQUIRE(left.size() == 1);
  CHECK(left[0].nodes == Names{"quickstart-a3meganodeset-3"});
}

TEST_CASE("image change: nodes that come or go with the blueprint are left to the end") {
  Change change("24.11.5", "26.05.5");
  change.wanted.nodes.pop_back();
  CHECK(change.steps(1).size() == 1 + 3);
  std::swap(change.current, change.wanted);
  change.current.start_from("24.11.5");
  change.wanted.start_from("26.05.5");
  CHECK(change.steps(1).size() == 1 + 3);
}

TEST_CASE("image change: only a Slurm that can follow on the one that runs") {
  const auto require = [](const std::string& from, const std::string& to) {
    const Change change(from, to);
    require_slurm_upgrade(change.current, change.wanted, shipped_releases(), slurm_of);
  };
  CHECK_NOTHROW(require("24.11.5", "26.05.5"));
  CHECK_NOTHROW(require("24.11.5", "24.11.1"));
  CHECK_NOTHROW(require("26.05.5", "31.05.0"));  // newer than our table
  CHECK_THROWS_WITH(
      require("22.05.8", "24.11.5"),
      "the image cannot change from 22.05.8 to 24.11.5 while the deployment runs: Slurm 24.11 "
      "works with 23.02 and newer, and this is 22.05; destroy it first, or take an image with a "
      "Slurm in between");
  CHECK_THROWS_WITH(
      require("26.05.5", "24.11.5"),
      "the image cannot change from 26.05.5 to 24.11.5 while the deployment runs: Slurm 24.11 "
      "neither reads the state of 26.05 nor works with its nodes; destroy it first");
}
