// Reads hardware.yaml of the catalogue.
#include "launcher/hosts/hardware_table.h"

#include <fnmatch.h>

#include <algorithm>

#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"

namespace slipway::hosts {
namespace {

using cluster::RowReader;

std::set<std::string> as_set(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

class HardwareReader {
 public:
  HardwareReader(const source::Node& root, source::Diagnostics& diagnostics)
      : file_(root, "the file", diagnostics), diagnostics_(diagnostics) {}

  HardwareTable read() {
    sources_ = file_.keys("sources");
    table_.gpu_vendors = as_set(file_.texts("gpu_vendors"));
    table_.gpu_classes = texts_of("gpu_classes", "codes");
    read_gpus();
    read_machines();
    table_.named_by_product = texts_of("named_by_product", "vendors");
    table_.cloud_vendors = texts_of("cloud_vendors", "vendors");
    table_.shared_file_systems = texts_of("shared_file_systems", "types");
    file_.finish();
    return std::move(table_);
  }

 private:
  // A list with its source: {codes: […], source: …}.
  std::set<std::string> texts_of(const char* key, const char* list) {
    const source::Node* node = file_.mapping(key);
    if (node == nullptr) return {};
    RowReader row(*node, std::string("`") + key + "`", diagnostics_);
    std::set<std::string> texts = as_set(row.texts(list));
    row.finish(sources_);
    return texts;
  }

  void read_gpus() {
    const source::Node* list = file_.sequence("gpus");
    if (list == nullptr) return;
    for (const source::Node& node : list->items) {
      RowReader row(node, "a row of `gpus`", diagnostics_);
      table_.gpus.push_back(
          {row.texts("models"), as_set(row.optional_texts("devices")), row.text("name")});
      row.finish(sources_);
    }
  }

  void read_machines() {
    const source::Node* rows = file_.mapping("machines");
    if (rows == nullptr) return;
    for (const source::Entry& entry : rows->entries) {
      RowReader row(entry.value, "machine `" + entry.key + "`", diagnostics_);
      table_.machines.push_back({entry.key, row.text("vendor"), row.text("product"),
                                 row.count("gpus"), row.count("gpu_nics")});
      row.finish(sources_);
    }
  }

  RowReader file_;
  source::Diagnostics& diagnostics_;
  std::set<std::string> sources_;
  HardwareTable table_;
};

}  // namespace

const HardwareTable::Gpu* HardwareTable::by_device(std::string_view device) const {
  const auto found = std::ranges::find_if(
      gpus, [&](const Gpu& gpu) { return gpu.devices.contains(std::string(device)); });
  return found == gpus.end() ? nullptr : &*found;
}

const HardwareTable::Gpu* HardwareTable::by_name(std::string_view nvml_name) const {
  // A simulated GPU has the name of its model.
  const auto fits = [&](const Gpu& gpu) {
    return nvml_name.find(gpu.name) != nvml_name.npos ||
           std::ranges::any_of(gpu.models, [&](const std::string& model) {
             return nvml_name.ends_with(" " + model);
           });
  };
  const auto found = std::ranges::find_if(gpus, fits);
  return found == gpus.end() ? nullptr : &*found;
}

const HardwareTable::Machine* HardwareTable::by_firmware(std::string_view vendor,
                                                         std::string_view product) const {
  const std::string text(product);
  const auto found = std::ranges::find_if(machines, [&](const Machine& machine) {
    return vendor == machine.vendor &&
           ::fnmatch(machine.product.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
  });
  return found == machines.end() ? nullptr : &*found;
}

HardwareTable load_hardware_table(const std::filesystem::path& folder) {
  HardwareTable table;
  cluster::read_library_table(folder / "hardware.yaml",
                              [&](const source::Node& root, source::Diagnostics& diagnostics) {
                                table = HardwareReader(root, diagnostics).read();
                              });
  return table;
}

}  // namespace slipway::hosts
