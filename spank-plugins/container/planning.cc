// From what a job asks for to what the runtime makes.
#include "spank-plugins/container/planning.h"

#include <fmt/core.h>

#include "common/error.h"
#include "spank-plugins/container/own_namespaces.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

}  // namespace

Way choose_way(const Request& request, const Existing& existing) {
  if (!request.name) return Way::make;
  const std::string name = *request.name;
  if (request.reuse == Reuse::create && existing.made) {
    throw Error(fmt::format("--container-name={}:create: the container already exists", name));
  }
  if (request.reuse == Reuse::exec && !existing.running) {
    throw Error(fmt::format("--container-name={}:exec: the container is not running", name));
  }
  if (existing.running && request.reuse == Reuse::no_exec) {
    throw Error(
        fmt::format("--container-name={}:no_exec: another step runs the container, and two "
                    "cannot write the same changes; leave out `:no_exec` to join it",
                    name));
  }
  if (existing.running) return Way::attach;
  if (existing.made) return Way::reuse;
  if (!request.image) {
    throw Error(fmt::format(
        "a container with name \"{}\" does not exist, and --container-image is not set", name));
  }
  return Way::make;
}

void check_joined(const Request& request, int namespaces) {
  for (const std::string& word : request.unshared) {
    if ((namespaces & namespace_of(word)) != 0) continue;
    throw Error(
        fmt::format("--container-unshare={}: the running container \"{}\" is not in a separate {} "
                    "namespace: only the step that starts a container chooses its namespaces",
                    word, request.name.value_or(""),
                    word == "net"   ? "network"
                    : word == "ipc" ? "IPC"
                                    : "UTS"));
  }
}

ContainerPlan plan_of(const Request& request, const Settings& settings, const fs::path& folder) {
  ContainerPlan plan;
  plan.mounts = request.mounts;
  for (MountRequest& mount : plan.mounts) {
    if (mount.source.starts_with('.')) mount.source = (folder / mount.source).lexically_normal();
  }
  plan.workdir = request.workdir.value_or("");
  plan.mount_home = request.mount_home.value_or(settings.mount_home);
  plan.remap_root = request.remap_root.value_or(settings.remap_root);
  plan.writable = request.writable.value_or(settings.writable);
  plan.entrypoint = request.entrypoint.value_or(settings.execute_entrypoint);
  plan.kernel_images = settings.kernel_images;
  plan.unshared = request.unshared;
  plan.job_wins = request.environment;
  return plan;
}

EnvironmentChanges changes_of(const Environment& job, const Environment& task) {
  EnvironmentChanges changes;
  for (const auto& [name, value] : task) {
    const auto before = job.find(name);
    if (before == job.end() || before->second != value) changes[name] = value;
  }
  for (const auto& [name, value] : job) {
    if (!task.contains(name)) changes[name] = std::nullopt;
  }
  return changes;
}

EnvironmentChanges without_kept(EnvironmentChanges changes, const std::vector<std::string>& kept,
                                const Environment& task) {
  for (const std::string& name : kept) {
    if (task.contains(name)) changes.erase(name);
  }
  return changes;
}

std::vector<std::string> notes_on(const Request& request, Way way,
                                  const std::string& asked_before) {
  std::vector<std::string> notes;
  if (way == Way::attach && !request.mounts.empty()) {
    notes.emplace_back("ignoring --container-mounts when attaching to a running container");
  }
  if (way != Way::make && request.image && *request.image != asked_before) {
    notes.push_back(fmt::format("using the container \"{}\", which was made of {}, not of {}",
                                request.name.value_or(""), asked_before, *request.image));
  }
  return notes;
}

}  // namespace slipway::container
