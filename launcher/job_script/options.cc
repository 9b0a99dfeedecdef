// The options of sbatch and srun, read as these programs read them.
#include "launcher/job_script/options.h"

#include <getopt.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "common/child.h"
#include "common/text.h"

namespace slipway::job_script {
namespace {

// Options from 22.05 to 24.11 (src/common/slurm_opt.c): `=` marks an option that takes a value, `?`
// one whose value is optional. getopt needs all of them, as a value may look like an option.
constexpr std::string_view of_both =
    "account= acctg-freq= bb= bbf= begin= chdir= cluster-constraint= clusters= cluster= comment= "
    "constraint= container= container-id= context= contiguous core-spec= cores-per-socket= "
    "cpu-freq= cpus-per-gpu= cpus-per-task= deadline= delay-boot= dependency= distribution= error= "
    "exclude= exclusive? export= extra= extra-node-info= gid= gpu-bind= gpu-freq= gpus= "
    "gpus-per-node= gpus-per-socket= gpus-per-task= gres= gres-flags= help hint= hold input= "
    "job-name= licenses= mail-type= mail-user= mcs-label= mem= mem-bind= mem-per-cpu= mem-per-gpu= "
    "mincpus= network= nice? no-kill? nodefile= nodelist= nodes= ntasks= ntasks-per-core= "
    "ntasks-per-gpu= ntasks-per-node= ntasks-per-socket= ntasks-per-tres= oom-kill-step? "
    "open-mode= output= overcommit oversubscribe partition= power= prefer= priority= profile= "
    "propagate? qos= quiet reboot reservation= resv-ports? segment= signal= sockets-per-node= "
    "spread-job stepmgr switches= tasks-per-node= test-only thread-spec= threads-per-core= time= "
    "time-min= tmp= tres-bind= tres-per-task= uid= usage use-min-nodes verbose version "
    "wait-all-nodes= wckey= "
    // Of plugins: ours, and pyxis.
    "container-image= container-mounts= container-workdir= container-name= container-save= "
    "container-env= container-unshare= container-mount-home no-container-mount-home "
    "container-remap-root no-container-remap-root container-entrypoint no-container-entrypoint "
    "container-entrypoint-log container-writable container-readonly nccl-env= nccl-watch "
    "auto-resume= health=";
constexpr std::string_view of_sbatch =
    " array= autocomplete= batch= export-file= get-user-env? ignore-pbs kill-on-invalid-dep= "
    "no-requeue parsable requeue wait wrap=";
constexpr std::string_view of_srun =
    " bcast? bcast-exclude= compress? cpu-bind= disable-status epilog= exact external-launcher "
    "het-group= immediate? interactive kill-on-bad-exit? label launch-cmd launcher-opts= mpi= "
    "msg-timeout= multi-prog no-allocate overlap preserve-env prolog= pty? quit-on-interrupt "
    "relative= send-libs? slurmd-debug= task-epilog= task-prolog= threads= tree-width= unbuffered "
    "wait= whole";
constexpr const char* short_of_sbatch =
    "+:A:a:b:D:M:C:S:c:d:m:e:x:B:G:hHi:J:L:k::F:w:N:n:o:Osp:q:Qt:vVW";
constexpr const char* short_of_srun =
    "+:A:b:D:M:C:S:c:d:m:e:Ex:B:G:hHi:I::J:K::lL:k::F:w:N:n:o:Op:q:Qr:st:T:uvVW:XZ";

const std::map<char, std::string_view>& long_names() {
  static const std::map<char, std::string_view> names{{'A', "account"},
                                                      {'a', "array"},
                                                      {'b', "begin"},
                                                      {'D', "chdir"},
                                                      {'M', "clusters"},
                                                      {'C', "constraint"},
                                                      {'S', "core-spec"},
                                                      {'c', "cpus-per-task"},
                                                      {'d', "dependency"},
                                                      {'m', "distribution"},
                                                      {'e', "error"},
                                                      {'E', "preserve-env"},
                                                      {'x', "exclude"},
                                                      {'B', "extra-node-info"},
                                                      {'G', "gpus"},
                                                      {'h', "help"},
                                                      {'H', "hold"},
                                                      {'i', "input"},
                                                      {'I', "immediate"},
                                                      {'J', "job-name"},
                                                      {'K', "kill-on-bad-exit"},
                                                      {'l', "label"},
                                                      {'L', "licenses"},
                                                      {'k', "no-kill"},
                                                      {'F', "nodefile"},
                                                      {'w', "nodelist"},
                                                      {'N', "nodes"},
                                                      {'n', "ntasks"},
                                                      {'o', "output"},
                                                      {'O', "overcommit"},
                                                      {'p', "partition"},
                                                      {'q', "qos"},
                                                      {'Q', "quiet"},
                                                      {'r', "relative"},
                                                      {'s', "oversubscribe"},
                                                      {'t', "time"},
                                                      {'T', "threads"},
                                                      {'u', "unbuffered"},
                                                      {'v', "verbose"},
                                                      {'V', "version"},
                                                      {'W', "wait"},
                                                      {'X', "disable-status"},
                                                      {'Z', "no-allocate"}};
  return names;
}

constexpr int first_long = 256;  // above every short option

struct OptionTable {
  explicit OptionTable(std::string_view own) {
    for (const std::string& word : split(std::string(of_both) + std::string(own), ' ')) {
      const char mark = word.back();
      const bool plain = mark != '=' && mark != '?';
      names.push_back(plain ? word : word.substr(0, word.size() - 1));
      arguments.push_back(mark == '='   ? required_argument
                          : mark == '?' ? optional_argument
                                        : no_argument);
    }
    for (size_t i = 0; i < names.size(); ++i) {
      rows.push_back({names[i].c_str(), arguments[i], nullptr, first_long + static_cast<int>(i)});
    }
    rows.push_back({nullptr, 0, nullptr, 0});
  }
  OptionTable(const OptionTable&) = delete;

  std::vector<std::string> names;
  std::vector<int> arguments;
  std::vector<option> rows;  // points into `names`
};

const OptionTable& table_of(SlurmProgram program) {
  static const OptionTable sbatch{of_sbatch}, srun{of_srun};
  return program == SlurmProgram::sbatch ? sbatch : srun;
}

// Of options with two names.
std::string canonical(std::string_view name) {
  if (name == "tasks-per-node") return "ntasks-per-node";
  if (name == "cluster") return "clusters";
  return std::string(name);
}

}  // namespace

const GivenOption* ParsedOptions::find(std::string_view name) const {
  const auto found = std::find_if(given.rbegin(), given.rend(),
                                  [&](const GivenOption& option) { return option.name == name; });
  return found == given.rend() ? nullptr : &*found;
}

std::string ParsedOptions::text(std::string_view name) const {
  const GivenOption* const option = find(name);
  return option == nullptr ? "" : option->value.value_or("");
}

ParsedOptions parse_options(SlurmProgram program, const std::vector<std::string>& words) {
  const OptionTable& table = table_of(program);
  const char* const shorts = program == SlurmProgram::sbatch ? short_of_sbatch : short_of_srun;
  std::vector<std::string> copy = words;
  copy.insert(copy.begin(), "slurm");
  std::vector<char*> argv = pointers(copy);
  const int argc = static_cast<int>(copy.size());
  ParsedOptions parsed;
  opterr = 0;
  optind = 0;  // glibc: reset getopt
  for (int before = 1, c = 0;
       (c = ::getopt_long(argc, argv.data(), shorts, table.rows.data(), nullptr)) != -1;
       before = optind) {
    const size_t first = static_cast<size_t>(before) - 1;
    // A flag with more options joined to it leaves optind where it was.
    const auto last = static_cast<size_t>(std::max(before, optind - 1)) - 1;
    if (c == '?' || c == ':') {
      parsed.bad.push_back({std::min(first, words.size() - 1), c == ':'});
      continue;
    }
    const std::string name = c >= first_long
                                 ? canonical(table.names[static_cast<size_t>(c - first_long)])
                                 : std::string(long_names().at(static_cast<char>(c)));
    parsed.given.push_back(
        {name, optarg == nullptr ? std::nullopt : std::optional<std::string>(optarg), first, last});
  }
  parsed.end = std::min(static_cast<size_t>(optind) - 1, words.size());
  return parsed;
}

std::vector<std::string> option_names(SlurmProgram program) {
  return table_of(program).names;
}

}  // namespace slipway::job_script
