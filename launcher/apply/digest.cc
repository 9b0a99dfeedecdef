// SHA-256, by OpenSSL.
#include "launcher/apply/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "common/error.h"

namespace slipway::apply {

std::string digest(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw Error("SHA-256 cannot be computed here");
  }
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", hash[i]);
  return out;
}

}  // namespace slipway::apply
