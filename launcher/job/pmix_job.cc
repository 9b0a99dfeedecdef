// Describes an attempt to libpmix.
#include "launcher/job/pmix_job.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "common/text.h"
#include "launcher/job/pmix_library.h"

namespace slipway::job {
namespace {

using Text = std::unique_ptr<char, void (*)(void*)>;

std::string ranks_of_node(const PmixJob& job, int64_t node) {
  std::vector<std::string> ranks;
  for (int64_t local = 0; local < job.tasks_per_node; ++local)
    ranks.push_back(std::to_string(node * job.tasks_per_node + local));
  return join(ranks, ",");
}

void add_maps(const PmixLibrary& pmix, const PmixJob& job, PmixInfos& infos) {
  char *nodes = nullptr, *ranks = nullptr;
  pmix.check(pmix.generate_regex(join(job.nodes, ",").c_str(), &nodes), "PMIx_generate_regex");
  const Text keep_nodes(nodes, std::free);
  pmix.check(pmix.generate_ppn(ranks_of_nodes(job).c_str(), &ranks), "PMIx_generate_ppn");
  const Text keep_ranks(ranks, std::free);
  infos.map(PMIX_NODE_MAP, nodes);
  infos.map(PMIX_PROC_MAP, ranks);
}

void add_rank(const PmixLibrary& pmix, const PmixJob& job, int64_t rank, PmixInfos& infos) {
  const auto number = static_cast<pmix_rank_t>(rank);
  const auto local = static_cast<uint16_t>(rank % job.tasks_per_node);
  const auto node = static_cast<size_t>(rank / job.tasks_per_node);
  PmixInfos about(pmix);
  about.rank(PMIX_RANK, number);  // libpmix requires this one first
  about.rank(PMIX_GLOBAL_RANK, number);
  about.rank(PMIX_APP_RANK, number);
  about.number(PMIX_APPNUM, 0);
  about.small_number(PMIX_LOCAL_RANK, local);
  about.small_number(PMIX_NODE_RANK, local);
  about.number(PMIX_NODEID, static_cast<uint32_t>(node));
  about.text(PMIX_HOSTNAME, job.nodes[node]);
  if (static_cast<int64_t>(node) == job.node)
    about.text(PMIX_PROCDIR, job.folder / "job" / std::to_string(rank));
  infos.list(PMIX_PROC_DATA, about);
}

}  // namespace

std::string ranks_of_nodes(const PmixJob& job) {
  std::vector<std::string> all;
  for (int64_t node = 0; node < static_cast<int64_t>(job.nodes.size()); ++node)
    all.push_back(ranks_of_node(job, node));
  return join(all, ";");
}

void register_job(const PmixLibrary& pmix, const PmixJob& job) {
  const auto size = static_cast<uint32_t>(job.size());
  const auto here = static_cast<uint32_t>(job.tasks_per_node);
  PmixInfos infos(pmix);
  infos.text(PMIX_JOBID, job.name);
  infos.number(PMIX_UNIV_SIZE, size);
  infos.number(PMIX_JOB_SIZE, size);
  infos.number(PMIX_MAX_PROCS, size);
  infos.number(PMIX_APP_SIZE, size);
  infos.number(PMIX_JOB_NUM_APPS, 1);
  infos.number(PMIX_NUM_NODES, static_cast<uint32_t>(job.nodes.size()));
  infos.number(PMIX_LOCAL_SIZE, here);
  infos.number(PMIX_NODE_SIZE, here);
  infos.flag(PMIX_SPAWNED, false);
  infos.text(PMIX_LOCAL_PEERS, ranks_of_node(job, job.node));
  infos.rank(PMIX_LOCALLDR, static_cast<pmix_rank_t>(job.first_rank()));
  infos.rank(PMIX_APPLDR, 0);
  infos.text(PMIX_TMPDIR, job.folder);
  infos.text(PMIX_NSDIR, job.folder / "job");
  infos.flag(PMIX_TDIR_RMCLEAN, true);
  add_maps(pmix, job, infos);
  for (int64_t rank = 0; rank < job.size(); ++rank) add_rank(pmix, job, rank, infos);

  const pmix_proc_t all = pmix_process(job.name, PMIX_RANK_WILDCARD);
  pmix.check(pmix.register_nspace(all.nspace, static_cast<int>(here), infos.infos(), infos.size(),
                                  nullptr, nullptr),
             "PMIx_server_register_nspace");
  for (int64_t rank = job.first_rank(); rank < job.first_rank() + job.tasks_per_node; ++rank) {
    const pmix_proc_t process = pmix_process(job.name, static_cast<pmix_rank_t>(rank));
    pmix.check(pmix.register_client(&process, ::getuid(), ::getgid(), nullptr, nullptr, nullptr),
               "PMIx_server_register_client");
  }
}

std::vector<Variables> variables_of_ranks(const PmixLibrary& pmix, const PmixJob& job) {
  std::vector<Variables> all;
  for (int64_t rank = job.first_rank(); rank < job.first_rank() + job.tasks_per_node; ++rank) {
    std::filesystem::create_directories(job.folder / "job" / std::to_string(rank));
    const pmix_proc_t process = pmix_process(job.name, static_cast<pmix_rank_t>(rank));
    char** entries = nullptr;
    pmix.check(pmix.setup_fork(&process, &entries), "PMIx_server_setup_fork");
    Variables variables;
    for (char** each = entries; each != nullptr && *each != nullptr; ++each) {
      const std::string entry = *each;
      const size_t equals = entry.find('=');
      if (equals != entry.npos) variables[entry.substr(0, equals)] = entry.substr(equals + 1);
      std::free(*each);
    }
    std::free(entries);
    all.push_back(std::move(variables));
  }
  return all;
}

}  // namespace slipway::job
