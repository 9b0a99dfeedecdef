// Tests which folders a controller shares.
#include "launcher/node/shared_folders.h"

#include <algorithm>

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway::node;

namespace {

using Folders = std::vector<std::string>;

NetworkStorage shared(const std::string& server, const std::string& folder) {
  return {server, folder, folder, "nfs", "defaults,hard"};
}

ClusterFile cluster_mounting(std::vector<NetworkStorage> mounts) {
  ClusterFile cluster;
  cluster.cluster = "c";
  cluster.controller = "c-controller";
  cluster.mounts = std::move(mounts);
  return cluster;
}

MachineMetadata machine(const std::string& name, const std::string& role) {
  MachineMetadata self;
  self.name = name;
  self.role = role;
  return self;
}

}  // namespace

TEST_CASE("shared folders: a controller shares what machines mount from it, each once") {
  ClusterFile cluster =
      cluster_mounting({shared("c-controller", "/opt/apps"), shared("10.0.0.9", "/data"),
                        shared("$controller", "/home")});
  cluster.login_mounts = {shared("$controller", "/home"), shared("$controller", "/site")};
  cluster.nodesets["gpu"].mounts = {shared("$controller", "/models")};
  CHECK(folders_to_share(cluster, machine("c-controller", "controller")) ==
        Folders{"/home", "/models", "/opt/apps", "/site"});
  CHECK(folders_to_share(cluster, machine("c-gpu-0", "compute")).empty());
  CHECK(folders_to_share(cluster, machine("c-controller-backup", "controller")).empty());
}

TEST_CASE("shared folders: NFS without a server is the controller's, other kinds are not") {
  ClusterFile cluster = cluster_mounting({shared("", "/srv/models"), shared("", "/srv/site")});
  cluster.mounts[1].type = "nfs4";
  NetworkStorage bucket = shared("", "bucket");
  bucket.type = "gcsfuse";
  cluster.mounts.push_back(bucket);
  CHECK(folders_to_share(cluster, machine("c-controller", "controller")) ==
        Folders{"/srv/models", "/srv/site"});
  std::vector<std::string> servers;
  for (const NetworkStorage& one : mounts_of(cluster, machine("c-gpu-0", "compute"))) {
    servers.push_back(one.server + ":" + one.remote);
  }
  std::ranges::sort(servers);
  CHECK(servers ==
        std::vector<std::string>{":bucket", "c-controller:/srv/models", "c-controller:/srv/site"});
}

TEST_CASE("shared folders: a bucket is not shared") {
  NetworkStorage bucket = shared("c-controller", "/bucket");
  bucket.type = "gcsfuse";
  CHECK(
      folders_to_share(cluster_mounting({bucket}), machine("c-controller", "controller")).empty());
}

TEST_CASE("shared folders: root exports no path that exports(5) could read otherwise") {
  for (const char* folder :
       {"/", "home", "", "/home *(rw)\n/etc", "/home/../etc", "/a b", "/a#b", "/a\\040b"}) {
    CHECK_THROWS_AS(folders_to_share(cluster_mounting({shared("c-controller", folder)}),
                                     machine("c-controller", "controller")),
                    slipway::Error);
  }
}

TEST_CASE("shared folders: exports(5) has a line for each") {
  CHECK(exports_text({"/home", "/opt/apps"}) ==
        "# Written by `slipway node boot`\n"
        "/home *(rw,sync,no_subtree_check,no_root_squash)\n"
        "/opt/apps *(rw,sync,no_subtree_check,no_root_squash)\n");
}
