// Options that nccl-tests' relatives have, and that scripts pass by mistake.
#include "nccl-tests/foreign_options.h"

#include <array>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

struct Foreign {
  const char* name;
  const char* advice;
};

// Of rccl-tests (https://github.com/ROCm/rccl-tests), unless the advice says otherwise.
constexpr std::array<Foreign, 15> foreign_options = {{
    {"output_format,Z", "write -J FILE for nccl-tests' JSON, or --report FILE for ours"},
    {"csv_file",
     "there is no CSV file: write -J FILE for nccl-tests' JSON, or --report FILE for ours"},
    {"cache_flush,F", "consecutive runs use different parts of the buffer anyway: leave it out"},
    {"hipgraph", "write --cudagraph N (-G N)"},
    {"delay", "placements are measured one after the other without a delay: leave it out"},
    {"stress_cycles,s", "write --run_cycles N (-N N), as nccl-tests does"},
    {"memory_type,Y", "NCCL has no types of memory to choose from: leave it out"},
    {"cumask", "it belongs to AMD's GPUs: leave it out"},
    {"out_of_place,O", "both placements are always measured: leave it out"},
    {"delay_inout_place,q",
     "placements are measured one after the other without a delay: leave it out"},
    {"rotating_tensor,E",
     "consecutive runs use different parts of the buffer anyway: leave it out"},
    {"all_warmup_sizes,A", "warm-up runs all sizes in powers of two anyway: leave it out"},
    {"host", "it is mpirun's: write it before the program's name"},
    {"hosts", "it is mpirun's: write it before the program's name"},
    {"hostfile", "it is mpirun's: write it before the program's name"},
}};

std::string spelled(const Foreign& option) {
  const std::string name = option.name;
  const size_t comma = name.find(',');
  return comma == name.npos ? "--" + name : "-" + name.substr(comma + 1);
}

}  // namespace

void ForeignOptions::declare(CommandLine& line) {
  given_.resize(foreign_options.size());  // the targets must not move from here on
  for (size_t i = 0; i < foreign_options.size(); ++i) {
    line.option(foreign_options[i].name, "VALUE", "refused", &given_[i]);
    line.hide();
  }
  line.flag("json", "refused", &json_);
  line.hide();
}

void ForeignOptions::refuse() const {
  if (json_)
    throw UsageError("--json: write -J FILE for nccl-tests' JSON, or --report FILE for ours");
  for (size_t i = 0; i < given_.size(); ++i) {
    if (given_[i].empty()) continue;
    throw UsageError(fmt::format("nccl-tests has no {}; {}", spelled(foreign_options[i]),
                                 foreign_options[i].advice));
  }
}

void refuse_variables(std::span<const std::string> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t equals = args[i].find('=');
    const bool follows_option = i > 0 && args[i - 1].starts_with('-');
    if (follows_option || equals == 0 || equals == std::string::npos) continue;
    const std::string_view name = std::string_view(args[i]).substr(0, equals);
    if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != name.npos) continue;
    throw UsageError(fmt::format(
        "`{}` sets a variable: write it before the program's name, or with -x of mpirun", args[i]));
  }
}

std::string with_advice(const std::string& complaint) {
  if (complaint.starts_with("unexpected word"))
    return complaint + ": leave it out, as nccl-tests ignores it";
  if (complaint.find("'--stepfactor'") != complaint.npos)
    return complaint + ": write a whole number, since nccl-tests ignores what follows it";
  return complaint;
}

int parse_cta_policy(const std::string& text) {
  if (text.empty()) return -1;
  if (const auto number = to_number<int>(text); number && *number >= -1 && *number <= 2)
    return *number;
  throw UsageError(fmt::format(
      "--cta_policy is `{}`, it must be 0, 1 or 2; for a file with the results, write -J FILE",
      text));
}

}  // namespace slipway::bandwidth
