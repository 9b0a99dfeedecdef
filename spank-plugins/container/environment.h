// The environment of a container's tasks: the job's, under what the image and enroot's hooks set.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::container {

using Environment = std::map<std::string, std::string>;

// The variables in the text of /etc/environment: NAME=VALUE lines, quotes around a value dropped,
// ${NAME} replaced by the job's value, as enroot does. Lines that are neither are skipped.
Environment parse_environment(std::string_view text, const Environment& job);

// The text with each ${NAME} replaced by its value in `from`; by nothing if it has none.
std::string substituted(std::string_view text, const Environment& from);

// The environment of a task: the image's variables beat the job's, except those in `job_wins` that
// the job has. LANG, LANGUAGE and LC_ALL of the job are dropped unless they are in `job_wins`: the
// image may not have that locale.
Environment merged(const Environment& job, const Environment& image,
                   const std::vector<std::string>& job_wins);

// What PyTorch and PMIx need of one task, from its whole environment (the job's and the image's,
// SLURM_PROCID and PMIX_… included): the variables to set. With PYTORCH_VERSION: RANK and
// LOCAL_RANK always; MASTER_ADDR, MASTER_PORT, WORLD_SIZE and OMP_NUM_THREADS where absent. With
// PMIX_RANK: PMIX_MCA_psec, PMIX_MCA_gds and PMIX_MCA_ptl.
Environment task_variables(const Environment& task);

inline constexpr const char* library_path = "LD_LIBRARY_PATH";

// The value of LD_LIBRARY_PATH with one more folder, after those that it has: a library that the
// image or the job names wins, as it does over one in a folder that the loader searches by itself.
std::string with_library_folder(const std::string& value, const std::string& folder);

// The first host of Slurm's notation: "node-001" of "node-[001-004,7],login". Empty for "".
std::string first_host(std::string_view nodes);

}  // namespace slipway::container
