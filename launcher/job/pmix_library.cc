// Loads the server side of libpmix. Interface: the PMIx standard, version 4.
#include "launcher/job/pmix_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"

namespace slipway::job {

template <class Function>
void PmixLibrary::load(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(handle_, name));
  if (function == nullptr) throw Error(fmt::format("this libpmix has no {}", name));
}

PmixLibrary::PmixLibrary() : handle_(::dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw Error(::dlerror());
  load(server_init, "PMIx_server_init");
  load(server_finalize, "PMIx_server_finalize");
  load(register_nspace, "PMIx_server_register_nspace");
  load(deregister_nspace, "PMIx_server_deregister_nspace");
  load(register_client, "PMIx_server_register_client");
  load(setup_fork, "PMIx_server_setup_fork");
  load(dmodex_request, "PMIx_server_dmodex_request");
  load(generate_regex, "PMIx_generate_regex");
  load(generate_ppn, "PMIx_generate_ppn");
  load(error_string, "PMIx_Error_string");
  load(list_start, "PMIx_Info_list_start");
  load(list_add, "PMIx_Info_list_add");
  load(list_convert, "PMIx_Info_list_convert");
  load(list_release, "PMIx_Info_list_release");
}

void PmixLibrary::check(pmix_status_t status, const char* what) const {
  if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return;
  throw Error(fmt::format("{}: {}", what, error_string(status)));
}

PmixInfos::~PmixInfos() {
  // libpmix keeps a list that it converted. That is a few kilobytes per attempt, and the attempt's
  // server ends with it.
  if (!converted_) pmix_.list_release(list_);
}

void PmixInfos::add(const char* key, const void* value, pmix_data_type_t type) {
  pmix_.check(pmix_.list_add(list_, key, value, type), key);
}

void PmixInfos::text(const char* key, const std::string& value) {
  add(key, value.c_str(), PMIX_STRING);
}
void PmixInfos::flag(const char* key, bool value) {
  add(key, &value, PMIX_BOOL);
}
void PmixInfos::number(const char* key, uint32_t value) {
  add(key, &value, PMIX_UINT32);
}
void PmixInfos::small_number(const char* key, uint16_t value) {
  add(key, &value, PMIX_UINT16);
}
void PmixInfos::rank(const char* key, pmix_rank_t value) {
  add(key, &value, PMIX_PROC_RANK);
}
void PmixInfos::map(const char* key, const char* value) {
  add(key, value, PMIX_REGEX);
}
void PmixInfos::list(const char* key, PmixInfos& value) {
  add(key, &value.all(), PMIX_DATA_ARRAY);
}

pmix_data_array_t& PmixInfos::all() {
  if (!converted_) {
    pmix_.check(pmix_.list_convert(list_, &all_), "PMIx_Info_list_convert");
    pmix_.list_release(list_);
    converted_ = true;
  }
  return all_;
}

pmix_proc_t pmix_process(std::string_view name_space, pmix_rank_t rank) {
  pmix_proc_t process = {};
  std::ranges::copy(name_space.substr(0, PMIX_MAX_NSLEN), process.nspace);
  process.rank = rank;
  return process;
}

}  // namespace slipway::job
