// What a cluster on this machine needs from it.
#include "launcher/local/requirements.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"
#include "launcher/local/deployment_folder.h"
#include "launcher/local/image_store.h"
#include "launcher/local/kernel_features.h"
#include "launcher/local/launch.h"
#include "launcher/local/namespaces.h"
#include "launcher/node/installed_slurm.h"

namespace slipway::local {
namespace {

using State = Requirement::State;

struct NeededProgram {
  const char* path;
  const char* package;  // Debian package
  const char* purpose;
  enum { always, ordinary_user, accounting, prometheus, some_commands } when = always;
  bool on_nodes = true;  // false: this machine runs it on the nodes' behalf
};

constexpr const char* squashfuse = "usr/bin/squashfuse";
constexpr const char* pyxis_lines = "usr/local/share/pyxis/pyxis.conf";  // of its `make install`

constexpr NeededProgram programs[] = {
    {"/usr/sbin/slurmctld", "slurmctld", "controls the cluster"},
    {"/usr/sbin/slurmd", "slurmd", "runs jobs on the nodes"},
    {"/usr/bin/srun", "slurm-client", "starts jobs; sinfo, sbatch and scontrol come with it"},
    {"/usr/sbin/munged", "munge", "authenticates Slurm's programs"},
    {"/sbin/ip", "iproute2", "makes the networks", NeededProgram::always, false},
    {"/usr/sbin/slurmdbd", "slurmdbd", "keeps the history of jobs (deploy --accounting)",
     NeededProgram::accounting},
    {"/usr/sbin/mariadbd", "mariadb-server-core", "keeps the history of jobs (deploy --accounting)",
     NeededProgram::accounting},
    {"/usr/bin/prometheus", "prometheus", "keeps metrics (`monitoring: prometheus` in a blueprint)",
     NeededProgram::prometheus},
    {"/usr/bin/newuidmap", "uidmap", "gives an ordinary user's cluster its users",
     NeededProgram::ordinary_user, false},
    {"/usr/bin/squashfuse", "squashfuse",
     "mounts the image of a container (srun --container-image)", NeededProgram::some_commands},
    {"/usr/bin/mksquashfs", "squashfs-tools", "makes images of containers",
     NeededProgram::some_commands},
    {"/usr/bin/skopeo", "skopeo", "fetches images of containers (slipway container import)",
     NeededProgram::some_commands},
    {"/usr/bin/umoci", "umoci", "unpacks images of containers (slipway container import)",
     NeededProgram::some_commands},
    {"/usr/bin/mmdebstrap", "mmdebstrap", "builds images (slipway image build)",
     NeededProgram::some_commands, false},
    {"/usr/bin/dot", "graphviz", "draws pictures (slipway graph --format svg)",
     NeededProgram::some_commands, false},
    {"/usr/bin/git", "git", "fetches modules (slipway fetch)", NeededProgram::some_commands, false},
};

constexpr const char* chroot_advice =
    "enter it with pivot_root instead, as unshare and container runtimes do, or run slipway "
    "outside";

Requirement root_folder() {
  Requirement root{"the root folder", "commands find nodes from the root of the mount namespace"};
  if (!is_in_chroot()) return root;
  root.state = State::missing;
  root.found = "this is a chroot";
  root.remedy = chroot_advice;
  return root;
}

std::string advice_for(const KernelFeature& feature) {
  if (feature.name == "namespaces") {
    return "see the sysctls kernel.unprivileged_userns_clone, "
           "kernel.apparmor_restrict_unprivileged_userns and user.max_user_namespaces; a container "
           "needs to be privileged";
  }
  return "load the kernel's modules (as root: modprobe overlay bridge veth), or use Linux 5.11 or "
         "newer";
}

void add_kernel(std::vector<Requirement>& all) {
  for (const KernelFeature& feature : try_kernel_features()) {
    const bool works = feature.problem.empty();
    all.push_back({feature.name, "nodes and their networks are made of them",
                   works ? State::ok : State::missing, feature.problem, "",
                   works ? "" : advice_for(feature)});
  }
  Requirement time{"time namespaces", "nodes that start on demand"};
  if (!has_time_namespaces()) {
    time.state = State::warning;
    time.remedy = "a kernel with CONFIG_TIME_NS; until then, set node_count_dynamic_max to 0";
  }
  all.push_back(std::move(time));
}

// As the job's user opens it: root's clusters have a device of their own, with the usual mode.
Requirement fuse_required() {
  constexpr const char* path = "/dev/fuse";
  Requirement fuse{path, "containers of jobs mount their images with it"};
  if (Fd(::open(path, O_RDWR | O_CLOEXEC))) return fuse;
  const int code = errno;
  fuse.state = State::warning;
  if (code == ENOENT) {
    fuse.found = "not there";
    fuse.remedy = "as root: modprobe fuse; in a container, give it the device (--device /dev/fuse)";
  } else if (code == EACCES && ::geteuid() != 0) {
    fuse.found = "you may not open it";
    fuse.remedy = "as root: chmod 0666 /dev/fuse, as the package fuse3 does where udev runs";
  } else {
    fuse.found = std::strerror(code);
    fuse.remedy = "as root: modprobe fuse; in a container, give it the device (--device /dev/fuse)";
  }
  return fuse;
}

Requirement subordinate_ids() {
  Requirement ids{"/etc/subuid and /etc/subgid", "an ordinary user's cluster has its own users"};
  try {
    id_map_of_caller();
  } catch (const Error& error) {
    ids.state = State::missing;
    ids.found = error.what();
  }
  return ids;
}

Requirement pmix_plugin() {
  Requirement plugin{"Slurm's plugin for PMIx", "srun starts MPI programs"};
  if (node::has_pmix_plugin("/")) return plugin;
  plugin.state = State::warning;
  plugin.found = "no mpi_pmix.so";
  plugin.remedy = "start MPI programs with mpirun";
  return plugin;
}

// The nearest folder that exists has to be writable.
Requirement deployments() {
  Requirement place{"a folder for deployments", "keeps the files of clusters"};
  std::filesystem::path folder;
  try {
    folder = deployments_folder();
  } catch (const Error& error) {
    place.state = State::missing;
    place.found = error.what();
    return place;
  }
  place.name = folder.string();
  // One that the caller cannot look into counts as missing.
  std::error_code ignored;
  while (!std::filesystem::exists(folder, ignored) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return place;
  place.state = State::missing;
  place.found = fmt::format("you cannot write to {}", folder.string());
  return place;
}

}  // namespace

std::vector<Requirement> requirements() {
  std::vector<Requirement> all{root_folder()};
  add_kernel(all);
  if (::geteuid() != 0) all.push_back(subordinate_ids());
  for (const NeededProgram& program : programs) {
    if (program.when == NeededProgram::ordinary_user && ::geteuid() == 0) continue;
    const bool always =
        program.when == NeededProgram::always || program.when == NeededProgram::ordinary_user;
    all.push_back(program_required(program.path, program.purpose, program.package,
                                   always ? Needed::always : Needed::sometimes));
  }
  all.push_back(fuse_required());
  all.push_back(slurm_release_required());
  all.push_back(pmix_plugin());
  all.push_back(deployments());
  return all;
}

void require_programs(const cluster::Controller& controller, const std::string& image) {
  if (is_in_chroot()) {
    throw Error(
        fmt::format("this is a chroot: commands could not enter the nodes, which are found from "
                    "the root of the mount namespace; {}",
                    chroot_advice));
  }
  const std::filesystem::path root = image_root(image);
  std::vector<std::string> missing;
  std::set<std::string> packages;
  for (const NeededProgram& program : programs) {
    if (program.when == NeededProgram::some_commands) continue;
    if (program.when == NeededProgram::ordinary_user && ::geteuid() == 0) continue;
    if (program.when == NeededProgram::accounting && !controller.accounting) continue;
    if (program.when == NeededProgram::prometheus && controller.monitoring != "prometheus")
      continue;
    const std::filesystem::path path(program.path);
    const bool within = program.on_nodes && !image.empty();
    if (::access((within ? root / path.relative_path() : path).c_str(), X_OK) == 0) continue;
    missing.emplace_back(program.path);
    packages.insert(program.package);
  }
  if (missing.empty()) return;
  const std::vector<std::string> names(packages.begin(), packages.end());
  if (!image.empty()) {
    throw Error(fmt::format("the image `{}`, or this machine, lacks {} (packages: {})", image,
                            join(missing, ", "), join(names, " ")));
  }
  throw Error(fmt::format("this machine lacks {}; as root: apt-get install {}", join(missing, ", "),
                          join(names, " ")));
}

std::string note_on_containers(const std::string& containers, const std::string& image) {
  const std::filesystem::path root = image_root(image);
  const std::string where = image.empty() ? "this machine" : fmt::format("the image `{}`", image);
  if (containers == "pyxis" && !std::filesystem::exists(root / pyxis_lines)) {
    return fmt::format(
        "jobs have no --container-image: `containers` is pyxis, and {} has no /{}; install pyxis "
        "and enroot there, or set `containers` to slipway",
        where, pyxis_lines);
  }
  if (containers != "slipway") return {};
  const Requirement fuse = fuse_required();
  if (fuse.state != State::ok) {
    return fmt::format("jobs cannot use --container-image: {} is {}; {}", fuse.name,
                       fuse.found == "not there" ? "missing" : "closed", fuse.remedy);
  }
  if (::access((root / squashfuse).c_str(), X_OK) == 0) return {};
  return fmt::format(
      "jobs cannot use --container-image: {} has no squashfuse (package: squashfuse)", where);
}

void require_elastic_nodes() {
  if (has_time_namespaces()) return;
  throw Error(
      "this kernel has no time namespaces (CONFIG_TIME_NS), and without them Slurm takes a node "
      "that starts on demand for a long-running one; set node_count_dynamic_max to 0 "
      "to do without on-demand nodes");
}

}  // namespace slipway::local
