// The socket through which Slurm has nodes of a local cluster started and stopped.
#include "launcher/local/power_socket.h"

#include <fmt/core.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "launcher/local/message.h"
#include "launcher/local/unix_socket.h"

namespace slipway::local {
namespace {

constexpr const char* folder_on_node = "/run/slipway";
constexpr const char* socket_name = "power";

// A node that cannot start reports so earlier.
constexpr std::chrono::seconds longest_start{60};

const passwd& slurm_user() {
  const passwd* entry = ::getpwnam("slurm");
  if (entry == nullptr) throw Error("this machine has no user `slurm`");
  return *entry;
}

std::filesystem::path folder_below(const std::filesystem::path& run) {
  return run / ".power";  // not a valid node name
}

}  // namespace

Fd listen_for_power(const std::filesystem::path& run) {
  const std::filesystem::path folder = folder_below(run);
  const passwd& slurm = slurm_user();
  make_directories(folder, 0700);
  Fd listener = bind_socket(folder, socket_name);
  for (const std::filesystem::path& path : {folder / socket_name, folder}) {
    if (::chown(path.c_str(), slurm.pw_uid, slurm.pw_gid) != 0) {
      throw_errno(fmt::format("cannot give {} to slurm", path.string()));
    }
  }
  if (::listen(listener.get(), SOMAXCONN) != 0) throw_errno("cannot listen");
  return listener;
}

BindMount power_mount(const std::filesystem::path& run) {
  return {folder_below(run), folder_on_node, false};
}

bool may_ask_for_power(const Fd& connection) {
  const uid_t user = peer_user(connection);
  return user == 0 || user == slurm_user().pw_uid;
}

std::vector<node::Failed> change_power(const std::vector<std::string>& nodes, bool on) {
  const Fd connection = connect_to_socket(folder_on_node, socket_name);
  if (!connection) throw Error("the deployment's supervisor is not listening");
  answer_within(connection, longest_start);
  send_message(connection.get(), {{"request", "power"}, {"on", on}, {"nodes", nodes}});
  std::vector<node::Failed> failed;
  const Message answer = receive_answer(connection.get());
  for (const nlohmann::json& one : answer.body.at("failed")) {
    failed.push_back({one.at("nodes"), one.at("reason")});
  }
  return failed;
}

}  // namespace slipway::local
