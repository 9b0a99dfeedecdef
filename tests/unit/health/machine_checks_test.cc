// Tests of all checks except those of GPUs, with a machine made of files.
#include <fmt/core.h>

#include "common/file.h"
#include "launcher/health/checks.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::health;
using Lines = std::vector<std::string>;

namespace {

constexpr uint64_t gib = 1ULL << 30;

class FakeMachine : public Machine {
 public:
  explicit FakeMachine(const TemporaryDirectory& folder)
      : Machine(folder.path()), folder_(folder) {}

  void write(const std::string& path, const std::string& text) {
    const auto file = folder_ / path.substr(1);
    make_directories(file.parent_path());
    write_file(file, text);
  }
  std::optional<Space> space(const std::filesystem::path& path) const override {
    const auto found = spaces.find(path);
    return found == spaces.end() ? std::optional<Space>() : found->second;
  }
  std::optional<ClockState> clock() const override { return clock_state; }

  FileOwners owners_of_files(const std::filesystem::path& path, const std::vector<std::string>&,
                             Missing) const override {
    const auto found = owners.find(path);
    return found == owners.end() ? FileOwners() : found->second;
  }

  std::map<std::string, Space> spaces;
  std::map<std::string, FileOwners> owners;
  std::optional<ClockState> clock_state = ClockState{true, 0};

 private:
  const TemporaryDirectory& folder_;
};

struct FileNode {
  TemporaryDirectory folder;
  FakeMachine machine{folder};
  Context context;

  explicit FileNode(const std::string& own_policy = "") : context(context_with(own_policy)) {
    for (const char* nic : {"eth0", "eth1"}) {
      interface(nic, "carrier", "1");
      interface(nic, "operstate", "up");
      interface(nic, "speed", "200000");
      interface(nic, "carrier_down_count", "0");
      interface(nic, "statistics/rx_errors", "0");
    }
    machine.write("/proc/meminfo", "MemTotal:  1000000 kB\nMemAvailable:  900000 kB\n");
    process(11, "munged", "110\t110\t110\t110");
    process(12, "slurmd", "0\t0\t0\t0");
    machine.write("/proc/self/mounts", "tmpfs /home nfs4 rw 0 0\n");
    machine.spaces["/"] = {gib, gib, gib, 100000, 200000, false, false};
  }
  void process(int id, const std::string& name, const std::string& users) {
    machine.write(fmt::format("/proc/{}/comm", id), name + "\n");
    machine.write(
        fmt::format("/proc/{}/status", id),
        fmt::format("Name:\t{}\nUmask:\t0022\nUid:\t{}\nGid:\t0\t0\t0\t0\n", name, users));
  }
  void interface(const std::string& nic, const std::string& file, const std::string& text) {
    machine.write("/sys/class/net/" + nic + "/" + file, text + "\n");
  }

  // Runs the checks, and saves counters for the next call.
  Lines check() {
    CheckResults results;
    CheckRun run(context, results);
    const Doing doing = [](const std::string&) {};
    check_network(machine, run, doing);
    check_storage(machine, run, doing);
    check_system(machine, run);
    check_kernel_log(machine, run);
    for (const auto& [name, value] : results.counters) context.before[name] = value;
    last = results;
    return lines_of(results);
  }
  CheckResults last;
};

}  // namespace

TEST_CASE("machine checks: a healthy node has no findings") {
  FileNode node;
  CHECK(node.check().empty());
}

TEST_CASE("machine checks: an interface that is missing, down, slow or has errors") {
  FileNode node;
  node.check();
  node.interface("eth1", "carrier", "0");
  node.interface("eth1", "operstate", "lowerlayerdown");
  node.interface("eth0", "speed", "100000");
  node.interface("eth0", "statistics/rx_errors", "101");
  node.interface("eth1", "carrier_down_count", "2");
  CHECK(node.check() == Lines{"nic-down eth1: no carrier (state lowerlayerdown)",
                              "nic-slow eth0: 100000 Mbit/s, expected 200000",
                              "nic-errors eth0: 101 new errors",
                              "nic-flaps eth1: lost its carrier 2 more times"});
  // Events are reported once, states until they end.
  CHECK(node.check() == Lines{"nic-down eth1: no carrier (state lowerlayerdown)",
                              "nic-slow eth0: 100000 Mbit/s, expected 200000"});
  std::filesystem::remove_all(node.folder / "sys/class/net/eth1");
  CHECK(node.check().front() == "nic-missing eth1: no such interface");
}

TEST_CASE("machine checks: a virtual interface without a speed is not slow") {
  FileNode node;
  node.interface("eth0", "speed", "-1");
  CHECK(node.check().empty());
}

TEST_CASE("machine checks: an RDMA port that is no longer active, missing ports, errors") {
  FileNode node("limits: {rdma_ports: 1}\n");
  const std::string port = "/sys/class/infiniband/mlx5_0/ports/1";
  CHECK(node.check() == Lines{"rdma-missing RDMA: 0 of 1 ports are active"});
  node.machine.write(port + "/state", "4: ACTIVE\n");
  node.machine.write(port + "/counters/symbol_error", "0\n");
  CHECK(node.check().empty());
  node.machine.write(port + "/state", "1: DOWN\n");
  node.machine.write(port + "/counters/symbol_error", "6\n");
  CHECK(node.check() == Lines{"rdma-port-down mlx5_0/1: was active, but no longer is",
                              "rdma-errors mlx5_0/1: 6 new errors",
                              "rdma-missing RDMA: 0 of 1 ports are active"});
}

TEST_CASE("machine checks: mounts in the profile and in the policy") {
  FileNode node("mounts: [/scratch]\n");
  node.context.profile.mounts = {"/home"};
  CHECK(node.check() == Lines{"mount-broken /home: the nfs4 mount does not respond",
                              "mount-missing /scratch: not mounted"});
  node.machine.write("/proc/self/mounts", "a /home nfs4 rw 0 0\nb /scratch lustre ro 0 0\n");
  node.machine.spaces["/home"] = {gib, gib, gib, 0, 0, false, false};
  node.machine.spaces["/scratch"] = {gib, gib, gib, 0, 0, false, true};
  CHECK(node.check() == Lines{"mount-read-only /scratch: mounted read-only"});
}

TEST_CASE("machine checks: a mount table of any length is read to its end") {
  FileNode node("mounts: [/last]\n");
  std::string mounts;
  for (int i = 0; i < 2000; ++i) mounts += fmt::format("a /mount/{} tmpfs rw 0 0\n", i);
  node.machine.spaces["/last"] = {gib, gib, gib, 0, 0, false, false};
  node.machine.write("/proc/self/mounts", mounts + "b /last nfs4 rw 0 0\n");
  CHECK(node.check().empty());
  // The kernel returns its tables in pieces of a page.
  const std::string own = Machine().read("/proc/self/maps").value_or("");
  REQUIRE(own.size() > 4096);
  CHECK(own.find("[stack]") != own.npos);
}

TEST_CASE("machine checks: a full disk, inodes, and folders that every user may fill") {
  FileNode node;
  node.machine.spaces["/run"] = {1 << 20, 0, gib, 100000, 200000, false, false};
  node.machine.spaces["/tmp"] = {gib, 1 << 20, gib, 100000, 200000, true, false};
  node.machine.spaces["/var/spool/slurmd"] = {gib, gib, gib, 10, 200000, false, false};
  CHECK(node.check() == Lines{"scratch-full /tmp: 1 MiB free", "disk-full /run: 1 MiB free",
                              "disk-full /var/spool/slurmd: 10 inodes free"});
}

TEST_CASE("machine checks: a disk that users filled is not the node's fault") {
  FileNode node;
  // A user's 3,200 empty files in /tmp, on the node's own disk.
  node.machine.spaces["/"] = {gib, gib, 10 * gib, 884, 655360, false, false};
  node.machine.owners["/"].users[1000] = {12 << 20, 3200};
  CHECK(node.check() ==
        Lines{"scratch-full /: 884 inodes free; uid 1000 has 3200 files and 12 MiB"});
  // Fewer than what is missing: the node's own files filled the disk.
  node.machine.owners["/"].users[1000] = {12 << 20, 115};
  CHECK(node.check() == Lines{"disk-full /: 884 inodes free; uid 1000 has 115 files and 12 MiB"});
  node.machine.owners["/"].users[1001] = {0, 1};
  CHECK(node.check() == Lines{"scratch-full /: 884 inodes free; uid 1000 has 115 files and 12 MiB, "
                              "uid 1001 has 1 file and 0 MiB"});
  // Bytes and inodes are each reason enough.
  node.machine.spaces["/"] = {gib / 32, 0, 10 * gib, 100000, 655360, false, false};
  CHECK(node.check().front().starts_with("disk-full /: 32 MiB free"));
  node.machine.owners["/"].users[1000].bytes = 32 << 20;
  CHECK(node.check().front().starts_with("scratch-full /: 32 MiB free"));
  // Hiding a large file among too many to count drains nothing either.
  node.machine.owners["/"] = {{}, false};
  CHECK(node.check() == Lines{"scratch-full /: 32 MiB free"});
}

TEST_CASE("machine checks: what nobody can find in memory is a user's") {
  FileNode node;
  node.machine.spaces["/run"] = {0, 0, gib, 100000, 200000, false, false, true};
  FileOwners& owners = node.machine.owners["/run"];
  // Daemons' logs.
  owners.others = {gib, 100000};
  CHECK(node.check() == Lines{"disk-full /run: 0 MiB free"});
  // Hidden by a user, of whom only a little is seen.
  owners.others = {gib / 4, 100};
  owners.users[1000] = {1 << 20, 1};
  CHECK(node.check() == Lines{"scratch-full /run: 0 MiB free; uid 1000 has 1 file and 1 MiB"});
  node.machine.spaces["/run"].is_memory = false;
  CHECK(node.check() == Lines{"disk-full /run: 0 MiB free; uid 1000 has 1 file and 1 MiB"});
}

TEST_CASE("machine checks: the disk that slurmd writes to is full before it is small") {
  FileNode node;
  constexpr uint64_t mib = 1 << 20;
  // One page was removed from a file system that is as small as its content.
  node.machine.spaces["/var/spool/slurmd"] = {8192, 8192, 40960, 100000, 200000, false, false};
  CHECK(node.check() == Lines{"disk-full /var/spool/slurmd: 0 MiB free"});
  node.machine.spaces["/var/spool/slurmd"] = {mib, mib, 4 * mib, 100000, 200000, false, false};
  CHECK(node.check().empty());
}

TEST_CASE("machine checks: a small file system is not full because it is small") {
  FileNode node;
  constexpr uint64_t mib = 1 << 20;
  node.machine.spaces["/run"] = {4 * mib, 4 * mib, 64 * mib, 0, 0, false, false};
  CHECK(node.check().empty());
  node.machine.spaces["/run"] = {3 * mib, 3 * mib, 64 * mib, 0, 0, false, false};
  CHECK(node.check() == Lines{"disk-full /run: 3 MiB free"});
}

TEST_CASE("machine checks: missing memory, low memory, memory errors, huge pages") {
  FileNode node("limits: {huge_pages_2mib: 4}\n");
  const std::string huge = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
  const std::string controller = "/sys/devices/system/edac/mc/mc0";
  node.machine.write(huge, "4\n");
  node.machine.write(controller + "/ue_count", "0\n");
  node.machine.write(controller + "/ce_count", "7\n");
  CHECK(node.check().empty());
  node.machine.write("/proc/meminfo", "MemTotal:  900000 kB\nMemAvailable:  9000 kB\n");
  node.machine.write(huge, "3\n");
  node.machine.write(controller + "/ue_count", "1\n");
  node.machine.write(controller + "/ce_count", "200\n");
  CHECK(node.check() == Lines{"memory-missing memory: 878 MiB, down from 976",
                              "memory-low memory: 8 MiB available",
                              "memory-ecc-uncorrected mc0: uncorrectable memory errors",
                              "memory-ecc-corrected mc0: 193 new corrected memory errors",
                              "huge-pages memory: 3 of 4 huge pages"});
}

TEST_CASE("machine checks: a clock that is off, and daemons that are not running") {
  FileNode node;
  node.machine.clock_state = ClockState{true, -250};
  std::filesystem::remove_all(node.folder / "proc/11");
  CHECK(node.check() ==
        Lines{"clock-offset clock: -250.0 ms off", "daemon-missing munged: not running"});
  node.machine.clock_state = ClockState{false, 0};
  CHECK(node.check().front() == "clock-unsynchronized clock: not synchronized");
}

TEST_CASE("machine checks: Debian's slurmd has another name once it was reconfigured") {
  FileNode node;
  std::filesystem::remove_all(node.folder / "proc/12");
  CHECK(node.check() == Lines{"daemon-missing slurmd: not running"});
  node.process(12, "slurmd-wlm", "0\t0\t0\t0");
  CHECK(node.check().empty());
  node.process(12, "slurmd-wlm", "1000\t1000\t1000\t1000");
  CHECK(node.check() == Lines{"daemon-missing slurmd: not running"});
  node.process(12, "slurmd-other", "0\t0\t0\t0");
  CHECK(node.check() == Lines{"daemon-missing slurmd: not running"});
}

TEST_CASE("machine: a process is unkillable while SIGKILL is pending") {
  FileNode node;
  CHECK_FALSE(node.machine.has_unkillable());
  const auto pending = [&](const char* thread, const char* process) {
    node.machine.write("/proc/13/status", fmt::format("Name:\tcat\nUid:\t0\t0\t0\t0\n"
                                                      "SigPnd:\t{}\nShdPnd:\t{}\nSigBlk:\t"
                                                      "ffffffffffffffff\n",
                                                      thread, process));
    return node.machine.has_unkillable();
  };
  CHECK_FALSE(pending("0000000000000000", "0000000000000000"));
  CHECK_FALSE(pending("0000000000004000", "fffffffffffffeff"));
  CHECK(pending("0000000000000100", "0000000000000000"));
  CHECK(pending("0000000000000000", "0000000000004100"));
}

TEST_CASE("machine checks: a node with auth/slurm needs no munged, but still slurmd") {
  FileNode node;
  std::filesystem::remove_all(node.folder / "proc/11");
  node.machine.write("/etc/slurm/slurm.conf",
                     "ClusterName=c\n#AuthType=auth/slurm\nAuthType=auth/munge\n");
  CHECK(node.check() == Lines{"daemon-missing munged: not running"});
  node.machine.write("/etc/slurm/slurm.conf",
                     "ClusterName=c\nAuthType=auth/slurm\nCredType=cred/slurm\n");
  CHECK(node.check().empty());
}

TEST_CASE("machine checks: a user's program named like a daemon is not the daemon") {
  FileNode node;
  // A user's program; a root program that a user renamed; the other way round.
  for (const char* users : {"1000\t1000\t1000\t1000", "1000\t0\t0\t0", "0\t1000\t1000\t1000", ""}) {
    INFO(users);
    node.process(11, "munged", users);
    CHECK(node.check() == Lines{"daemon-missing munged: not running"});
  }
  node.process(13, "munged", "110\t110\t110\t110");
  CHECK(node.check().empty());
}

TEST_CASE("machine checks: Xids and kernel faults are reported once each") {
  FileNode node;
  node.machine.write("/dev/kmsg",
                     "6,1,10,-;usb 1-1: new device\n SUBSYSTEM=usb\n"
                     "4,2,20,-;NVRM: Xid (PCI:0000:07:00): 79, pid=12, name=secret, fallen off\n"
                     "1,3,30,-;BUG: unable to handle page fault for address: 0000000000000010\n");
  CHECK(node.check() ==
        Lines{"kernel-fault kernel: page fault in the kernel", "gpu-xid GPU 0000:07:00.0: Xid 79"});
  CHECK(node.last.findings.at(1).xid == 79);
  CHECK(node.check().empty());
  node.machine.write("/dev/kmsg", "4,4,40,-;NVRM: Xid (PCI:0000:07:00.0): 48, DBE\n");
  CHECK(node.check() == Lines{"gpu-xid GPU 0000:07:00.0: Xid 48"});
}

TEST_CASE("machine checks: repeated kernel records do not fill a verdict") {
  FileNode node;
  std::string log;
  for (int i = 0; i < 1000; ++i) {
    log += fmt::format("4,{},20,-;NVRM: Xid (PCI:0000:07:00): 31, pid={}, x\n", i, i);
  }
  node.machine.write("/dev/kmsg", log + "4,1000,20,-;NVRM: Xid (PCI:0000:08:00): 31, x\n");
  CHECK(node.check().size() == 21);
  CHECK(node.last.findings.back().device == "GPU 0000:08:00.0");
}

TEST_CASE("machine checks: the driver shows where its GPUs are") {
  FileNode node;
  node.machine.write("/proc/driver/nvidia/gpus/0000:07:00.0/information", "");
  node.machine.write("/dev/kmsg", "");
  node.check();
  CHECK(node.last.facts.contains("gpu/0000:07:00.0"));
}

TEST_CASE("machine checks: a program named like an Xid or a fault is ignored") {
  FileNode node;
  node.machine.write(
      "/dev/kmsg",
      "12,1,10,-;NVRM: Xid (PCI:0000:07:00): 79, x\n"
      "6,2,10,-;NVRM: Xid (PCI:[77]: segfault at 0 ip 1 sp 2 error 6 in x): 79, y[1,2]\n"
      "4,3,10,-;Oops: 0002 [#1] invoked oom-killer: gfp_mask=0xcc0, order=0\n"
      "no record\n4,5\n;\n");
  CHECK(node.check().empty());
}

TEST_CASE("a node of a local cluster that starts again has booted") {
  const TemporaryDirectory folder;
  FakeMachine machine(folder);
  machine.write("/proc/sys/kernel/random/boot_id", "8c0f\n");
  const auto boot_with = [&](const std::string& start, const std::string& offset) {
    machine.write("/proc/1/stat", "1 (sleep (1) x) S 0 1 1 0 -1 4194560 9 0 0 0 0 0 0 0 20 0 1 0 " +
                                      start + " 1024 64");
    machine.write("/proc/self/timens_offsets",
                  "monotonic           0         0\nboottime " + offset + "\n");
    return machine.boot();
  };
  CHECK(boot_with("17", "0 0") == "8c0f/17");
  CHECK(boot_with("0", "     -55801 400000000") == "8c0f/0/-55801.400000000");
  CHECK(boot_with("0", "     -55801 7") == "8c0f/0/-55801.000000007");
  std::filesystem::remove(folder / "proc/self/timens_offsets");
  CHECK(machine.boot() == "8c0f/0");
}
