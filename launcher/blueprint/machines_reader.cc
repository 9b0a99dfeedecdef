// Reads `machines`.
#include "launcher/blueprint/machines_reader.h"

#include <fmt/core.h>

#include <cctype>
#include <map>

#include "common/host_list.h"

namespace slipway::blueprint {
namespace {

using source::Code;
using source::Entry;
using source::Node;

// As many as Slurm knows.
constexpr size_t most_hosts = 64 << 10;

// Letters, digits, `-`, `.` and, in addresses, `:`. A leading `-` would be an option of ssh.
bool is_address(const std::string& text) {
  if (text.empty() || text.size() > 253 || !std::isalnum(static_cast<unsigned char>(text[0]))) {
    return false;
  }
  for (const char c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.' && c != ':') {
      return false;
    }
  }
  return true;
}

bool is_host_name(const std::string& text) {
  return is_address(text) && text.find_first_of(".:") == text.npos;
}

bool is_ip_address(const std::string& text) {
  return text.find(':') != text.npos || text.find_first_not_of("0123456789.") == text.npos;
}

bool is_user_name(const std::string& text) {
  return !text.empty() && text[0] != '-' &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == text.npos;
}

class MachinesReader {
 public:
  explicit MachinesReader(ShapeReader& reader) : reader_(reader) {}

  Machines read(const Entry& entry) {
    Machines machines;
    machines.span = entry.key_span;
    const Node& node = entry.value;
    reader_.keys(node, "`machines`", {"ssh", "packages", "hosts"});
    if (!node.is_mapping()) return machines;
    if (const Node* ssh = node.find("ssh")) read_ssh(*ssh, machines.ssh);
    if (const Node* packages = node.find("packages")) {
      machines.packages = reader_.literal(*packages, "packages");
      machines.packages_span = packages->span;
    }
    const Node* hosts = reader_.required(node, "hosts", "`machines`");
    if (hosts == nullptr) return machines;
    for (const Entry& each : reader_.entries(*hosts, "hosts")) {
      machines.modules.push_back({each.key, each.key_span, {}});
      read_hosts(each, machines.modules.back().hosts);
    }
    return machines;
  }

 private:
  void read_ssh(const Node& node, SshAccess& ssh) {
    reader_.keys(node, "`ssh`", {"user", "port", "identity_file", "options"});
    if (!node.is_mapping()) return;
    if (const Node* user = node.find("user")) {
      ssh.user = reader_.literal(*user, "user");
      if (!is_user_name(ssh.user) && user->is_scalar()) {
        reader_.bad_name(user->span, "a user", ssh.user, "use letters, digits, `_`, `.` and `-`");
      }
    }
    if (const Node* port = node.find("port")) read_port(*port, ssh);
    if (const Node* file = node.find("identity_file")) {
      ssh.identity_file = reader_.literal(*file, "identity_file");
    }
    if (const Node* options = node.find("options")) {
      for (const Node& option : reader_.list(*options, "options")) {
        ssh.options.push_back(reader_.literal(option, "options"));
      }
    }
  }

  void read_port(const Node& node, SshAccess& ssh) {
    const source::Scalar scalar = node.is_scalar() ? source::resolve(node) : source::Scalar();
    const auto* number = std::get_if<long double>(&scalar);
    if (number != nullptr && *number >= 1 && *number <= 65535 &&
        *number == static_cast<int64_t>(*number)) {
      ssh.port = static_cast<int64_t>(*number);
      return;
    }
    reader_.diagnostics().error(Code::wrong_shape, node.span,
                                "`port` must be a number from 1 to 65535");
  }

  // A host list, or several in a list.
  void read_hosts(const Entry& entry, std::vector<Host>& hosts) {
    if (entry.value.is_scalar()) {
      add_hosts(entry.value, entry.key, hosts);
      return;
    }
    for (const Node& item : reader_.list(entry.value, entry.key)) {
      add_hosts(item, entry.key, hosts);
    }
  }

  void add_hosts(const Node& node, const std::string& key, std::vector<Host>& hosts) {
    const std::string text = reader_.literal(node, key);
    if (!node.is_scalar()) return;
    if (const size_t equals = text.find('='); equals != text.npos) {
      add(node, text.substr(0, equals), text.substr(equals + 1), hosts);
      return;
    }
    const std::vector<std::string> addresses = expand_host_list(text, most_hosts);
    if (addresses.empty()) {
      reader_.diagnostics()
          .error(Code::wrong_shape, node.span, fmt::format("`{}` is not a host list", text))
          .help("for example: gpu[001-016].example.org");
    }
    for (const std::string& address : addresses) {
      if (is_ip_address(address)) {
        reader_.diagnostics()
            .error(Code::bad_name, node.span,
                   fmt::format("`{}` is an address, and a node needs a name", address))
            .help(fmt::format("write the host's name before it: NAME={}", address));
        return;
      }
      if (!add(node, address.substr(0, address.find('.')), address, hosts)) return;
    }
  }

  bool add(const Node& node, const std::string& name, const std::string& address,
           std::vector<Host>& hosts) {
    if (!is_host_name(name) || !is_address(address)) {
      reader_.bad_name(node.span, "a host", is_host_name(name) ? address : name,
                       "use letters, digits, `-` and `.`");
      return false;
    }
    const auto [other, is_new] = named_.emplace(name, node.span);
    if (!is_new) {
      reader_.diagnostics()
          .error(Code::duplicate_id, node.span, fmt::format("there are two hosts `{}`", name))
          .other(other->second, "first used here");
      return false;
    }
    hosts.push_back({name, address});
    return true;
  }

  ShapeReader& reader_;
  std::map<std::string, Span> named_;
};

}  // namespace

std::optional<Machines> read_machines(const Node& parent, ShapeReader& reader) {
  const Entry* entry = parent.find_entry("machines");
  if (entry == nullptr) return std::nullopt;
  return MachinesReader(reader).read(*entry);
}

}  // namespace slipway::blueprint
