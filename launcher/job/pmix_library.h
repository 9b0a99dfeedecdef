// The server side of libpmix, loaded only when needed: a node does not have to have it.
#pragma once

#include <pmix.h>
#include <pmix_server.h>

#include <string>
#include <string_view>
#include <vector>

namespace slipway::job {

class PmixLibrary {
 public:
  // Throws Error unless libpmix is present with all these functions: version 4 or later.
  PmixLibrary();

  decltype(&::PMIx_server_init) server_init;
  decltype(&::PMIx_server_finalize) server_finalize;
  decltype(&::PMIx_server_register_nspace) register_nspace;
  decltype(&::PMIx_server_deregister_nspace) deregister_nspace;
  decltype(&::PMIx_server_register_client) register_client;
  decltype(&::PMIx_server_setup_fork) setup_fork;
  decltype(&::PMIx_server_dmodex_request) dmodex_request;
  decltype(&::PMIx_generate_regex) generate_regex;
  decltype(&::PMIx_generate_ppn) generate_ppn;
  decltype(&::PMIx_Error_string) error_string;
  decltype(&::PMIx_Info_list_start) list_start;
  decltype(&::PMIx_Info_list_add) list_add;
  decltype(&::PMIx_Info_list_convert) list_convert;
  decltype(&::PMIx_Info_list_release) list_release;

  // Throws Error unless `status` means success.
  void check(pmix_status_t status, const char* what) const;

 private:
  template <class Function>
  void load(Function& function, const char* name);

  void* handle_;
};

// A list of attributes for libpmix, which copies what is added.
class PmixInfos {
 public:
  explicit PmixInfos(const PmixLibrary& pmix) : pmix_(pmix), list_(pmix.list_start()) {}
  ~PmixInfos();
  PmixInfos(const PmixInfos&) = delete;
  PmixInfos& operator=(const PmixInfos&) = delete;

  void text(const char* key, const std::string& value);
  void flag(const char* key, bool value);
  void number(const char* key, uint32_t value);        // PMIX_UINT32
  void small_number(const char* key, uint16_t value);  // PMIX_UINT16
  void rank(const char* key, pmix_rank_t value);
  void map(const char* key, const char* value);  // from generate_regex or generate_ppn
  void list(const char* key, PmixInfos& value);

  // The whole list, valid during this object's life; nothing can be added after this.
  pmix_data_array_t& all();
  pmix_info_t* infos() { return static_cast<pmix_info_t*>(all().array); }
  size_t size() { return all().size; }

 private:
  void add(const char* key, const void* value, pmix_data_type_t type);

  const PmixLibrary& pmix_;
  void* list_;
  pmix_data_array_t all_ = {};
  bool converted_ = false;
};

pmix_proc_t pmix_process(std::string_view name_space, pmix_rank_t rank);

}  // namespace slipway::job
