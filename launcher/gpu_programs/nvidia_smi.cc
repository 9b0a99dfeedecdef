// nvidia-smi for nodes whose GPUs are simulated: what scripts ask NVIDIA's program for, with its
// options, words and exit statuses. Everything comes from NVML, so it would be true of real GPUs.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "launcher/gpu_programs/report_lines.h"
#include "launcher/gpu_programs/views.h"

namespace slipway::gpu_programs {
namespace {

constexpr auto help =
    "nvidia-smi of Slipway, for nodes with simulated GPUs\n\n"
    "  nvidia-smi                                 a table of the GPUs\n"
    "  nvidia-smi -L                              one line for each GPU\n"
    "  nvidia-smi -q [-d SECTION,…]               everything about each GPU; -x as XML\n"
    "  nvidia-smi --query-gpu=FIELD,… --format=csv[,noheader][,nounits]\n"
    "  nvidia-smi --query-compute-apps=FIELD,… --format=csv[,noheader][,nounits]\n"
    "  nvidia-smi --query-remapped-rows=FIELD,… --format=csv[,noheader][,nounits]\n"
    "  nvidia-smi topo -m\n"
    "  nvidia-smi nvlink -s\n"
    "  nvidia-smi -pm 0|1                         persistence mode, as root\n\n"
    "  -i ID,…     only these GPUs: numbers, UUIDs, bus addresses\n"
    "  -l SECONDS  again and again; -lms MILLISECONDS\n"
    "  -f FILE     write to the file\n"
    "  --help-query-gpu, --help-query-compute-apps, --help-query-remapped-rows  the fields\n"
    "  --version\n";

struct Query {
  const char* option;
  const char* also;  // another name of the option
  const std::vector<Field>& (*fields)();
  Rows rows;
};
constexpr Query queries[] = {
    {"--query-gpu", "--query-gpu", gpu_fields, Rows::gpus},
    {"--query-compute-apps", "--query-apps", process_fields, Rows::processes},
    {"--query-remapped-rows", "--query-remapped-rows", remapped_fields, Rows::gpus},
};

enum class View { summary, list, report, topology, nvlinks, query, persistence };

struct Options {
  View view = View::summary;
  const Query* query = nullptr;
  bool xml = false;
  std::string fields, format, ids, display, file, persistence;
  long pause_ms = 0;  // 0: once
};

// Options that NVIDIA's program has and this one has not.
constexpr const char* others[] = {

    "-r",
    "--gpu-reset",
    "-c",
    "--compute-mode",
    "-e",
    "--ecc-config",
    "-p",
    "--reset-ecc-errors",
    "-ac",
    "--applications-clocks",
    "-rac",
    "-lgc",
    "--lock-gpu-clocks",
    "-rgc",
    "--reset-gpu-clocks",
    "-lmc",
    "-rmc",
    "-pl",
    "--power-limit",
    "-mig",
    "--multi-instance-gpu",
    "-am",
    "-caa",
    "-u",
    "--unit",
    "-B",
    "--list-excluded-gpus",
    "--query-accounted-apps",
    "--query-retired-pages",
    "--query-supported-clocks",
    "-gom",
    "-fdm",
    "-dm",
    "-acp",
    "-cc",
    "-gtt",
    "mig",
    "dmon",
    "pmon",
    "daemon",
    "replay",
    "clocks",
    "encodersessions",
    "fbcsessions",
    "vgpu",
    "drain",
    "boost-slider",
    "power-hint",
    "conf-compute",
    "c2c",
    "power-smoothing",
    "power-profiles"};

[[noreturn]] void reject(const std::string& word) {
  for (const char* other : others) {
    if (word == other) not_covered("nvidia-smi", word);
  }
  throw Exit(
      invalid_argument,
      fmt::format("ERROR: Option {} is not recognized. Please run 'nvidia-smi -h'.\n\n", word));
}

// The words of a command line: "--name=value" and "--name value" are the same.
class Words {
 public:
  Words(int count, char** words) : words_(words + 1, words + count) {}

  bool has_more() const { return at_ < words_.size(); }

  // The next option. Its value, if it was joined to it, is what value() returns.
  std::string option() {
    std::string word = words_[at_++];
    const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    joined_ = equals != std::string::npos;
    if (joined_) {
      value_ = word.substr(equals + 1);
      word.resize(equals);
    }
    return word;
  }

  std::string value(const std::string& option) {
    if (joined_) return value_;
    if (has_more()) return words_[at_++];
    throw Exit(invalid_argument, fmt::format("Option {} requires an argument.\n", option));
  }

  // The value if there is one: `-l` is also complete without.
  std::string value_or(const std::string& standard) {
    if (joined_) return value_;
    return has_more() && !words_[at_].starts_with('-') ? words_[at_++] : standard;
  }

 private:
  std::vector<std::string> words_;
  size_t at_ = 0;
  bool joined_ = false;
  std::string value_;
};

long milliseconds(const std::string& text, long unit) {
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 10);
  if (end == text.c_str() || *end != '\0' || number <= 0 || number > 1'000'000) {
    throw Exit(invalid_argument, fmt::format("\"{}\" is not a valid interval.\n", text));
  }
  return number * unit;
}

bool read_query(const std::string& option, Words& words, Options& options) {
  for (const Query& query : queries) {
    if (option == "--help" + std::string(query.option).substr(1)) {
      std::string text = fmt::format("Fields of {}:\n\n", query.option);
      for (const Field& field : query.fields()) {
        text += *field.alias == '\0' ? fmt::format("\"{}\"\n", field.name)
                                     : fmt::format("\"{}\" or \"{}\"\n", field.name, field.alias);
      }
      throw Exit(0, text);
    }
    if (option != query.option && option != query.also) continue;
    options.view = View::query;
    options.query = &query;
    options.fields = words.value(option);
    return true;
  }
  return false;
}

void read_option(const std::string& option, Words& words, Options& options) {
  const auto is = [&](const char* one, const char* other) {
    return option == one || option == other;
  };
  if (is("-h", "--help")) throw Exit(0, help);
  if (is("-L", "--list-gpus")) {
    options.view = View::list;
  } else if (is("-q", "--query")) {
    options.view = View::report;
  } else if (is("-x", "--xml-format")) {
    options.xml = true;
  } else if (is("-d", "--display")) {
    options.display = words.value(option);
  } else if (is("-i", "--id")) {
    options.ids = words.value(option);
  } else if (is("-f", "--filename")) {
    options.file = words.value(option);
  } else if (is("-l", "--loop")) {
    options.pause_ms = milliseconds(words.value_or("5"), 1000);
  } else if (is("-lms", "--loop-ms")) {
    options.pause_ms = milliseconds(words.value(option), 1);
  } else if (option == "--format") {
    options.format = words.value(option);
  } else if (is("-pm", "--persistence-mode")) {
    options.view = View::persistence;
    options.persistence = words.value(option);
  } else if (!read_query(option, words, options)) {
    reject(option);
  }
}

// The view of a command such as `topo`, and whether its options may follow.
bool read_command(const std::string& command, Words& words, Options& options) {
  const bool is_topology = command == "topo";
  if (!is_topology && command != "nvlink") return false;
  options.view = is_topology ? View::topology : View::nvlinks;
  bool complete = false;
  while (words.has_more()) {
    const std::string option = words.option();
    if (option == "-i" || option == "--id") {
      options.ids = words.value(option);
    } else if (is_topology ? option == "-m" || option == "--matrix"
                           : option == "-s" || option == "--status") {
      complete = true;
    } else {
      not_covered("nvidia-smi", command + " " + option);
    }
  }
  if (!complete) not_covered("nvidia-smi", command + " without " + (is_topology ? "-m" : "-s"));
  return true;
}

Options parse(int count, char** arguments) {
  Options options;
  Words words(count, arguments);
  for (bool first = true; words.has_more(); first = false) {
    const std::string option = words.option();
    if (option == "--version") {
      const nvml::Library library;
      open_nvml(library);
      throw Exit(0, fmt::format("NVIDIA-SMI version  : Slipway's, for simulated GPUs\n"
                                "NVML version        : {}\nDRIVER version      : {}\n"
                                "CUDA Version        : N/A\n",
                                library.text("nvmlSystemGetNVMLVersion"),
                                library.text("nvmlSystemGetDriverVersion")));
    }
    if (!first || !read_command(option, words, options)) read_option(option, words, options);
  }
  if (options.view == View::query && options.format.empty()) {
    throw Exit(invalid_argument, "--query-… needs --format=csv[,noheader][,nounits]\n");
  }
  if (options.view != View::query && !options.format.empty()) {
    throw Exit(invalid_argument,
               "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n");
  }
  return options;
}

std::string set_persistence(const std::vector<Device>& gpus, const std::string& text) {
  const bool on = text == "1" || text == "ENABLED";
  if (!on && text != "0" && text != "DISABLED") {
    throw Exit(invalid_argument,
               fmt::format("\"{}\" is not a valid persistence mode: use 0 or 1\n", text));
  }
  const nvmlEnableState_t wanted = on ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
  const char* const name = on ? "Enabled" : "Disabled";
  std::string said;
  for (const Device& gpu : gpus) {
    const bool was = field_text(gpu, "persistence_mode", "") == name;
    const nvmlReturn_t code = gpu.library->call("nvmlDeviceSetPersistenceMode", gpu.handle, wanted);
    if (code != NVML_SUCCESS) {
      throw Exit(static_cast<int>(code),
                 fmt::format("{}Unable to set persistence mode for GPU {}: {}\nTerminating early "
                             "due to previous errors.\n",
                             said, gpu.bus, gpu.library->words_of(code)));
    }
    said += was ? fmt::format("Persistence mode is already {} for GPU {}.\n", name, gpu.bus)
                : fmt::format("{} persistence mode for GPU {}.\n", name, gpu.bus);
  }
  return said + "All done.\n";
}

std::string shown(const std::vector<Device>& gpus, const Options& options, bool first) {
  if (options.view == View::list) return list(gpus);
  require_all(gpus);
  switch (options.view) {
    case View::report:
      return options.xml ? xml_report(gpus) : report(gpus, options.display);
    case View::topology:
      return topology(gpus);
    case View::nvlinks:
      return nvlinks(gpus);
    case View::persistence:
      return set_persistence(gpus, options.persistence);
    case View::query: {
      const CsvFormat format = parse_format(options.format);
      const auto fields = chosen_fields(options.query->fields(), options.fields);
      return (first ? csv_header(fields, format) : "") +
             csv_rows(fields, gpus, options.query->rows, format);
    }
    default:
      return summary(gpus);
  }
}

int run(const Options& options) {
  if (!options.file.empty() && std::freopen(options.file.c_str(), "w", stdout) == nullptr) {
    throw Exit(invalid_argument, fmt::format("Failed to open file {}\n", options.file));
  }
  const nvml::Library library;
  open_nvml(library);
  for (bool first = true;; first = false) {
    const auto gpus = choose(all_gpus(library), options.ids);
    fmt::print("{}", shown(gpus, options, first));
    std::fflush(stdout);
    if (options.view == View::list) require_all(gpus);
    if (options.pause_ms == 0) return 0;
    ::usleep(static_cast<useconds_t>(options.pause_ms) * 1000);
  }
}

}  // namespace
}  // namespace slipway::gpu_programs

int main(int count, char** arguments) {
  using namespace slipway::gpu_programs;
  try {
    return run(parse(count, arguments));
  } catch (const Exit& exit) {
    fmt::print("{}", exit.what());
    return exit.status;
  }
}
