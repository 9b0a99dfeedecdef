// Generates a munge key.
#include "launcher/node/key.h"

#include <sys/random.h>

#include "common/error.h"

namespace slipway::node {

std::string random_key() {
  std::string key(128, '\0');
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
    throw_errno("getrandom");
  }
  return key;
}

}  // namespace slipway::node
