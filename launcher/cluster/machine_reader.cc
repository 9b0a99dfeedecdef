// Reads machines.yaml: single rows, and series of machine types that differ in size.
#include "launcher/cluster/machine_reader.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "launcher/cluster/daemon_reader.h"
#include "launcher/cluster/row_reader.h"

namespace slipway::cluster {
namespace {

using source::Diagnostics;
using source::Entry;

constexpr long double mib_per_gib = 1024;

// Truncated, as the cloud does: its 1.8 GiB are 1843 MiB.
int64_t to_mib(long double gib) {
  return std::llround(gib * mib_per_gib);
}

// What the machine types of a series share, and what depends on their vCPUs.
struct Series : MachineSeries {
  std::string what;
  const source::Node* gpu_counts = nullptr;  // by vCPUs; nullptr without GPUs
  const source::Node* memory = nullptr;      // by name, then by vCPUs
};

class MachineReader {
 public:
  MachineReader(const std::optional<std::set<std::string>>& transports, Diagnostics& diagnostics)
      : transports_(transports), diagnostics_(diagnostics) {}

  MachineTable read(const source::Node& root) {
    RowReader file(root, "the file", diagnostics_);
    sources_ = file.keys("sources");
    const source::Node* rows = file.mapping("machines");
    const source::Node* series = file.has("series") ? file.mapping("series") : nullptr;
    const source::Node* unlisted = file.has("unlisted") ? file.mapping("unlisted") : nullptr;
    file.finish();
    if (rows != nullptr) {
      for (const Entry& entry : rows->entries) read_machine(entry);
    }
    if (series != nullptr) {
      for (const Entry& entry : series->entries) read_series(entry);
    }
    if (unlisted != nullptr) read_unlisted(*unlisted);
    return std::move(table_);
  }

 private:
  void read_machine(const Entry& entry) {
    const size_t errors = diagnostics_.errors();
    const std::string what = fmt::format("machine type `{}`", entry.key);
    RowReader machine(entry.value, what, diagnostics_);
    MachineType type;
    type.name = entry.key;
    if (machine.has("gpus")) {
      if (const source::Node* node = machine.mapping("gpus")) {
        RowReader gpus(*node, fmt::format("`gpus` of {}", what), diagnostics_);
        type.gpu_count = gpus.count("count");
        type.gpu_model = gpus.text("model");
        gpus.finish(sources_);
      }
    }
    if (const source::Node* node = machine.mapping("cpus")) {
      RowReader cpus(*node, fmt::format("`cpus` of {}", what), diagnostics_);
      type.sockets = cpus.count("sockets");
      type.cores_per_socket = cpus.count("cores_per_socket");
      type.threads_per_core = cpus.count("threads_per_core");
      cpus.finish(sources_);
    }
    if (const source::Node* node = machine.mapping("memory")) {
      RowReader memory(*node, fmt::format("`memory` of {}", what), diagnostics_);
      type.memory_mib = to_mib(memory.amount("gib"));
      memory.finish(sources_);
    }
    read_nics(machine, "host", what, type.nics);
    if (machine.has("gpu")) read_nics(machine, "gpu", what, type.nics);
    type.transport = read_transport(machine, what);
    if (machine.has("nvlink_domain")) {
      if (const source::Node* node = machine.mapping("nvlink_domain")) {
        RowReader domain(*node, fmt::format("`nvlink_domain` of {}", what), diagnostics_);
        type.nvlink_domain_machines = domain.count("machines");
        domain.finish(sources_);
      }
    }
    read_daemons(machine, what, type);
    machine.finish();
    if (diagnostics_.errors() == errors) table_.rows.emplace(entry.key, std::move(type));
  }

  void read_series(const Entry& entry) {
    const size_t errors = diagnostics_.errors();
    Series series;
    series.what = fmt::format("machine series `{}`", entry.key);
    RowReader row(entry.value, series.what, diagnostics_);
    if (row.has("gpus")) {
      if (const source::Node* node = row.mapping("gpus")) {
        RowReader gpus(*node, fmt::format("`gpus` of {}", series.what), diagnostics_);
        series.gpu_counts = gpus.mapping("count");
        series.shared.gpu_model = gpus.text("model");
        gpus.finish(sources_);
      }
    }
    read_shared(row, series.what, series);
    if (const source::Node* node = row.mapping("memory")) {
      RowReader memory(*node, fmt::format("`memory` of {}", series.what), diagnostics_);
      series.memory = memory.mapping("gib");
      memory.finish(sources_);
    }
    const source::Node* custom = row.has("custom") ? row.mapping("custom") : nullptr;
    row.finish();
    if (diagnostics_.errors() != errors) return;
    read_members(series);
    if (custom != nullptr) read_custom(series, *custom);
  }

  // The processors, network and transport that a series' machine types have.
  void read_shared(RowReader& row, const std::string& what, MachineSeries& series) {
    if (const source::Node* node = row.mapping("cpus")) {
      RowReader cpus(*node, fmt::format("`cpus` of {}", what), diagnostics_);
      series.threads_per_core = cpus.count("threads_per_core");
      if (cpus.has("two_sockets_above")) series.two_sockets_above = cpus.count("two_sockets_above");
      cpus.finish(sources_);
    }
    read_nics(row, "host", what, series.shared.nics);
    series.shared.transport = read_transport(row, what);
  }

  void read_unlisted(const source::Node& node) {
    const std::string what = "`unlisted`";
    RowReader row(node, what, diagnostics_);
    MachineSeries series;
    read_shared(row, what, series);
    if (row.finish()) table_.unlisted = std::move(series);
  }

  void read_custom(const Series& series, const source::Node& node) {
    const std::string what = fmt::format("`custom` of {}", series.what);
    RowReader row(node, what, diagnostics_);
    CustomMachines custom;
    custom.series = series;
    for (std::string& name : row.texts("names")) custom.names.insert(std::move(name));
    if (const source::Node* limits = row.mapping("vcpus")) {
      RowReader vcpus(*limits, fmt::format("`vcpus` of {}", what), diagnostics_);
      custom.least_vcpus = vcpus.count("least");
      custom.most_vcpus = vcpus.count("most");
      if (vcpus.has("multiples")) read_multiples(vcpus, what, custom);
      vcpus.finish();
    }
    if (const source::Node* limits = row.mapping("gib_per_vcpu")) {
      RowReader memory(*limits, fmt::format("`gib_per_vcpu` of {}", what), diagnostics_);
      custom.least_gib_per_vcpu = memory.amount("least");
      custom.most_gib_per_vcpu = memory.amount("most");
      memory.finish();
    }
    const size_t errors = diagnostics_.errors();
    row.finish(sources_);
    if (diagnostics_.errors() == errors) table_.custom.push_back(std::move(custom));
  }

  void read_multiples(RowReader& vcpus, const std::string& what, CustomMachines& custom) {
    const source::Node* rows = vcpus.mapping("multiples");
    if (rows == nullptr) return;
    RowReader multiples(*rows, fmt::format("`multiples` of {}", what), diagnostics_);
    for (const Entry& entry : rows->entries) {
      const int64_t above = positive_number(entry.key);
      if (above == 0) multiples.wrong(entry.key_span, "the key must be a number above 0");
      custom.multiples[above] = multiples.count(entry.key);
    }
    multiples.finish();
  }

  void read_members(const Series& series) {
    const size_t errors = diagnostics_.errors();
    RowReader names(*series.memory, fmt::format("`gib` of {}", series.what), diagnostics_);
    std::optional<RowReader> gpu_counts;
    if (series.gpu_counts != nullptr) {
      gpu_counts.emplace(*series.gpu_counts, fmt::format("`count` of {}", series.what),
                         diagnostics_);
    }
    for (const Entry& entry : series.memory->entries) {
      const source::Node* sizes = names.mapping(entry.key);
      const size_t star = entry.key.find('*');
      if (star == std::string::npos || star != entry.key.rfind('*')) {
        names.wrong(entry.key_span, fmt::format("`{}` does not have one `*`", entry.key),
                    "`*` is replaced by the number of vCPUs");
      } else if (sizes != nullptr) {
        RowReader memory(*sizes, fmt::format("`{}`", entry.key), diagnostics_);
        for (const Entry& size : sizes->entries) {
          std::string name = entry.key;
          add_size(series, name.replace(star, 1, size.key), size, memory, gpu_counts);
        }
      }
    }
    // A wrong size leaves its GPU count unread, which is not a second mistake.
    if (gpu_counts && diagnostics_.errors() == errors) gpu_counts->finish();
  }

  void add_size(const Series& series, const std::string& name, const Entry& size, RowReader& memory,
                std::optional<RowReader>& gpu_counts) {
    const size_t errors = diagnostics_.errors();
    const int64_t vcpus = positive_number(size.key);
    if (vcpus == 0) {
      memory.wrong(size.key_span, fmt::format("`{}` is not a number of vCPUs", size.key));
      return;
    }
    if (table_.rows.contains(name)) {
      memory.wrong(size.key_span, fmt::format("there are two machine types `{}`", name));
      return;
    }
    std::optional<MachineType> type = with_vcpus(series, vcpus);
    if (!type) {
      memory.wrong(
          size.key_span,
          fmt::format("the vCPUs of `{}` do not divide into whole cores: {} threads per core", name,
                      series.threads_per_core));
      return;
    }
    type->name = name;
    type->memory_mib = to_mib(memory.amount(size.key));
    if (gpu_counts) type->gpu_count = gpu_counts->count(size.key);
    if (diagnostics_.errors() == errors) table_.rows.emplace(name, std::move(*type));
  }

  void read_nics(RowReader& machine, std::string_view purpose, const std::string& what,
                 std::vector<MachineType::Nic>& nics) {
    const source::Node* node = machine.mapping(purpose);
    if (node == nullptr) return;
    RowReader row(*node, fmt::format("`{}` of {}", purpose, what), diagnostics_);
    const int64_t mtu_bytes = row.count("mtu_bytes");
    for (std::string& name : row.texts("names")) {
      nics.push_back({std::move(name), std::string(purpose), mtu_bytes});
    }
    row.finish(sources_);
  }

  void read_daemons(RowReader& machine, const std::string& what, MachineType& type) {
    const source::Node* list = machine.has("daemons") ? machine.sequence("daemons") : nullptr;
    if (list == nullptr) return;
    for (const source::Node& node : list->items) {
      RowReader row(node, fmt::format("a daemon of {}", what), diagnostics_);
      const std::vector<std::string> places = row.texts("places");
      type.daemons.push_back({read_daemon(row), {places.begin(), places.end()}});
      row.finish(sources_);
    }
  }

  std::string read_transport(RowReader& machine, const std::string& what) {
    const source::Node* node = machine.mapping("transport");
    if (node == nullptr) return "";
    RowReader row(*node, fmt::format("`transport` of {}", what), diagnostics_);
    std::string name = transports_ ? row.one_of("name", *transports_) : row.text("name");
    row.finish(sources_);
    return name;
  }

  const std::optional<std::set<std::string>>& transports_;
  Diagnostics& diagnostics_;
  std::set<std::string> sources_;
  MachineTable table_;
};

}  // namespace

MachineTable read_machines(const source::Node& root,
                           const std::optional<std::set<std::string>>& transports,
                           Diagnostics& diagnostics) {
  return MachineReader(transports, diagnostics).read(root);
}

}  // namespace slipway::cluster
