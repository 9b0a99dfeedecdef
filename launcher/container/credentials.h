// The user's credentials for registries, as enroot keeps them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/image_address.h"

namespace slipway::container {

struct Credentials {
  std::string user, password;
};

// The entry of a netrc text (`machine HOST login USER password WORD`) for the registry's host, with
// this user if one is given. `$NAME` as the password is a variable of the environment.
std::optional<Credentials> find_credentials(const std::string& netrc, const std::string& registry,
                                            const std::string& user);

// The user's file: $ENROOT_CONFIG_PATH/.credentials, else ~/.config/enroot/.credentials. Empty if
// there is none.
std::filesystem::path credentials_file();

// Writes what skopeo reads with --authfile, readable only by the user. Passwords are never on a
// command line, which everyone can read. False if enroot's file has no credentials for the
// registry: skopeo then uses its own. Throws Error if the address names a user whose password is
// unknown.
bool write_auth_file(const ImageAddress& address, const std::filesystem::path& file);

}  // namespace slipway::container
