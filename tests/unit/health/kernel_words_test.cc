// Tests of what matters in the kernel log: nothing that users can write there.
#include "launcher/health/kernel_words.h"

#include <fmt/core.h>

#include "launcher/source/yaml.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"

using namespace slipway;
using namespace slipway::health;
using Lines = std::vector<std::string>;

namespace {

// What a text from /dev/kmsg means: "79 0000:07:00.0" for an Xid, the finding of a pattern.
Lines words_of(const std::string& log) {
  static const Policy policy = policy_with();
  Lines words;
  for (const KernelRecord& record : parse_kernel_log(log, -1)) {
    if (const auto xid = xid_of(record)) {
      words.push_back(fmt::format("{} {}", xid->number, xid->bus));
    } else if (const auto* pattern = pattern_of(record, policy)) {
      words.push_back(pattern->finding);
    }
  }
  return words;
}

std::string at_level(int level, const std::string& text) {
  return fmt::format("{},1,1,-;{}\n", level, text);
}

const std::string an_xid = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=x, GPU has fallen off";

// Records that the shipped policy treats as faults, as real kernels write them.
const Lines& faults() {
  static const Lines all = [] {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    const auto root =
        read_yaml(sources.add_file(TEST_SOURCE_ROOT "/blueprints/catalogue/health.yaml"), sources,
                  diagnostics);
    Lines found = {an_xid};
    for (const source::Node& one : root->find("kernel_log")->items) {
      found.push_back(one.find("example")->text);
    }
    return found;
  }();
  return all;
}

// Every known kernel record that contains text chosen by users. `name` is a program's, of up to 15
// bytes, `text` a file's, a cgroup's or a device's.
Lines records_with(const std::string& name, const std::string& text) {
  return {
      name + "[4381]: segfault at 0 ip 0000559d50f3b139 sp 00007ffd19d6d930 error 6 in " + text +
          "[1139,559d50f3b000+1000] likely on CPU 1 (core 1, socket 0)",
      name + "[4381]: unhandled exception: DABT (lower EL), ESR 0x92000046, in " + text + "[1,1]",
      name + "[4381] vsyscall attempted with vsyscall=none ip:ffffffffff600000 cs:33 sp:7f",
      name + "[4381] bad frame in rt_sigreturn frame:00007f ip:7f sp:7f orax:f in " + text +
          "[1,1]",
      name + " invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
      name + ": page allocation failure: order:9, mode:0xcc0(GFP_KERNEL), cpuset=" + text,
      name + ": vmalloc error: size 4096, page order 0, failed to allocate pages",
      name + " (4381): drop_caches: 3",
      name + " (4381) used greatest stack depth: 11032 bytes left",
      name + "(4381): " + text,
      "traps: " + name + "[4381] general protection fault ip:1 sp:2 error:0 in " + text + "[1,2]",
      "traps: " + name + "[4381] trap invalid opcode ip:1 sp:2 error:0 in " + text + "[1,2]",
      "CPU: 0 PID: 4381 Comm: " + name + " Not tainted 6.1.0-18-cloud-amd64 #1",
      "[   4381]  1000  4381   262144   250000  2048000        0             0 " + name,
      "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=" + text + ",oom_memcg=/" +
          text + ",task_memcg=/" + text + ",task=" + name + ",pid=4381,uid=1000",
      "Memory cgroup stats for /" + text + ":",
      "Tasks in /" + text + " are going to be killed due to memory.oom.group set",
      "process '" + text + "' started with executable stack",
      "warning: `" + name + "' uses wireless extensions which will stop working",
      "ptrace attach of \"" + text + "\"[4381] was attempted by \"" + text + "\"[4382]",
      "x86/split lock detection: #AC: " + name + "/4381 took a split_lock trap at address: 0x1",
      "EXT4-fs (" + text + "): mounted filesystem with ordered data mode",
      "EXT4-fs error (device loop7): ext4_lookup:1855: inode #2: comm " + name + ": " + text,
      "EXT4-fs error (device " + text + "): ext4_lookup:1855: inode #2: comm " + name,
      "I/O error, dev loop7, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
      "usb 1-1: Product: " + text,
      "usb 1-1: Manufacturer: " + text,
      "input: " + text + " as /devices/pci0000:00/usb1/1-1/input/input7",
      "scsi 6:0:0:0: Direct-Access     " + text + " PQ: 0 ANSI: 6",
      "overlayfs: unrecognized mount option \"" + text + "\" or missing value",
      "tmpfs: Unknown parameter '" + text + "'",
      "fuse: Unknown parameter '" + text + "'",
      "cgroup: Unknown subsys name '" + text + "'",
      "audit: type=1326 audit(1.1:1): auid=1000 uid=1000 comm=\"" + name + "\" exe=\"" + text +
          "\"",
      "IPv6: ADDRCONF(NETDEV_CHANGE): " + text + ": link becomes ready",
      "br0: port 1(" + text + ") entered blocking state",
      "device " + text + " entered promiscuous mode",
      "systemd-journald[1]: " + text,
      name + "\\x0a" + text + "[4381]: segfault at 0",
      "\\x0a" + text,
      " " + text,
      "a " + text,
      text.substr(0, 15) + "[4381]: " + text.substr(std::min(text.size(), size_t{15})),
  };
}

}  // namespace

TEST_CASE("kernel words: a program named like an Xid, with a file named like the Xid's end") {
  CHECK(words_of("6,12955,1,-;NVRM: Xid (PCI:[4381]: segfault at 0 ip 000055d0c0a0b170 sp "
                 "00007ffc8f1e2c50 error 6 in x): 79, y[1170,55d0c0a0b000+1000] likely on CPU 0 "
                 "(core 0, socket 0)\n")
            .empty());
  CHECK(words_of("6,12956,1,-;Kernel panic - [4382]: segfault at 0 ip 1 sp 2 error 6 in not "
                 "syncing: x[1170,1+1000]\n")
            .empty());
}

TEST_CASE("kernel words: each fault in the policy, and an Xid, are recognized by their record") {
  for (const std::string& fault : faults()) {
    INFO(fault);
    CHECK(words_of(at_level(0, fault)).size() == 1);
    // Not below a warning, nor from user space, nor as a fragment of a line.
    for (const int level : {5, 6, 7}) CHECK(words_of(at_level(level, fault)).empty());
    CHECK(words_of("8,1,1,-;" + fault + "\n").empty());
    CHECK(words_of("12,1,1,-;" + fault + "\n").empty());
    CHECK(words_of("0,1,1,c;" + fault + "\n").empty());
    CHECK(words_of("0,1,1,+;" + fault + "\n").empty());
    CHECK(words_of(" " + fault + "\n").empty());
    CHECK(words_of("0,1,1,-;x\n SUBSYSTEM=" + fault + "\n").empty());
  }
}

TEST_CASE("kernel words: no name or text chosen by a user becomes a fault, wherever it is") {
  for (const std::string& fault : faults()) {
    for (size_t cut = 0; cut <= std::min<size_t>(fault.size(), 15); ++cut) {
      const std::string name = fault.substr(0, cut);
      for (const std::string& text : {fault, fault.substr(cut)}) {
        for (const std::string& record : records_with(name, text)) {
          // At any level: safety does not depend on the level alone.
          for (const int level : {0, 2, 3, 4, 6}) {
            INFO(record);
            CHECK(words_of(at_level(level, record)).empty());
          }
        }
      }
    }
  }
}

TEST_CASE("kernel words: a record with text chosen by a user is only what it is") {
  for (const std::string& fault : faults()) {
    const std::string name = fault.substr(0, 15);
    CHECK(words_of(at_level(3, "Out of memory: Killed process 4381 (" + name +
                                   ") total-vm:1kB, anon-rss:1kB, UID:1000")) ==
          Lines{"out-of-memory"});
    CHECK(
        words_of(at_level(3, "INFO: task " + name + ":4381 blocked for more than 120 seconds.")) ==
        Lines{"kernel-stall"});
    CHECK(
        words_of(at_level(2, "EXT4-fs error (device nvme0n1p1): ext4_lookup:1855: inode #2: comm " +
                                 name + ": " + fault)) == Lines{"disk-errors"});
    CHECK(words_of(at_level(4, "NVRM: Xid (PCI:0000:3b:00): 31, pid=1, name=" + name + ", " +
                                   fault)) == Lines{"31 0000:3b:00.0"});
  }
}

TEST_CASE("kernel words: Xids are recognized as the driver writes them, also for parts of a GPU") {
  const std::string begin = "4,1,1,-;NVRM: Xid (PCI:";
  CHECK(words_of(begin + "0000:3b:00): 79, GPU has fallen off the bus.\n") ==
        Lines{"79 0000:3b:00.0"});
  CHECK(words_of(begin + "0000:3B:00.0): 79, x\n") == Lines{"79 0000:3b:00.0"});
  CHECK(words_of(begin + "10000:3b:00): 79, x\n") == Lines{"79 10000:3b:00.0"});
  CHECK(words_of(begin + "00000001:00:00): 79, x\n") == Lines{"79 0001:00:00.0"});
  CHECK(words_of(begin + "0000:3b:00 GPU-I:05): 94, pid='<unknown>', name=<unknown>, x\n") ==
        Lines{"94 0000:3b:00.0"});
  CHECK(words_of(begin + "0000:3b:00 GPU-I:05 GPU-CI:00): 94, x\n") == Lines{"94 0000:3b:00.0"});
  CHECK(words_of("3,1,1,-,caller=T12;NVRM: Xid (PCI:0000:3b:00): 79, x\n").size() == 1);
  for (const char* wrong : {"0000:3b:00): x, y",
                            "0000:3b:00): 79",
                            "0000:3b:00): 79 x",
                            "0000:3b:00): 0, x",
                            "0000:3b:00): -79, x",
                            "0000:3b:00): 99999, x",
                            "0000:3b:00): 079, x",
                            "0000:3b): 79, x",
                            "000:3b:00): 79, x",
                            "0000:3b:00.8): 79, x",
                            "0000:3b:40): 79, x",
                            "0000:3g:00): 79, x",
                            "0000:3b:00)]: 79, x",
                            "0000:3b:00 ): 79, x",
                            " 0000:3b:00): 79, x",
                            "x): 79, y",
                            "0000:3b:00) : 79, x",
                            "0000:3b:00 GPU-I:): 79, x",
                            "0000:3b:00): 79\\x2c x",
                            "[4381]: segfault at 0 error 6 in x): 79, y",
                            ""}) {
    INFO(wrong);
    CHECK(words_of(begin + wrong + "\n").empty());
  }
  CHECK(words_of("4,1,1,-;nvrm: Xid (PCI:0000:3b:00): 79, x\n").empty());
  CHECK(words_of("4,1,1,-;NVRM: Xid (PCI:0000:3b:00): 79, x").size() ==
        1);  // the last line of a file
}

TEST_CASE("kernel words: malformed records are ignored") {
  for (const char* wrong :
       {"", ";", "4;x", "4,1;x", "4,1,1;x", "4,1,1,-", "x,1,1,-;x", "-4,1,1,-;x", "4,x,1,-;x",
        "4,-,1,-;x", "4,1,1,--;x", "4,1,1,;x", " 4,1,1,-;x", "4294967300,1,1,-;x"}) {
    INFO(wrong);
    CHECK(parse_kernel_log(std::string(wrong) + "\n", -1).empty());
  }
  const auto records = parse_kernel_log("4,7,1,-;a;b\n4,8,1,-;c\n", 7);
  REQUIRE(records.size() == 1);
  CHECK(records[0].text == "c");
  CHECK(records[0].level == Level::warning);
}
