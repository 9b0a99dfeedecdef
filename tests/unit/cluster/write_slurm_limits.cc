// Prints what the table of Slurm's keys takes, for slurm_limits.py: lines of "node" or "partition",
// a key and a value.
#include <cstdio>
#include <string>

#include "launcher/cluster/slurm_keys.h"

namespace cluster = slipway::cluster;

namespace {

void print(const char* line, std::span<const cluster::SlurmKey> keys) {
  for (const cluster::SlurmKey& key : keys) {
    if (key.kind == cluster::SlurmKey::Kind::text) continue;
    for (const char* value : {"0",
                              "1",
                              "-1",
                              "-30",
                              "1.5",
                              "x",
                              "64K",
                              "YES",
                              "maybe",
                              "UNLIMITED",
                              "NONE",
                              "65533",
                              "65535",
                              "65536",
                              "4294967295",
                              "4294967296",
                              "18446744073709551615",
                              "18446744073709551616",
                              "30:00",
                              "2-12:30",
                              "DOWN",
                              "FUTURE",
                              "DRAIN",
                              "EXCLUSIVE",
                              "YES:1",
                              "FORCE:0",
                              "FORCE:4",
                              "core",
                              "numa",
                              "CR_CPU",
                              "CR_Core",
                              "GANG,SUSPEND",
                              "REQUEUE",
                              "CPU=1.0,Mem=0.25G",
                              "CPU:1",
                              "gpu:8",
                              "gpu:h100:8,tmp:no_consume:4G",
                              "gpu:-1",
                              "0-3,8",
                              "first"}) {
      if (cluster::value_problem(key, value).empty()) {
        std::printf("%s %s %s\n", line, std::string(key.name).c_str(), value);
      }
    }
  }
}

}  // namespace

int main() {
  print("node", cluster::slurm_node_keys());
  print("partition", cluster::slurm_partition_keys());
}
