// Recognizes a machine's type, by its firmware or by its parts.
#include "launcher/hosts/recognize.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::hosts {
namespace {

using cluster::MachineType;

// The number of processors that Linux has: "0-207" is 208. 0 if it cannot be read.
int64_t processors(const health::Machine& machine) {
  int64_t count = 0;
  for (const std::string& range :
       split(machine.read("/sys/devices/system/cpu/present").value_or(""), ',')) {
    const std::vector<std::string> ends = split(range, '-');
    const auto first = to_number<int64_t>(ends.front()), last = to_number<int64_t>(ends.back());
    if (first && last) count += *last - *first + 1;
  }
  return count;
}

bool has_interfaces(const MachineType& type, const std::vector<FoundNic>& nics) {
  return std::ranges::all_of(type.nics, [&](const MachineType::Nic& wanted) {
    return std::ranges::any_of(nics, [&](const FoundNic& nic) {
      return nic.name == wanted.name || nic.rdma_device == wanted.name;
    });
  });
}

bool has_gpu_interfaces(const MachineType& type) {
  return std::ranges::find(type.nics, "gpu", &MachineType::Nic::purpose) != type.nics.end();
}

// Machine types whose GPUs have interfaces are recognized by their names; of the others, many have
// the same, so that they need the cloud's firmware and the number of processors.
bool fits(const MachineType& type, bool in_cloud, int64_t cpus, const FoundGpus& gpus,
          const std::vector<FoundNic>& nics) {
  if (type.gpu_count != static_cast<int64_t>(gpus.gpus.size())) return false;
  if (type.gpu_count > 0 && std::ranges::find(gpus.models, type.gpu_model) == gpus.models.end()) {
    return false;
  }
  if (!has_interfaces(type, nics)) return false;
  return has_gpu_interfaces(type) || (in_cloud && type.cpus() == cpus);
}

// The type that all of these are. Those that differ in what we do not look at, such as local disks,
// have longer names. nullptr if they are different machines.
const MachineType* only_one(const std::vector<const MachineType*>& fitting) {
  if (fitting.empty()) return nullptr;
  const MachineType* shortest = *std::ranges::min_element(
      fitting, {}, [](const MachineType* type) { return type->name.size(); });
  const bool same = std::ranges::all_of(fitting, [&](const MachineType* type) {
    return type->name.starts_with(shortest->name) && type->gpu_model == shortest->gpu_model &&
           type->transport == shortest->transport;
  });
  return same ? shortest : nullptr;
}

}  // namespace

RecognizedMachine recognize(const health::Machine& machine, const cluster::Catalogue& catalogue,
                            const HardwareTable& table, const FoundGpus& gpus,
                            const std::vector<FoundNic>& nics) {
  const std::filesystem::path firmware = "/sys/class/dmi/id";
  const std::string vendor = machine.read(firmware / "sys_vendor").value_or("");
  const std::string product = machine.read(firmware / "product_name").value_or("");
  const std::string words = fmt::format("firmware: {} {}", vendor, product);
  if (const HardwareTable::Machine* whole = table.by_firmware(vendor, product)) {
    return {whole->name, words, nullptr, whole};
  }
  if (table.named_by_product.contains(vendor) && !product.empty()) return {product, words};
  std::vector<const MachineType*> fitting;
  const int64_t cpus = processors(machine);
  for (const std::string& name : catalogue.machine_types()) {
    const MachineType* type = catalogue.find_machine(name);
    if (type == nullptr || type->assumed) continue;
    if (fits(*type, table.cloud_vendors.contains(vendor), cpus, gpus, nics)) {
      fitting.push_back(type);
    }
  }
  if (const MachineType* type = only_one(fitting)) {
    return {type->name, "its GPUs, processors and the names of its interfaces", type};
  }
  return {"hardware", vendor.empty() ? "its firmware does not name it" : words};
}

}  // namespace slipway::hosts
