// A pod as a shell script for a node of a local cluster.
#include "launcher/pods/pod_script.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::pods {
namespace {

// What a container has in any image that people use.
constexpr const char* path_of_containers =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Writes a text to a file of the script's node.
std::string here_document(const std::string& file, const std::string& text) {
  std::string end = "END_OF_FILE";
  while (text.find(end) != text.npos) end += '_';
  const bool closed = text.empty() || text.ends_with('\n');
  // A text without a final line feed gets none.
  return fmt::format("{}{} <<'{}'\n{}{}{}\n", closed ? "cat >" : "head -c -1 >", file, end, text,
                     closed ? "" : "\n", end);
}

std::string volume_folder(const std::string& name) {
  return "\"$pod\"/volumes/" + shell_quote(name);
}

std::string make_volume(const Volume& volume, const JobSet& set) {
  const std::string folder = volume_folder(volume.name);
  switch (volume.kind) {
    case Volume::Kind::memory:
      return fmt::format("mkdir -p {0}; mount -t tmpfs -o mode=1777 tmpfs {0}\n", folder);
    case Volume::Kind::empty:
      return fmt::format("mkdir -p -m 1777 {}\n", folder);
    case Volume::Kind::host:
      return fmt::format("[ -e {0} ] || mkdir -p {0}\n", shell_quote(volume.source));
    case Volume::Kind::claim:
      return "";
    case Volume::Kind::config_map:
      break;
  }
  std::string text = fmt::format("mkdir -p {}\n", folder);
  const auto map = set.config_maps.find(volume.source);
  if (map == set.config_maps.end()) return text;
  for (const auto& [name, content] : map->second) {
    text += here_document(folder + "/" + shell_quote(name), content);
  }
  return text + fmt::format("chmod 0555 {}/*\n", folder);
}

std::string source_of(const VolumeMount& mount, const ReplicatedJob& job, const Pod& pod) {
  std::string source = volume_folder(mount.volume);
  const auto volume = std::ranges::find(job.volumes, mount.volume, &Volume::name);
  if (volume != job.volumes.end() && volume->kind == Volume::Kind::host) {
    source = shell_quote(volume->source);
  }
  if (volume != job.volumes.end() && volume->kind == Volume::Kind::claim) {
    source = shell_quote(pod.claims.at(volume->source));
  }
  return mount.sub_path.empty() ? source : source + "/" + shell_quote(mount.sub_path);
}

// The program of a container: its mounts, its environment, its command.
std::string container_program(const Container& container, const JobSet& set,
                              const ReplicatedJob& job, const Pod& pod) {
  std::string text =
      "set -euo pipefail\n"
      "pod=$1\n"
      "# bind FROM TO [ro]\n"
      "bind() {\n"
      "  if [ -d \"$1\" ]; then\n"
      "    mkdir -p \"$2\"\n"
      "  else\n"
      "    mkdir -p \"${2%/*}/\"\n"
      "    [ -e \"$2\" ] || : >\"$2\"\n"
      "  fi\n"
      "  mount --bind \"$1\" \"$2\"\n"
      "  if [ -n \"${3-}\" ]; then mount -o remount,bind,ro \"$2\"; fi\n"
      "}\n"
      "bind \"$pod/hosts\" /etc/hosts\n";
  for (const VolumeMount& mount : container.mounts) {
    const std::string source = source_of(mount, job, pod);
    if (!mount.sub_path.empty()) text += fmt::format("[ -e {0} ] || mkdir -p {0}\n", source);
    text += fmt::format("bind {} {}{}\n", source, shell_quote(mount.path),
                        mount.read_only ? " ro" : "");
  }
  const auto environment = environment_of(container, set, job, pod);
  text += fmt::format("cd {}\n", shell_quote(container.folder.empty() ? "/" : container.folder));
  text += "exec env -i";
  for (const auto& [name, value] : environment) {
    text += fmt::format(" \\\n  {}", shell_quote(name + "=" + value));
  }
  for (const std::string& word : container.command) {
    text += " \\\n  " + shell_quote(expand(word, environment));
  }
  return text + "\n";
}

// Replaces whole words.
std::string with_interfaces(std::string text, const std::map<std::string, std::string>& names) {
  for (const auto& [from, to] : names) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at)) {
      const size_t end = at + from.size();
      const bool begins = at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]));
      const bool ends = end == text.size() || !std::isalnum(static_cast<unsigned char>(text[end]));
      if (begins && ends) text.replace(at, from.size(), to);
      at += begins && ends ? to.size() : from.size();
    }
  }
  return text;
}

}  // namespace

std::string expand(const std::string& text, const std::map<std::string, std::string>& environment) {
  std::string made;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool doubled = text.compare(at, 2, "$$") == 0;
    const size_t end = text.compare(at, 2, "$(") == 0 ? text.find(')', at) : text.npos;
    const auto found =
        end == text.npos ? environment.end() : environment.find(text.substr(at + 2, end - at - 2));
    if (found != environment.end()) {
      made += found->second;
      at = end;
      continue;
    }
    made += text[at];
    if (doubled) ++at;
  }
  return made;
}

std::map<std::string, std::string> fields_of(const JobSet& set, const ReplicatedJob& job,
                                             const Pod& pod) {
  // In JobSet, the global index counts the jobs of all replicated jobs, a group's those of its own.
  int64_t before = 0, before_in_group = 0, in_group = 0;
  bool found = false;
  for (const ReplicatedJob& other : set.jobs) {
    found = found || other.name == job.name;
    if (!found) before += other.replicas;
    if (other.group != job.group) continue;
    in_group += other.replicas;
    if (!found) before_in_group += other.replicas;
  }
  const std::string name = fmt::format("{}-{}-{}", set.name, job.name, pod.replica);
  std::map<std::string, std::string> own = {
      {"jobset.sigs.k8s.io/jobset-name", set.name},
      {"jobset.sigs.k8s.io/replicatedjob-name", job.name},
      {"jobset.sigs.k8s.io/replicatedjob-replicas", std::to_string(job.replicas)},
      {"jobset.sigs.k8s.io/job-index", std::to_string(pod.replica)},
      {"jobset.sigs.k8s.io/job-global-index", std::to_string(before + pod.replica)},
      {"jobset.sigs.k8s.io/global-replicas", std::to_string(set.replicas())},
      {"jobset.sigs.k8s.io/group-name", job.group},
      {"jobset.sigs.k8s.io/group-replicas", std::to_string(in_group)},
      {"jobset.sigs.k8s.io/job-group-index", std::to_string(before_in_group + pod.replica)},
      {"jobset.sigs.k8s.io/restart-attempt", std::to_string(pod.restarts)},
      {"jobset.sigs.k8s.io/job-restart-attempt", std::to_string(pod.job_restarts)},
      {"batch.kubernetes.io/job-completion-index", std::to_string(pod.index)}};
  if (!set.coordinator.empty()) own["jobset.sigs.k8s.io/coordinator"] = set.coordinator;
  std::map<std::string, std::string> made = {
      {"metadata.name", pod.name}, {"metadata.namespace", set.space}, {"spec.nodeName", pod.node}};
  const auto add = [&](const char* kind, const std::map<std::string, std::string>& entries) {
    for (const auto& [key, value] : entries) {
      made[fmt::format("metadata.{}['{}']", kind, key)] = value;
    }
  };
  add("labels", job.labels);
  add("labels", {{"batch.kubernetes.io/job-name", name}, {"job-name", name}});
  add("labels", own);
  add("annotations", job.annotations);
  add("annotations", own);
  return made;
}

std::map<std::string, std::string> environment_of(const Container& container, const JobSet& set,
                                                  const ReplicatedJob& job, const Pod& pod) {
  const std::map<std::string, std::string> fields = fields_of(set, job, pod);
  std::map<std::string, std::string> made = {{"PATH", path_of_containers},
                                             {"HOME", "/root"},
                                             {"HOSTNAME", pod.name},
                                             {"JOB_COMPLETION_INDEX", std::to_string(pod.index)}};
  for (const Variable& variable : container.environment) {
    if (!variable.field.empty()) {
      const auto field = fields.find(variable.field);
      made[variable.name] = field == fields.end() ? "" : field->second;
    } else if (!variable.secret.empty()) {
      made[variable.name] = set.secrets.at(variable.secret).at(variable.secret_key);
    } else {
      made[variable.name] = with_interfaces(expand(variable.value, made), pod.interfaces);
    }
  }
  return made;
}

namespace {

// The programs of the script that start containers.
constexpr const char* functions =
    "# start NAME: in the background, as $child\n"
    "start() {\n"
    "  setsid unshare --mount bash \"$pod/containers/$1\" \"$pod\" 3<&- &\n"
    "  child=$!\n"
    "  echo \"$child\" >\"$pod/running/$1\"\n"
    "  [ ! -e \"$pod/ends\" ] || kill -TERM \"$child\" 2>/dev/null\n"
    "}\n"
    "# Kubernetes starts a container again after more and more time.\n"
    "longer() { pause=$((pause < 150 ? pause * 2 : 300)); }\n"
    "# to_end NAME: as often as the restart policy says\n"
    "to_end() {\n"
    "  local pause=10 code\n"
    "  while :; do\n"
    "    if [ -e \"$pod/ends\" ]; then code=143; else start \"$1\"; wait \"$child\"; code=$?; fi\n"
    "    rm -f \"$pod/running/$1\"\n"
    "    if [ \"$code\" = 0 ] || [ -z \"$again\" ] || [ -e \"$pod/ends\" ]; then break; fi\n"
    "    echo \"slipway: the container $1 has ended with $code, and starts again in $pause s\" "
    ">&2\n"
    "    echo \"$mark restarted $1\" >&2\n"
    "    sleep \"$pause\"\n"
    "    longer\n"
    "  done\n"
    "  return \"$code\"\n"
    "}\n"
    "# must NAME: the pod ends if it fails\n"
    "must() {\n"
    "  local code=0\n"
    "  to_end \"$1\" || code=$?\n"
    "  if [ \"$code\" != 0 ]; then echo \"$mark ended $1 $code\" >&2; exit \"$code\"; fi\n"
    "}\n"
    "# with_others NAME: one of the pod's containers\n"
    "with_others() {\n"
    "  local code=0\n"
    "  to_end \"$1\" || code=$?\n"
    "  echo \"$mark ended $1 $code\" >&2\n"
    "  exit \"$code\"\n"
    "}\n"
    "beside() {\n"
    "  local pause=10\n"
    "  while :; do\n"
    "    setsid unshare --mount bash \"$pod/containers/$1\" \"$pod\" 3<&-\n"
    "    echo \"slipway: the sidecar $1 has ended with $?, and starts again in $pause s\" >&2\n"
    "    sleep \"$pause\"\n"
    "    longer\n"
    "  done\n"
    "}\n"
    "(\n"
    "  read -ru 3 _\n"
    "  : >\"$pod/ends\"\n"
    "  for file in \"$pod\"/running/*; do kill -TERM \"$(cat \"$file\")\"; done 2>/dev/null\n"
    ") &\n";

// The names of all pods, as cluster DNS and, for the pod itself, the kubelet know them.
std::string hosts(const JobSet& set, const Pod& pod) {
  std::string text;
  for (const auto& [name, node] : pod.hosts) {
    std::string names;
    if (!set.subdomain.empty()) {
      const std::string full = fmt::format("{}.{}", name, set.subdomain);
      names = fmt::format(" {0} {0}.{1} {0}.{1}.svc {0}.{1}.svc.cluster.local", full, set.space);
    }
    if (name == pod.name) names += " " + name;
    if (names.empty()) continue;
    text += fmt::format("echo \"$(getent hosts {} | cut -d ' ' -f 1){}\" >>\"$pod/hosts\"\n",
                        shell_quote(node), names);
  }
  return text;
}

}  // namespace

std::string pod_script(const JobSet& set, const ReplicatedJob& job, const Pod& pod) {
  // In braces, so that bash has read all of it before it runs.
  std::string text = fmt::format(
      "{{\n"
      "set -uo pipefail\n"
      "exec 3<&0 </dev/null\n"
      "pod=/run/slipway-pods/{0}\n"
      "mark={1}\n"
      "again={2}\n"
      "rm -rf \"$pod\"\n"
      "mkdir -p \"$pod/containers\" \"$pod/running\"\n"
      "chmod 700 \"$pod\"\n"  // variables may be secrets
      "trap 'rm -rf \"$pod\" 2>/dev/null' EXIT\n"
      "hostname {0}\n"
      "mount -t tmpfs -o mode=1777 tmpfs /tmp\n"
      "cat /etc/hosts >\"$pod/hosts\"\n",
      shell_quote(pod.name), shell_quote(pod.mark), job.restarts_containers ? "yes" : "");
  text += hosts(set, pod);
  for (const Volume& volume : job.volumes) text += make_volume(volume, set);
  for (const std::vector<Container>* list : {&job.init, &job.containers}) {
    for (const Container& container : *list) {
      text += here_document("\"$pod\"/containers/" + shell_quote(container.name),
                            container_program(container, set, job, pod));
    }
  }
  text += functions;
  for (const Container& container : job.init) {
    text += fmt::format("{} {}{}\n", container.is_sidecar ? "beside" : "must",
                        shell_quote(container.name), container.is_sidecar ? " &" : "");
  }
  // The pod ends when all its containers have, and fails if one of them did.
  text += "all=()\n";
  for (const Container& container : job.containers) {
    text += fmt::format("with_others {} &\nall+=($!)\n", shell_quote(container.name));
  }
  text +=
      "echo \"$mark ready\" >&2\n"
      "result=0\n"
      "for one in \"${all[@]}\"; do wait \"$one\" || result=$?; done\n"
      "exit \"$result\"\n";
  return text + "}\n";
}

}  // namespace slipway::pods
