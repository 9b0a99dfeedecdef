// Machines of the fake Google Cloud: network namespaces with their own root in which only PID 1
// runs; tests enter them with nsenter.
//
//   machines FOLDER PREFIX FAKE HARDWARE    FOLDER as in google_cloud.py; PREFIX is /opt/slipway;
//                                           HARDWARE is hardware.cc as a library
//
// A machine runs as long as instances/NAME.json exists and its status is RUNNING or STOPPING, and
// boots by itself if the file machines-boot exists. No further ones start while there is a file
// machines-stay-off. If there is a file machines-image, with the
// path of an image's root, machines start from that, with its systemd as PID 1 (root only).
// Everything ends with this program.
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/pidfd.h"
#include "common/process.h"
#include "launcher/local/gpu_state.h"
#include "launcher/local/host_mounts.h"
#include "launcher/local/message.h"
#include "launcher/local/namespaces.h"
#include "launcher/local/network.h"
#include "launcher/local/node_root.h"
#include "launcher/local/oldest_namespace.h"
#include "launcher/node/init.h"

namespace {

using namespace slipway;
namespace fs = std::filesystem;
using nlohmann::json;

struct Cloud {
  fs::path folder, prefix, fake, hardware;
  fs::path image;  // empty: machines start from the host's root, without systemd
  std::vector<fs::path> host_mounts;
  // One network for all machines; its gateway is where the fake listens.
  std::vector<local::Bridge> bridges = {{"vpc0", "vpc", "10.0.0.1/16", 1460}};
};

// What mount(8) calls for `-t nfs`: a share is a folder of the fake cloud. Machines that are
// servers have theirs below exports-of.
constexpr const char* fake_mount_nfs =
    "#!/bin/sh\n"
    "# mount.nfs SERVER:/SHARE TARGET -o OPTIONS\n"
    "exports=/srv/exports-of/${1%%:*}\n"
    "[ ! -d \"$exports\" ] || exec mount --bind \"$exports${1#*:}\" \"$2\"\n"
    "exec mount --bind \"/srv/${1#*:/}\" \"$2\"\n";

// Shares the folders in the configuration that `slipway node boot` writes.
constexpr const char* fake_exportfs =
    "#!/bin/sh\n"
    "# exportfs -ra\n"
    "sed -n 's/^\\(\\/[^ ]*\\) .*/\\1/p' /etc/exports.d/*.exports | while read -r folder; do\n"
    "  share=/srv/exports-of/$(hostname)$folder\n"
    "  [ ! \"$folder\" -ef \"$share\" ] || continue\n"
    "  mkdir -p \"$share\" && mount --bind \"$share\" \"$folder\" || exit\n"
    "done\n";

// The server is the kernel's, and its unit loads a module.
constexpr const char* fake_nfs_server =
    "[Unit]\nDescription=the stand-in's NFS server\n"
    "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n";

// The same for `-t gcsfuse`: a bucket is a folder of the fake cloud, too.
constexpr const char* fake_mount_gcsfuse =
    "#!/bin/sh\n"
    "# mount.gcsfuse BUCKET TARGET -o OPTIONS\n"
    "mkdir -p \"/srv/$1\" && echo \"$@\" >\"/srv/$1/mounted-with\" && exec mount --bind "
    "\"/srv/$1\" \"$2\"\n";

// In some containers, the tests may not raise limits.
constexpr const char* no_limits =
    "[Service]\nLimitNOFILE=\nLimitMEMLOCK=\nLimitSTACK=\nLimitNPROC=\n";

constexpr const char* hardware_library = "/usr/lib/slipway-hardware.so";

// What hardware.cc reads.
std::string text_of_hardware(const json& hardware) {
  return fmt::format("{} {} {} {}\n", hardware["sockets"].get<long>(),
                     hardware["cores"].get<long>(), hardware["threads"].get<long>(),
                     hardware["memory_mb"].get<long>());
}

// `number` differs at each start: a machine that is off and on again has a new root.
local::NodeRoot root_of(const local::PlannedNode& node, size_t number, const json& instance,
                        const Cloud& cloud) {
  const std::string& name = node.name;
  const std::string zone = instance["metadata"]["zone"];
  const std::string project = instance["project"];
  const std::string domain = fmt::format("c.{}.internal", project);
  local::NodeRoot root;
  root.folder = cloud.folder / "run" / fmt::format("{}.{}", name, number);
  if (!cloud.image.empty()) root.image = cloud.image;
  root.image_mounts = cloud.host_mounts;
  root.files = {{"/etc/hostname", name + "\n"},
                {"/etc/hosts", "127.0.0.1 localhost\n"},
                {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
                {"/etc/resolv.conf",
                 fmt::format("nameserver 169.254.169.254\nsearch {}.{} {} google.internal\n",
                             zone.substr(zone.rfind('/') + 1), domain, domain)},
                {"/etc/ssl/certs/ca-certificates.crt", read_file(cloud.folder / "ca.crt")},
                {"/etc/hardware", text_of_hardware(instance["hardware"])},
                {"/etc/ld.so.preload", std::string(hardware_library) + "\n"},
                {"/usr/sbin/mount.nfs", fake_mount_nfs},
                {"/usr/sbin/mount.gcsfuse", fake_mount_gcsfuse},
                {"/usr/sbin/exportfs", fake_exportfs}};
  root.fresh_folders = {"/etc/munge",       "/etc/slurm",           "/etc/slipway",
                        "/var/lib/slipway", "/var/spool/slurmctld", "/var/spool/slurmd"};
  const fs::path logs = cloud.folder / "log-of" / name;
  make_directories(logs);
  root.binds = {{logs, "/var/log/slurm", false},
                {cloud.folder / "shares", "/srv", false},
                {cloud.hardware, hardware_library, true}};
  if (cloud.image.empty()) {
    root.binds.push_back({cloud.prefix, node_prefix, true});
  } else {
    root.files["/etc/systemd/system/nfs-server.service"] = fake_nfs_server;
    for (const char* unit : {"munge", "slurmctld", "slurmd"}) {
      root.files[fmt::format("/etc/systemd/system/{}.service.d/limits.conf", unit)] = no_limits;
    }
  }
  local::show_gpus(cloud.folder / "gpus", node, cloud.prefix, root);
  return root;
}

// What the image's unit does, some seconds after the machine was requested, as in the cloud. Its
// processes have an uptime of only that: slurmctld compares a node's boot time with the time of its
// own request.
void start_boot() {
  std::this_thread::sleep_for(std::chrono::seconds(2));
  timespec up = {};
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  if (::unshare(CLONE_NEWTIME) != 0) throw_errno("cannot make a time namespace");
  const Fd offsets(::open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC));
  const std::string offset = fmt::format("boottime -{} 0\n", up.tv_sec);
  if (::write(offsets.get(), offset.data(), offset.size()) < 0) throw_errno("timens_offsets");
  if (::fork() != 0) return;
  redirect_streams("/var/log/slurm/boot.log");
  const std::string program = std::string(node_prefix) + "/bin/slipway";
  ::execl(program.c_str(), program.c_str(), "node", "boot", "--deadline", "60", nullptr);
  ::_exit(127);
}

// As in a container: systemd does not manage hardware, and the machine has its own journal.
[[noreturn]] void become_systemd() {
  if (::unshare(CLONE_NEWCGROUP) != 0) throw_errno("cannot make a cgroup namespace");
  run_checked({"/bin/mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup"});
  unblock_signals();
  const char* const variables[] = {"container=slipway", "PATH=/usr/sbin:/usr/bin", nullptr};
  ::execle("/lib/systemd/systemd", "systemd", nullptr, variables);
  throw_errno("cannot run systemd");
}

// Turns this process into the machine once its network interface exists.
[[noreturn]] void be_the_machine(const local::PlannedNode& node, size_t number,
                                 const json& instance, const Cloud& cloud, int channel) {
  ::prctl(PR_SET_NAME, "slipway-vm");
  ::prctl(PR_SET_DUMPABLE, 1);  // lets the tests' user enter the machine
  const local::NodeRoot root = root_of(node, number, instance, cloud);
  const bool boots = fs::exists(cloud.folder / "machines-boot");
  ::sethostname(node.name.data(), node.name.size());
  local::become_oldest_mount_namespace();
  local::build_node_root(root);
  local::receive_message(channel);
  const local::Port& port = node.ports.front();
  const std::string mac = instance["metadata"]["networkInterfaces"][0]["mac"];
  local::run_ip(fmt::format("link set dev {} address {}\n", port.interface, mac) +
                local::addresses_batch(node) +
                fmt::format("route add default via 10.0.0.1 dev {}\n", port.interface));
  local::enter_node_root(root.folder);
  for (const char* program :
       {"/usr/sbin/mount.nfs", "/usr/sbin/mount.gcsfuse", "/usr/sbin/exportfs"}) {
    ::chmod(program, 0755);
  }
  local::send_message(channel, {{"state", "up"}});
  ::close(channel);
  if (!cloud.image.empty()) become_systemd();
  if (boots) start_boot();
  node::reap_children_forever();
}

// Whether the machine is on. A file that is just being replaced counts as before.
bool is_on(const fs::path& file, bool before) {
  try {
    const std::string status = json::parse(read_file(file)).value("status", "RUNNING");
    return status == "RUNNING" || status == "STOPPING";
  } catch (const std::exception&) {
    return before && fs::exists(file);
  }
}

pid_t start_machine(const std::string& name, size_t number, const Cloud& cloud) {
  const json instance = json::parse(read_file(cloud.folder / "instances" / (name + ".json")));
  local::PlannedNode node;
  node.name = name;
  fs::remove_all(cloud.folder / "run" / name);  // of an earlier machine with this name
  const json& profile = instance["profile"];
  node.ports = {{profile["network_interfaces"][0]["name"], instance["address"], 1460, 0}};
  node.node_json = profile.dump();
  node.gpu_devices = profile["gpus"]["devices"];
  if (!node.gpu_devices.empty()) local::prepare_gpus(cloud.folder / "gpus", node);
  SocketPair channel = make_socket_pair();
  const pid_t pid = local::start_in_new_namespaces(local::own_namespaces, nullptr, [&] {
    be_the_machine(node, number, instance, cloud, channel.theirs.get());
  });
  {
    const Fd network = local::network_namespace_of(pid);
    local::run_ip(local::ports_batch(node, number, network.get(), cloud.bridges));
  }
  channel.theirs.reset();
  local::send_message(channel.ours.get(), {{"go", "network"}});
  if (!local::receive_message(channel.ours.get())) throw Error(name + " ended at once");
  return pid;
}

// PID 1 of the cloud. Ends when the other end of `alive` is closed.
[[noreturn]] void be_the_cloud(const Cloud& cloud, Pipe alive) {
  alive.write.reset();
  ::prctl(PR_SET_NAME, "slipway-cloud");
  const fs::path run = cloud.folder / "run";
  make_directories(run);
  run_checked({"/bin/mount", "--make-rprivate", "/"});
  run_checked({"/bin/mount", "-t", "tmpfs", "tmpfs", run});
  local::run_ip(local::bridges_batch(cloud.bridges) +
                "address add 169.254.169.254/32 dev vpc0\naddress add 199.36.153.8/32 dev vpc0\n");
  local::route_between_nodes(cloud.bridges);
  // The name of a share must appear in the list of mounts.
  for (const auto& share : fs::directory_iterator(cloud.folder / "shares")) {
    const std::string source = "10.0.0.1:/" + share.path().filename().string();
    run_checked({"/bin/mount", "-t", "tmpfs", source, share.path()});
  }
  if (::fork() == 0) {
    ::execlp("python3", "python3", "-B", cloud.fake.c_str(), cloud.folder.c_str(), nullptr);
    ::_exit(127);
  }
  std::map<std::string, pid_t> running;
  for (size_t number = 0;;) {
    for (const auto& entry : fs::directory_iterator(cloud.folder / "instances")) {
      const std::string name = entry.path().stem();
      if (entry.path().extension() != ".json" || running.contains(name)) continue;
      if (!is_on(entry.path(), false) || fs::exists(cloud.folder / "machines-stay-off")) continue;
      running[name] = start_machine(name, number++, cloud);
      write_file(cloud.folder / "up" / name, "");
    }
    std::erase_if(running, [&](const auto& machine) {
      if (is_on(cloud.folder / "instances" / (machine.first + ".json"), true)) return false;
      ::kill(machine.second, SIGKILL);
      ::waitpid(machine.second, nullptr, 0);  // it is off once its last process has ended
      fs::remove(cloud.folder / "up" / machine.first);
      return true;
    });
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    pollfd end = {alive.read.get(), POLLIN, 0};
    if (::poll(&end, 1, 20) > 0) ::_exit(0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_main("machines", [&] {
    if (argc != 5) throw UsageError("usage: machines FOLDER PREFIX FAKE HARDWARE");
    ::umask(022);
    Cloud cloud{argv[1], argv[2], argv[3],
                argv[4], {},      local::mount_points(read_file("/proc/self/mountinfo"))};
    if (const fs::path file = cloud.folder / "machines-image"; fs::exists(file)) {
      const std::string text = read_file(file);
      cloud.image = text.substr(0, text.find('\n'));
    }
    for (const char* name : {"up", "instances", "shares"}) make_directories(cloud.folder / name);
    const std::optional<local::IdMap> map =
        ::geteuid() == 0 ? std::nullopt : std::optional(local::id_map_of_caller());
    Pipe alive = make_pipe();
    const pid_t pid =
        local::start_in_new_namespaces(local::own_namespaces, map ? &*map : nullptr,
                                       [&] { be_the_cloud(cloud, std::move(alive)); });
    write_file(cloud.folder / "pid", fmt::format("{}\n", pid));
    const Fd pidfd = open_pidfd(pid);
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGINT);
    ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
    int signal = 0;
    ::sigwait(&wanted, &signal);
    local::end_process(pidfd);
    return 0;
  });
}
