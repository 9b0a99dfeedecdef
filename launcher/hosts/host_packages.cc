// Finds out what a machine lacks, and installs it.
#include "launcher/hosts/host_packages.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::hosts {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes longest_install{20};

std::vector<std::string> packages_of(const PackageTable::Family& family, const std::string& role) {
  std::vector<std::string> packages = family.packages.at("all");
  const std::vector<std::string>& more = family.packages.at(role);
  packages.insert(packages.end(), more.begin(), more.end());
  return packages;
}

// A command of the table with its $*.
std::string with_words(const std::string& command, const std::string& words) {
  return fmt::format("set -- {}\n{}\n", words, command);
}

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quote(word);
  return text;
}

// A shell function that prints the version of Slurm, or fails. Daemons print it without a
// configuration; clients want one.
constexpr const char* version_function =
    "version_of_slurm() {\n"
    "  for d in /usr/sbin/slurmd /usr/sbin/slurmctld; do\n"
    "    [ ! -x $d ] || { $d -V; return; }\n"
    "  done\n"
    "  [ -x /usr/bin/sinfo ] || return\n"
    "  f=$(mktemp) || return\n"
    "  printf 'ClusterName=none\\nSlurmctldHost=none\\n' >\"$f\"\n"
    "  SLURM_CONF=$f sinfo -V\n"
    "  rm -f \"$f\"\n"
    "}\n";

// Prints lines "os …", "is ID", "codename …", "slipway PATH", "slurm VERSION", "has FAMILY
// PACKAGE".
std::string question(const PackageTable& table, const std::string& role) {
  std::string script = version_function;
  script +=
      ". /etc/os-release\n"
      "echo \"os $PRETTY_NAME\"\n"
      "for id in $ID $ID_LIKE; do echo \"is $id\"; done\n"
      "echo \"codename $VERSION_CODENAME\"\n"
      "v=$(version_of_slurm) && echo \"slurm $v\"\n";
  for (const std::string& program : table.programs) {
    script += fmt::format("[ ! -x {0} ] || echo slipway {0}\n", program);
  }
  for (const PackageTable::Family& family : table.families) {
    script += fmt::format("({}) | sed 's/^/has {} /'\n",
                          with_words(family.query, quoted(packages_of(family, role))), family.name);
  }
  return script + "true\n";
}

class AnswerReader {
 public:
  AnswerReader(const PackageTable& table, Inventory& inventory)
      : table_(table), inventory_(inventory) {}

  void read(const std::string& text) {
    for (const std::string& line : split(text, '\n')) {
      const size_t space = std::min(line.find(' '), line.size());
      const std::string value(trim(std::string_view(line).substr(space)));
      line_of(line.substr(0, space), value);
    }
  }

  void name_missing(const std::string& role) {
    if (inventory_.family == nullptr) return;
    for (const std::string& package : packages_of(*inventory_.family, role)) {
      if (!has_.contains(inventory_.family->name + " " + package)) {
        inventory_.missing.push_back(package);
      }
    }
  }

 private:
  void line_of(const std::string& key, const std::string& value) {
    if (key == "os") inventory_.os = value;
    if (key == "codename") inventory_.codename = value;
    if (key == "slipway" && inventory_.slipway.empty()) inventory_.slipway = value;
    if (key == "slurm") {
      const SlurmVersion version = parse_slurm_version(value);
      inventory_.slurm = fmt::format("{}.{:02}", version.year, version.month);
    }
    if (key == "has") has_.insert(value);
    if (key == "is" && inventory_.family == nullptr) {
      const auto found = std::ranges::find_if(table_.families, [&](const auto& family) {
        return std::ranges::find(family.of, value) != family.of.end();
      });
      if (found != table_.families.end()) inventory_.family = &*found;
    }
  }

  const PackageTable& table_;
  Inventory& inventory_;
  std::set<std::string> has_;
};

std::string filled_in(const std::string& package, const std::string& slurm) {
  std::string text = package;
  constexpr std::string_view place = "{slurm}";
  if (const size_t at = text.find(place); at != text.npos) text.replace(at, place.size(), slurm);
  return text;
}

// The file of a package: NAME_VERSION.deb or NAME-VERSION.rpm; "" if it is not there.
std::string file_of(const fs::path& folder, const std::string& package, const std::string& ending) {
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with("." + ending) || !name.starts_with(package)) continue;
    const std::string_view rest = std::string_view(name).substr(package.size());
    const bool is_version =
        rest.size() > 1 && (rest[0] == '_' || rest[0] == '-') && rest[1] >= '0' && rest[1] <= '9';
    if (is_version) return name;
  }
  return {};
}

// The package files in an archive for `tar -x`. Throws Error if one is missing.
std::string archive_of(const fs::path& folder, const Inventory& inventory,
                       const std::string& slurm) {
  const fs::path own = folder / inventory.codename;
  std::error_code ignored;
  const fs::path from =
      !inventory.codename.empty() && fs::is_directory(own, ignored) ? own : folder;
  std::vector<std::string> tar{"tar", "-C", from, "-c", "--"};
  for (const std::string& each : inventory.family->slipway) {
    const std::string package = filled_in(each, slurm);
    const std::string file = file_of(from, package, inventory.family->ending);
    if (file.empty()) {
      throw Error(fmt::format("{} has no package {} (.{}) for {}", from.string(), package,
                              inventory.family->ending, inventory.os));
    }
    tar.push_back(file);
  }
  return run_checked(tar);
}

RemoteAnswer install_slipway(const Inventory& inventory, const Ssh& ssh, const std::string& address,
                             const fs::path& folder) {
  const RemoteAnswer version = ssh.run(
      address, version_function +
                   std::string("version_of_slurm || { echo 'Slurm is not there' >&2; exit 1; }"));
  if (!version.problem.empty()) return version;
  const SlurmVersion slurm = parse_slurm_version(version.output);
  const std::string release = fmt::format("{}.{:02}", slurm.year, slurm.month);
  const PackageTable::Family& family = *inventory.family;
  if (folder.empty()) {
    std::vector<std::string> names;
    for (const std::string& each : family.slipway) names.push_back(filled_in(each, release));
    return ssh.run(address, "set -e\n" + with_words(family.install, quoted(names)), "",
                   longest_install);
  }
  try {
    const std::string script =
        "set -e\nfolder=$(mktemp -d)\ntrap 'rm -rf \"$folder\"' EXIT\n"
        "tar -C \"$folder\" -x\nchmod 755 \"$folder\"\n" +
        with_words(family.install, "\"$folder\"/*");
    return ssh.run(address, script, archive_of(folder, inventory, release), longest_install);
  } catch (const Error& error) {
    return {"", error.what(), ""};
  }
}

}  // namespace

Inventory take_inventory(const PackageTable& table, const Ssh& ssh, const std::string& address,
                         const std::string& role, RemoteAnswer& answer) {
  Inventory inventory;
  answer = ssh.run(address, question(table, role));
  if (!answer.problem.empty()) return inventory;
  AnswerReader reader(table, inventory);
  reader.read(answer.output);
  reader.name_missing(role);
  const bool has_all = !inventory.slipway.empty() && !inventory.slurm.empty();
  if (inventory.family == nullptr && !has_all) {
    answer.problem = fmt::format("{}: no packages are known for it", inventory.os);
    answer.help = "install Slurm, munge and Slipway there yourself";
  }
  return inventory;
}

std::vector<std::string> wanted_packages(const Inventory& inventory) {
  std::vector<std::string> packages = inventory.missing;
  if (inventory.slipway.empty()) packages.emplace_back("slipway");
  return packages;
}

RemoteAnswer install_packages(const Inventory& inventory, const Ssh& ssh,
                              const std::string& address, const fs::path& folder) {
  const PackageTable::Family& family = *inventory.family;
  if (!inventory.missing.empty()) {
    const std::string script = fmt::format("set -e\n{}\n{}", family.update,
                                           with_words(family.install, quoted(inventory.missing)));
    RemoteAnswer answer = ssh.run(address, script, "", longest_install);
    if (!answer.problem.empty()) return answer;
  }
  if (!inventory.slipway.empty()) return {};
  return install_slipway(inventory, ssh, address, folder);
}

}  // namespace slipway::hosts
