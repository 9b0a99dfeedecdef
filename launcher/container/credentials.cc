// Finds a registry's credentials in enroot's file, and passes them to skopeo.
#include "launcher/container/credentials.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "common/base64.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/file.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

constexpr size_t largest_netrc = 1 << 20;

std::string without_port(const std::string& host) {
  return host.substr(0, host.find(':'));
}

std::string expanded(const std::string& password) {
  if (password.size() < 2 || password[0] != '$') return password;
  std::string name = password.substr(1);
  if (name.starts_with('{') && name.ends_with('}')) name = name.substr(1, name.size() - 2);
  const std::string value = environment_variable(name.c_str());
  return value.empty() ? password : value;
}

// skopeo's name of the registry: Docker Hub has another one in its files.
std::string auth_name(const std::string& registry) {
  return registry == "docker.io" || registry == "registry-1.docker.io"
             ? "https://index.docker.io/v1/"
             : registry;
}

}  // namespace

std::optional<Credentials> find_credentials(const std::string& netrc, const std::string& registry,
                                            const std::string& user) {
  std::istringstream words(netrc);
  std::string word, machine;
  Credentials found;
  const auto is_wanted = [&] {
    return without_port(machine) == without_port(registry) && !found.password.empty() &&
           (user.empty() || found.user == user);
  };
  while (words >> word) {
    if (word.starts_with('#')) {
      std::getline(words, word);
    } else if (word == "machine" || word == "default") {
      if (is_wanted()) return found;
      found = {};
      machine.clear();
      if (word == "machine") words >> machine;
    } else if (word == "login") {
      words >> found.user;
    } else if (word == "password") {
      words >> word;
      found.password = expanded(word);
    }
  }
  return is_wanted() ? std::optional(found) : std::nullopt;
}

fs::path credentials_file() {
  std::string folder = environment_variable("ENROOT_CONFIG_PATH");
  if (folder.empty()) {
    const std::string config = environment_variable("XDG_CONFIG_HOME");
    folder = config.empty() ? environment_variable("HOME") + "/.config/enroot" : config + "/enroot";
  }
  const fs::path file = fs::path(folder) / ".credentials";
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? file : fs::path();
}

bool write_auth_file(const ImageAddress& address, const fs::path& file) {
  std::optional<Credentials> found;
  const fs::path netrc = credentials_file();
  if (!netrc.empty()) {
    found =
        find_credentials(read_regular_file(netrc, largest_netrc), address.registry, address.user);
  }
  if (!found && !address.user.empty()) {
    throw Error(fmt::format(
        "there is no password of `{}` for {}: write `machine {} login {} password …` into "
        "~/.config/enroot/.credentials, or leave the user out after `skopeo login {}`",
        address.user, address.registry, without_port(address.registry), address.user,
        address.registry));
  }
  if (!found) return false;
  const nlohmann::json auths = {
      {auth_name(address.registry),
       {{"auth", to_base64(fmt::format("{}:{}", found->user, found->password))}}}};
  write_file(file, nlohmann::json{{"auths", auths}}.dump(), 0600);
  return true;
}

}  // namespace slipway::container
