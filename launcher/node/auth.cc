// Sets up munge or auth/slurm.
#include "launcher/node/auth.h"

#include <fmt/core.h>

#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/node/services.h"

namespace slipway::node {
namespace {

constexpr const char* slurm_key = "/etc/slurm/slurm.key";
constexpr const char* sack_socket = "/run/slurm/sack.socket";
constexpr SlurmVersion has_auth_slurm = {23, 11, 0};

// Slurm refuses a key that others than its user can read.
bool write_slurm_key(const std::string& key) {
  make_folder_for("root", "/etc/slurm", 0755);
  if (std::filesystem::exists(slurm_key) && read_file(slurm_key) == key) return false;
  write_file(slurm_key, key, 0600);
  give_to("slurm", slurm_key);
  return true;
}

void start_sackd(IfRunning running) {
  make_folder_for("slurm", "/run/slurm", 0755);
  const Service service{
      {"/usr/sbin/sackd", "-D"}, "slurm", fmt::format("{}/sackd.out", log_folder), "sackd.service"};
  run_service(
      service, [] { return listens(std::string(sack_socket)); }, running, std::chrono::seconds(10));
}

}  // namespace

Auth auth_of(const std::string& slurm_conf) {
  for (const std::string& line : split(slurm_conf, '\n')) {
    if (line == "AuthType=auth/slurm") return Auth::slurm;
  }
  return Auth::munge;
}

void require_auth(Auth auth, const SlurmVersion& slurm) {
  if (auth == Auth::munge || slurm >= has_auth_slurm) return;
  throw Error(fmt::format(
      "the blueprint has `enable_slurm_auth`, but this image's Slurm {}.{:02}.{} has no "
      "auth/slurm: build the image with Debian 13, or leave the setting out",
      slurm.year, slurm.month, slurm.micro));
}

bool write_key(Auth auth, const std::string& key) {
  return auth == Auth::slurm ? write_slurm_key(key) : write_munge_key(key);
}

void start_auth(Auth auth, const std::string& role, IfRunning running) {
  if (auth == Auth::munge) {
    start_munge(running);
  } else if (role == "login") {
    start_sackd(running);
  }
}

}  // namespace slipway::node
