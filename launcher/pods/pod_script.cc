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

std::string source_of(const VolumeMount& mount, const JobSet& set, const Pod& pod) {
  std::string source = volume_folder(mount.volume);
  const auto volume = std::ranges::find(set.volumes, mount.volume, &Volume::name);
  if (volume != set.volumes.end() && volume->kind == Volume::Kind::host) {
    source = shell_quote(volume->source);
  }
  if (volume != set.volumes.end() && volume->kind == Volume::Kind::claim) {
    source = shell_quote(pod.claims.at(volume->source));
  }
  return mount.sub_path.empty() ? source : source + "/" + shell_quote(mount.sub_path);
}

// The program of a container: its mounts, its environment, its command.
std::string container_program(const Container& container, const JobSet& set, const Pod& pod) {
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
    const std::string source = source_of(mount, set, pod);
    if (!mount.sub_path.empty()) text += fmt::format("[ -e {0} ] || mkdir -p {0}\n", source);
    text += fmt::format("bind {} {}{}\n", source, shell_quote(mount.path),
                        mount.read_only ? " ro" : "");
  }
  const auto environment = environment_of(container, set, pod);
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

std::map<std::string, std::string> environment_of(const Container& container, const JobSet& set,
                                                  const Pod& pod) {
  const std::map<std::string, std::string> labels = {
      {"jobset.sigs.k8s.io/jobset-name", set.name},
      {"jobset.sigs.k8s.io/replicatedjob-name", set.job},
      {"jobset.sigs.k8s.io/replicatedjob-replicas", std::to_string(set.replicas)},
      {"jobset.sigs.k8s.io/job-index", std::to_string(pod.job)},
      {"jobset.sigs.k8s.io/job-global-index", std::to_string(pod.job)},
      {"jobset.sigs.k8s.io/global-replicas", std::to_string(set.replicas)},
      {"jobset.sigs.k8s.io/restart-attempt", std::to_string(pod.restarts)},
      {"batch.kubernetes.io/job-completion-index", std::to_string(pod.index)}};
  std::map<std::string, std::string> made = {{"PATH", path_of_containers},
                                             {"HOME", "/root"},
                                             {"HOSTNAME", pod.name},
                                             {"JOB_COMPLETION_INDEX", std::to_string(pod.index)}};
  for (const Variable& variable : container.environment) {
    if (!variable.label.empty()) {
      const auto label = labels.find(variable.label);
      made[variable.name] = label == labels.end() ? "" : label->second;
    } else if (!variable.secret.empty()) {
      made[variable.name] = set.secrets.at(variable.secret).at(variable.secret_key);
    } else {
      made[variable.name] = with_interfaces(expand(variable.value, made), pod.interfaces);
    }
  }
  return made;
}

std::string pod_script(const JobSet& set, const Pod& pod) {
  // In braces, so that bash has read all of it before it runs.
  std::string text = fmt::format(
      "{{\n"
      "set -uo pipefail\n"
      "exec 3<&0 </dev/null\n"
      "pod=/run/slipway-pods/{0}\n"
      "rm -rf \"$pod\"\n"
      "mkdir -p \"$pod/containers\"\n"
      "chmod 700 \"$pod\"\n"  // variables may be secrets
      "trap 'rm -rf \"$pod\" 2>/dev/null' EXIT\n"
      "hostname {0}\n"
      "mount -t tmpfs -o mode=1777 tmpfs /tmp\n"
      "cat /etc/hosts >\"$pod/hosts\"\n",
      shell_quote(pod.name));
  for (const auto& [name, node] : pod.hosts) {
    text += fmt::format("echo \"$(getent hosts {} | cut -d ' ' -f 1) {}.{} {}\" >>\"$pod/hosts\"\n",
                        shell_quote(node), name, set.name, name);
  }
  for (const Volume& volume : set.volumes) text += make_volume(volume, set);
  for (const std::vector<Container>* list : {&set.init, &set.containers}) {
    for (const Container& container : *list) {
      text += here_document("\"$pod\"/containers/" + shell_quote(container.name),
                            container_program(container, set, pod));
    }
  }
  text += fmt::format(
      "finish() {{\n"
      "  echo \"{} $1 $2\" >&2\n"
      "  exit \"$2\"\n"
      "}}\n"
      "# run NAME: in the background, as $running\n"
      "run() {{\n"
      "  setsid unshare --mount bash \"$pod/containers/$1\" \"$pod\" 3<&- &\n"
      "  running=$!\n"
      "  echo \"$running\" >\"$pod/running\"\n"
      "}}\n"
      "# must NAME: the pod ends if it fails\n"
      "must() {{\n"
      "  [ ! -e \"$pod/ends\" ] || finish \"$1\" 143\n"
      "  run \"$1\"\n"
      "  wait \"$running\" || finish \"$1\" $?\n"
      "}}\n"
      "# Kubernetes starts a sidecar that has ended again, after more and more time.\n"
      "beside() {{\n"
      "  local pause=10\n"
      "  while :; do\n"
      "    setsid unshare --mount bash \"$pod/containers/$1\" \"$pod\" 3<&-\n"
      "    echo \"slipway: the sidecar $1 has ended with $?, and starts again in $pause s\" >&2\n"
      "    sleep \"$pause\"\n"
      "    pause=$((pause < 150 ? pause * 2 : 300))\n"
      "  done\n"
      "}}\n"
      "(\n"
      "  read -ru 3 _\n"
      "  : >\"$pod/ends\"\n"
      "  kill -TERM \"$(cat \"$pod/running\")\" 2>/dev/null\n"
      ") &\n",
      pod.mark);
  for (const Container& container : set.init) {
    text += fmt::format("{} {}{}\n", container.is_sidecar ? "beside" : "must",
                        shell_quote(container.name), container.is_sidecar ? " &" : "");
  }
  for (const Container& container : set.containers) {
    text += fmt::format("must {0}\nfinish {0} 0\n", shell_quote(container.name));
  }
  return text + "}\n";
}

}  // namespace slipway::pods
