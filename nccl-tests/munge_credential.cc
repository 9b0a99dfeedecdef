// Loads libmunge: https://github.com/dun/munge, munge(3).
#include "nccl-tests/munge_credential.h"

#include <dlfcn.h>
#include <munge.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::bandwidth {
namespace {

using Text = std::unique_ptr<char, void (*)(void*)>;

struct MungeLibrary {
  MungeLibrary() : handle(::dlopen("libmunge.so.2", RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) throw Error(::dlerror());
    load(encode, "munge_encode");
    load(decode, "munge_decode");
    load(text_of, "munge_strerror");
    load(create, "munge_ctx_create");
    load(set, "munge_ctx_set");
    load(destroy, "munge_ctx_destroy");
  }

  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    if (function == nullptr) throw Error(fmt::format("this libmunge has no {}", name));
  }

  void* handle;
  decltype(&::munge_encode) encode;
  decltype(&::munge_decode) decode;
  decltype(&::munge_strerror) text_of;
  decltype(&::munge_ctx_create) create;
  decltype(&::munge_ctx_set) set;
  decltype(&::munge_ctx_destroy) destroy;
};

}  // namespace

std::string seal_with_munge(const std::string& secret) {
  const MungeLibrary munge;
  const std::unique_ptr<munge_ctx, void (*)(munge_ctx_t)> context(munge.create(), munge.destroy);
  if (!context) throw Error("munge has no memory");
  munge_err_t code = munge.set(context.get(), MUNGE_OPT_UID_RESTRICTION, ::geteuid());
  char* credential = nullptr;
  if (code == EMUNGE_SUCCESS) {
    code = munge.encode(&credential, context.get(), secret.data(), static_cast<int>(secret.size()));
  }
  const Text keep(credential, std::free);
  if (code != EMUNGE_SUCCESS) throw Error(fmt::format("munge: {}", munge.text_of(code)));
  return credential;
}

std::string open_with_munge(const std::string& credential) {
  const MungeLibrary munge;
  void* payload = nullptr;
  int length = 0;
  uid_t user = 0;
  gid_t group = 0;
  const munge_err_t code =
      munge.decode(credential.c_str(), nullptr, &payload, &length, &user, &group);
  const std::unique_ptr<void, void (*)(void*)> keep(payload, std::free);
  // All ranks of a node decode the same credential, so a replay is expected.
  if (code != EMUNGE_SUCCESS && code != EMUNGE_CRED_REPLAYED)
    throw Error(fmt::format("munge: {}", munge.text_of(code)));
  if (user != ::geteuid()) throw Error(fmt::format("it belongs to another user ({})", user));
  return {static_cast<const char*>(payload), static_cast<size_t>(length)};
}

}  // namespace slipway::bandwidth
