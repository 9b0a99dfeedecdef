// dcgmi for nodes whose GPUs are simulated: what scripts ask NVIDIA's program for. It asks NVML
// itself, so it needs no host engine; and it puts no load on a GPU.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "launcher/gpu_programs/dcgm.h"

namespace slipway::gpu_programs {
namespace {

constexpr auto help =
    "dcgmi of Slipway, for nodes with simulated GPUs\n\n"
    "  dcgmi discovery -l                list the GPUs\n"
    "  dcgmi diag -r 1|2|3|4 [-j] [-i GPU,…]  judge what NVML says; no load is put on the GPUs\n"
    "  dcgmi health -c [-j]              what is wrong now\n"
    "  dcgmi health -s a | -f | --clear  accepted: everything is always watched\n"
    "  dcgmi nvlink -s                   which NVLinks are up\n"
    "  dcgmi --version\n";

// What a command takes: whether an option has a value, by all its names.
using Known = std::map<std::string, bool>;

struct Given {
  std::map<std::string, std::string> options;
  bool has(const std::string& one, const std::string& other) const {
    return options.count(one) + options.count(other) > 0;
  }
  std::string value(const std::string& one, const std::string& other) const {
    const auto found = options.find(one), also = options.find(other);
    return found != options.end() ? found->second : also != options.end() ? also->second : "";
  }
};

Given read_options(const std::string& command, const std::vector<std::string>& words,
                   const Known& known) {
  Given given;
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    const std::string name = words[i].substr(0, equals);
    const auto found = known.find(name);
    if (found == known.end()) not_covered("dcgmi", command + " " + name);
    if (!found->second) {
      given.options[name] = "";
    } else if (equals != std::string::npos) {
      given.options[name] = words[i].substr(equals + 1);
    } else if (++i < words.size()) {
      given.options[name] = words[i];
    } else {
      throw Exit(1, fmt::format("PARSE ERROR: Argument: {}\n             Missing a value for this "
                                "argument!\n",
                                name));
    }
  }
  return given;
}

int level_of(const std::string& text) {
  const std::map<std::string, int> names = {{"1", 1},      {"short", 1}, {"2", 2},
                                            {"medium", 2}, {"med", 2},   {"3", 3},
                                            {"long", 3},   {"4", 4},     {"xlong", 4}};
  const auto found = names.find(text);
  if (found == names.end()) not_covered("dcgmi", "diag -r " + text);
  return found->second;
}

std::vector<Device> gpus_for(const nvml::Library& library, const std::string& ids) {
  std::vector<Device> gpus = all_gpus(library);
  if (gpus.empty()) throw Exit(1, "Error: No GPUs found.\n");
  return choose(std::move(gpus), ids);
}

int diag(const nvml::Library& library, const std::vector<std::string>& words) {
  const Given given = read_options("diag", words,
                                   {{"-r", true},
                                    {"--run", true},
                                    {"-j", false},
                                    {"--json", false},
                                    {"-i", true},
                                    {"--gpuList", true},
                                    {"--entity-id", true},
                                    {"-g", true},
                                    {"--group", true},
                                    {"-v", false},
                                    {"--verbose", false},
                                    {"-p", true},
                                    {"--parameters", true},
                                    {"--host", true},
                                    {"--iterations", true},
                                    {"--fail-early", false},
                                    {"--statsonfail", false}});
  if (!given.has("-r", "--run")) throw Exit(1, "Error: The diagnostic needs -r.\n");
  const std::string ids = given.has("--entity-id", "--entity-id")
                              ? given.value("--entity-id", "--entity-id")
                              : given.value("-i", "--gpuList");
  const Diagnosis diagnosis = diagnose(gpus_for(library, ids), level_of(given.value("-r", "--run")),
                                       given.has("-j", "--json"));
  fmt::print("{}", diagnosis.output);
  return diagnosis.status;
}

int health(const nvml::Library& library, const std::vector<std::string>& words) {
  const Given given = read_options("health", words,
                                   {{"-c", false},
                                    {"--check", false},
                                    {"-f", false},
                                    {"--fetch", false},
                                    {"-s", true},
                                    {"--set", true},
                                    {"--clear", false},
                                    {"-j", false},
                                    {"--json", false},
                                    {"-g", true},
                                    {"--group", true},
                                    {"--host", true}});
  const std::vector<Device> gpus = gpus_for(library, "");
  if (given.has("-s", "--set")) {
    fmt::print("Health monitor systems set successfully.\n");
  } else if (given.has("--clear", "--clear")) {
    fmt::print("Health monitor systems cleared successfully.\n");
  } else if (given.has("-c", "--check")) {
    fmt::print("{}", health_report(gpus, given.has("-j", "--json")));
  } else if (given.has("-f", "--fetch")) {
    fmt::print(
        "Health monitor systems report\nPCIe: On\nNVLINK: On\nMemory: On\nSM: Off\nInfoROM: "
        "On\nThermal: On\nPower: On\nDriver: On\n");
  } else {
    throw Exit(1, "Error: health needs one of -c, -f, -s, --clear.\n");
  }
  return 0;
}

int run(const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "--help" : words[0];
  if (command == "-h" || command == "--help") throw Exit(0, help);
  if (command == "--version" || command == "-v") {
    throw Exit(0,
               fmt::format("\ndcgmi  version: {} (Slipway's, for simulated GPUs)\n", dcgm_version));
  }
  const nvml::Library library;
  open_nvml(library);
  if (command == "diag") return diag(library, words);
  if (command == "health") return health(library, words);
  const auto only = [&](const char* one, const char* other) {
    return read_options(command, words, {{one, false}, {other, false}, {"--host", true}})
        .has(one, other);
  };
  if (command == "discovery" && only("-l", "--list")) {
    fmt::print("{}", discovery(all_gpus(library)));
  } else if (command == "nvlink" && only("-s", "--link-status")) {
    fmt::print("{}", nvlink_status(gpus_for(library, "")));
  } else {
    not_covered("dcgmi", words.size() > 1 ? command + " " + words[1] : command);
  }
  return 0;
}

}  // namespace
}  // namespace slipway::gpu_programs

int main(int count, char** arguments) {
  using namespace slipway::gpu_programs;
  try {
    return run({arguments + 1, arguments + count});
  } catch (const Exit& exit) {
    fmt::print("{}", exit.what());
    return exit.status;
  }
}
