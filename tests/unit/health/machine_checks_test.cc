// Tests of the checks of everything but GPUs, over a machine made of files.
#include <fmt/format.h>

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

  std::map<std::string, Space> spaces;
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
    machine.write("/proc/11/comm", "munged\n");
    machine.write("/proc/12/comm", "slurmd\n");
    machine.write("/proc/self/mounts", "tmpfs /home nfs4 rw 0 0\n");
    machine.spaces["/"] = {gib, gib, gib, 100000, 200000, false, false};
  }
  void interface(const std::string& nic, const std::string& file, const std::string& text) {
    machine.write("/sys/class/net/" + nic + "/" + file, text + "\n");
  }

  // Looks, and remembers what the next look compares with.
  Lines look() {
    Look look;
    Looking looking(context, look);
    const Doing doing = [](const std::string&) {};
    check_network(machine, looking, doing);
    check_storage(machine, looking, doing);
    check_system(machine, looking);
    check_kernel_log(machine, looking);
    for (const auto& [name, value] : look.counters) context.before[name] = value;
    last = look;
    return lines_of(look);
  }
  Look last;
};

}  // namespace

TEST_CASE("machine checks: a healthy node has no finding") {
  FileNode node;
  CHECK(node.look().empty());
}

TEST_CASE("machine checks: an interface that is not there, is down, slow or has errors") {
  FileNode node;
  node.look();
  node.interface("eth1", "carrier", "0");
  node.interface("eth1", "operstate", "lowerlayerdown");
  node.interface("eth0", "speed", "100000");
  node.interface("eth0", "statistics/rx_errors", "101");
  node.interface("eth1", "carrier_down_count", "2");
  CHECK(node.look() == Lines{"nic-down eth1: no carrier, its state is lowerlayerdown",
                             "nic-slow eth0: 100000 Mbit/s, expected 200000",
                             "nic-errors eth0: 101 errors more than before",
                             "nic-flaps eth1: it lost its carrier 2 times more than before"});
  // Events are of one look, states last.
  CHECK(node.look() == Lines{"nic-down eth1: no carrier, its state is lowerlayerdown",
                             "nic-slow eth0: 100000 Mbit/s, expected 200000"});
  std::filesystem::remove_all(node.folder / "sys/class/net/eth1");
  CHECK(node.look().front() == "nic-missing eth1: there is no such interface");
}

TEST_CASE("machine checks: an interface without a speed, as virtual ones are, is not slow") {
  FileNode node;
  node.interface("eth0", "speed", "-1");
  CHECK(node.look().empty());
}

TEST_CASE(
    "machine checks: an RDMA port that was active and is not, ports that are missing, errors") {
  FileNode node("limits: {rdma_ports: 1}\n");
  const std::string port = "/sys/class/infiniband/mlx5_0/ports/1";
  CHECK(node.look() == Lines{"rdma-missing RDMA: 0 of 1 ports are active"});
  node.machine.write(port + "/state", "4: ACTIVE\n");
  node.machine.write(port + "/counters/symbol_error", "0\n");
  CHECK(node.look().empty());
  node.machine.write(port + "/state", "1: DOWN\n");
  node.machine.write(port + "/counters/symbol_error", "6\n");
  CHECK(node.look() == Lines{"rdma-port-down mlx5_0/1: it was active and is not",
                             "rdma-errors mlx5_0/1: 6 errors more than before",
                             "rdma-missing RDMA: 0 of 1 ports are active"});
}

TEST_CASE("machine checks: mounts of the profile and of the policy") {
  FileNode node("mounts: [/scratch]\n");
  node.context.profile.mounts = {"/home"};
  CHECK(node.look() == Lines{"mount-broken /home: its nfs4 does not answer",
                             "mount-missing /scratch: it is not mounted"});
  node.machine.write("/proc/self/mounts", "a /home nfs4 rw 0 0\nb /scratch lustre ro 0 0\n");
  node.machine.spaces["/home"] = {gib, gib, gib, 0, 0, false, false};
  node.machine.spaces["/scratch"] = {gib, gib, gib, 0, 0, false, true};
  CHECK(node.look() == Lines{"mount-read-only /scratch: it is mounted read-only"});
}

TEST_CASE("machine checks: a table of mounts of any length is read to its end") {
  FileNode node("mounts: [/last]\n");
  std::string mounts;
  for (int i = 0; i < 2000; ++i) mounts += fmt::format("a /mount/{} tmpfs rw 0 0\n", i);
  node.machine.spaces["/last"] = {gib, gib, gib, 0, 0, false, false};
  node.machine.write("/proc/self/mounts", mounts + "b /last nfs4 rw 0 0\n");
  CHECK(node.look().empty());
  // The kernel's own tables come in pieces of a page.
  const std::string own = Machine().read("/proc/self/maps").value_or("");
  REQUIRE(own.size() > 4096);
  CHECK(own.find("[stack]") != own.npos);
}

TEST_CASE("machine checks: a full disk, inodes, and what every user may fill up") {
  FileNode node;
  node.machine.spaces["/run"] = {1 << 20, 0, gib, 100000, 200000, false, false};
  node.machine.spaces["/tmp"] = {gib, 1 << 20, gib, 100000, 200000, true, false};
  node.machine.spaces["/var/spool/slurmd"] = {gib, gib, gib, 10, 200000, false, false};
  CHECK(node.look() == Lines{"scratch-full /tmp: 1 MiB are free", "disk-full /run: 1 MiB are free",
                             "disk-full /var/spool/slurmd: 10 inodes are free"});
}

TEST_CASE("machine checks: a small file system is not full because it is small") {
  FileNode node;
  constexpr uint64_t mib = 1 << 20;
  node.machine.spaces["/run"] = {4 * mib, 4 * mib, 64 * mib, 0, 0, false, false};
  CHECK(node.look().empty());
  node.machine.spaces["/run"] = {3 * mib, 3 * mib, 64 * mib, 0, 0, false, false};
  CHECK(node.look() == Lines{"disk-full /run: 3 MiB are free"});
}

TEST_CASE("machine checks: memory that is gone, little of it, errors in it, huge pages") {
  FileNode node("limits: {huge_pages_2mib: 4}\n");
  const std::string huge = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
  const std::string controller = "/sys/devices/system/edac/mc/mc0";
  node.machine.write(huge, "4\n");
  node.machine.write(controller + "/ue_count", "0\n");
  node.machine.write(controller + "/ce_count", "7\n");
  CHECK(node.look().empty());
  node.machine.write("/proc/meminfo", "MemTotal:  900000 kB\nMemAvailable:  9000 kB\n");
  node.machine.write(huge, "3\n");
  node.machine.write(controller + "/ue_count", "1\n");
  node.machine.write(controller + "/ce_count", "200\n");
  CHECK(node.look() ==
        Lines{"memory-missing memory: 878 MiB, there were 976",
              "memory-low memory: 8 MiB are available",
              "memory-ecc-uncorrected mc0: memory errors that cannot be corrected",
              "memory-ecc-corrected mc0: 193 corrected memory errors more than before",
              "huge-pages memory: 3 of 4 huge pages"});
}

TEST_CASE("machine checks: a clock that is off, and daemons that do not run") {
  FileNode node;
  node.machine.clock_state = ClockState{true, -250};
  std::filesystem::remove_all(node.folder / "proc/11");
  CHECK(node.look() ==
        Lines{"clock-offset clock: -250.0 ms off", "daemon-missing munged: it does not run"});
  node.machine.clock_state = ClockState{false, 0};
  CHECK(node.look().front() == "clock-unsynchronised clock: nothing keeps it at the right time");
}

TEST_CASE("machine checks: Xids and faults of the kernel are seen once each") {
  FileNode node;
  node.machine.write("/dev/kmsg",
                     "6,1,10,-;usb 1-1: new device\n SUBSYSTEM=usb\n"
                     "4,2,20,-;NVRM: Xid (PCI:0000:07:00): 79, pid=12, name=secret, fallen off\n"
                     "1,3,30,-;BUG: unable to handle page fault for address: 0\n");
  CHECK(node.look() ==
        Lines{"kernel-fault kernel: BUG: unable to handle", "gpu-xid GPU 0000:07:00.0: Xid 79"});
  CHECK(node.last.findings.at(1).xid == 79);
  CHECK(node.look().empty());
  node.machine.write("/dev/kmsg", "4,4,40,-;NVRM: Xid (PCI:0000:07:00.0): 48, DBE\n");
  CHECK(node.look() == Lines{"gpu-xid GPU 0000:07:00.0: Xid 48"});
}

TEST_CASE(
    "machine checks: what a user writes into the kernel's log is none of the kernel's words") {
  FileNode node;
  node.machine.write("/dev/kmsg",
                     // User space has a facility of its own.
                     "12,1,10,-;NVRM: Xid (PCI:0000:07:00): 79, x\n"
                     // A program's name, which is the user's choice, begins other records.
                     "6,2,10,-;NVRM: Xid (PCI:[77]: segfault at 0 ip 0 sp 0 error 4\n"
                     "6,3,10,-;BUG: unable to [78]: segfault at 0 ip 0 sp 0 error 4\n"
                     "6,4,10,-;NVRM: Xid (PCI:0000:07:00): x\n"
                     "no record\n4,5\n;\n");
  CHECK(node.look().empty());
}
