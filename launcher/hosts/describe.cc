// Describes a machine from what it says about itself.
#include "launcher/hosts/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "common/count.h"
#include "common/host_name.h"
#include "common/interfaces.h"
#include "common/text.h"
#include "launcher/cluster/node_profiles.h"
#include "launcher/hosts/recognize.h"
#include "launcher/hosts/site.h"
#include "launcher/hosts/transport_choice.h"

namespace slipway::hosts {
namespace {

using Interface = NodeProfile::Interface;

class Describer {
 public:
  Describer(const health::Machine& machine, const Answers& answers, const Knowledge& knowledge,
            const Wishes& wishes)
      : machine_(machine),
        answers_(answers),
        knowledge_(knowledge),
        wishes_(wishes),
        devices_(read_pci_devices(machine)),
        nics_(read_nics(machine, devices_)),
        gpus_(find_gpus(machine, devices_, answers.nvml, knowledge.hardware)),
        type_(recognize(machine, knowledge.catalogue, knowledge.hardware, gpus_, nics_)) {}

  Description describe() {
    name_it();
    describe_gpus();
    describe_interfaces();
    choose_transport();
    describe_mounts();
    expect_bandwidth();
    compare_with_type();
    return std::move(description_);
  }

 private:
  NodeProfile& profile() { return description_.profile; }
  void from(const std::string& value, std::string origin) {
    profile().origins[value] = std::move(origin);
  }
  void warn(std::string text) { description_.warnings.push_back(std::move(text)); }

  void name_it() {
    std::string origin = "--cluster";
    profile().cluster = wishes_.cluster;
    if (wishes_.cluster.empty()) {
      const ClusterName found = find_cluster_name(machine_);
      profile().cluster = found.name;
      origin = found.file;
    }
    from("cluster", origin);
    profile().deployment = profile().cluster;
    profile().node = wishes_.node.empty() ? split(answers_.host_name, '.').at(0) : wishes_.node;
    from("node", wishes_.node.empty() ? "the host name" : "--node");
    profile().role = wishes_.role;
    from("role", "--role");
    profile().target = target_name;
    profile().machine_type = type_.name;
    from("machine_type", type_.origin);
  }

  void describe_gpus() {
    for (std::string& warning : gpus_.warnings) warn(std::move(warning));
    profile().gpus.count = static_cast<int64_t>(gpus_.gpus.size());
    from("gpus.count", gpus_.origin);
    if (gpus_.gpus.empty()) return;
    const bool has_own_name =
        type_.type != nullptr && type_.type->gpu_count == profile().gpus.count;
    profile().gpus.model = has_own_name ? type_.type->gpu_model : gpus_.models[0];
    from("gpus.model", gpus_.model_origin);
    for (const FoundGpus::Gpu& gpu : gpus_.gpus) {
      profile().gpus.devices.push_back(gpu.device);
      profile().gpus.pci_addresses.push_back(gpu.address);
    }
  }

  Interface as_interface(const FoundNic& nic, const std::string& purpose) const {
    Interface interface {
      nic.name, purpose, purpose == "gpu" ? "gpus" : "hosts",
          answers_.address(nic.name), nic.mtu_bytes
    };
    interface.rdma_device = nic.rdma_device;
    interface.pci_address = nic.pci_address;
    return interface;
  }

  // The type's own interfaces, by their names in the catalogue.
  bool is_of_type(const FoundNic& nic, std::string_view purpose) const {
    if (type_.type == nullptr) return false;
    return std::ranges::any_of(type_.type->nics, [&](const cluster::MachineType::Nic& wanted) {
      return wanted.purpose == purpose &&
             (wanted.name == nic.name || wanted.name == nic.rdma_device);
    });
  }

  void describe_interfaces() {
    std::vector<GpuNic> of_gpus = gpu_nics(nics_, devices_, gpus_);
    if (type_.type != nullptr)
      std::erase_if(of_gpus, [&](const GpuNic& gpu) { return !is_of_type(nics_[gpu.nic], "gpu"); });
    std::vector<Interface> hosts = host_interfaces(), gpus;
    std::set<std::string> used;
    for (size_t i = 0; i < nics_.size(); ++i) {
      const auto near = std::ranges::find(of_gpus, i, &GpuNic::nic);
      if (near == of_gpus.end() && !is_of_type(nics_[i], "gpu")) continue;
      gpus.push_back(as_interface(nics_[i], "gpu"));
      chosen_.push_back(nics_[i]);
      add_distance(near == of_gpus.end() ? distance_of(i) : *near, gpus.back());
      if (!nics_[i].up) warn(fmt::format("{} is a GPU's interface, but is down", nics_[i].name));
    }
    std::ranges::stable_sort(gpus, {}, &Interface::pci_address);
    for (auto* interfaces : {&hosts, &gpus}) {
      for (Interface& interface : *interfaces) {
        used.insert(interface.name);
        profile().network_interfaces.push_back(std::move(interface));
      }
    }
    for (const FoundNic& nic : nics_) {
      if (!used.contains(nic.name)) profile().unused_interfaces.push_back(nic.name);
    }
    if (profile().network_interfaces.empty()) warn("no network interface is in use");
  }

  // Of an interface that is the GPUs' by its machine type.
  GpuNic distance_of(size_t nic) const {
    const auto device = std::ranges::find(devices_, nics_[nic].pci_address, &PciDevice::address);
    return device == devices_.end() ? GpuNic{nic, {}, std::nullopt}
                                    : nearest_gpus(nic, *device, gpus_);
  }

  void add_distance(const GpuNic& near, Interface& interface) {
    interface.gpus = near.gpus;
    if (!near.distance) return;
    from("network_interfaces." + interface.name,
         fmt::format("{} from GPU {}", name_of(*near.distance), fmt::join(near.gpus, ", ")));
  }

  // The way to everywhere, or all that carry IP packets if there is none.
  std::vector<Interface> host_interfaces() {
    std::vector<Interface> hosts;
    const auto add = [&](auto&& is_one, const char* origin) {
      for (const FoundNic& nic : nics_) {
        if (!is_one(nic)) continue;
        hosts.push_back(as_interface(nic, "host"));
        from("network_interfaces." + nic.name, origin);
      }
    };
    add([&](const FoundNic& nic) { return is_of_type(nic, "host"); },
        "the machine type's interface for the host");
    if (hosts.empty()) {
      add([](const FoundNic& nic) { return nic.has_default_route; }, "the default route");
    }
    if (hosts.empty()) {
      add(
          [&](const FoundNic& nic) {
            return nic.ethernet && nic.up && nic.rdma_device.empty() && !is_of_type(nic, "gpu");
          },
          "Ethernet with a carrier");
    }
    return hosts;
  }

  void choose_transport() {
    const cluster::Catalogue& catalogue = knowledge_.catalogue;
    ChosenTransport chosen;
    if (!wishes_.transport.empty()) {
      chosen = {&catalogue.transport(wishes_.transport), "", "--transport", {}};
      const std::string folder = find_libraries(machine_, *chosen.type);
      if (!folder.empty() && folder != "-") chosen.folder = folder;
    } else if (const cluster::TransportType* own = transport_of_type()) {
      chosen = {own, "", fmt::format("machine type {}", type_.name), {}};
    } else {
      chosen = choose_by_hardware(machine_, catalogue, chosen_);
    }
    for (std::string& warning : chosen.warnings) warn(std::move(warning));
    profile().transport = cluster::fill_in(*chosen.type, profile().network_interfaces);
    // A list without a name in it would exclude every interface.
    std::erase_if(profile().transport.environment, [](const NodeTransport::Variable& variable) {
      return variable.value.empty() || variable.value == "=";
    });
    if (!chosen.folder.empty()) profile().transport.libraries.folder = chosen.folder;
    from("transport", chosen.origin);
  }

  // The machine type's own transport, if it has rules and this machine its libraries.
  const cluster::TransportType* transport_of_type() {
    if (type_.type == nullptr) return nullptr;
    const cluster::TransportType* own = knowledge_.catalogue.find_transport(type_.type->transport);
    if (own == nullptr || own->environment.empty()) return nullptr;
    const NodeTransport::Libraries& libraries = own->node.libraries;
    if (!find_libraries(machine_, *own).empty()) return own;
    warn(
        fmt::format("machine type {} has transport {}, but this machine lacks {} in {}: jobs use "
                    "sockets until you install it",
                    type_.name, own->name, join(libraries.names, ", "), libraries.folder));
    return &knowledge_.catalogue.transport("socket");
  }

  void describe_mounts() {
    std::set<std::string> mounts;
    const std::string table = machine_.read("/proc/self/mounts").value_or("");
    for (const std::string& line : split(table, '\n')) {
      const std::vector<std::string> fields = split(line, ' ');
      if (fields.size() < 3 || !knowledge_.hardware.shared_file_systems.contains(fields[2])) {
        continue;
      }
      // Blanks in names are written as \040, which no profile has: such mounts are rare.
      if (fields[1].find('\\') == std::string::npos) mounts.insert(fields[1]);
    }
    profile().mounts.assign(mounts.begin(), mounts.end());
    from("mounts", "/proc/self/mounts");
  }

  void expect_bandwidth() {
    for (const cluster::ExpectedFigure& figure : knowledge_.catalogue.bandwidth) {
      const bool same_way = figure.expected.transport.empty() ||
                            figure.expected.transport == profile().transport.name;
      if (figure.machine == type_.name && same_way) {
        profile().expected_bandwidth.push_back(figure.expected);
      }
    }
  }

  void compare_with_type() {
    if (type_.whole == nullptr) return;
    const auto compare = [&](int64_t wanted, size_t there, const char* what) {
      if (static_cast<int64_t>(there) >= wanted) return;
      description_.missing.push_back(
          fmt::format("{} has {} {}, this machine {}", type_.name, wanted, what, there));
    };
    compare(type_.whole->gpus, gpus_.gpus.size(), "GPUs");
    compare(type_.whole->gpu_nics, chosen_.size(), "RDMA devices for GPUs");
  }

  const health::Machine& machine_;
  const Answers& answers_;
  const Knowledge& knowledge_;
  const Wishes& wishes_;
  std::vector<PciDevice> devices_;
  std::vector<FoundNic> nics_;
  FoundGpus gpus_;
  RecognizedMachine type_;
  std::vector<FoundNic> chosen_;  // the GPUs' interfaces
  Description description_;
};

std::string own_address(const std::string& interface) {
  for (const Ipv4Interface& each : ipv4_interfaces()) {
    if (each.name == interface) return fmt::format("{}/{}", each.address, each.prefix_length);
  }
  return {};
}

}  // namespace

Answers ask_this_machine(AskNvml ask) {
  constexpr std::chrono::seconds patience{30};  // NVML takes seconds without persistence mode
  return {own_host_name(), ask == AskNvml::yes ? ask_nvml(patience) : health::Gpus(), own_address};
}

Answers no_answers(const std::filesystem::path& root) {
  Answers answers;
  answers.host_name = health::Machine(root).read("/etc/hostname").value_or("node");
  answers.address = [](const std::string&) { return std::string(); };
  return answers;
}

Description describe(const health::Machine& machine, const Answers& answers,
                     const Knowledge& knowledge, const Wishes& wishes) {
  return Describer(machine, answers, knowledge, wishes).describe();
}

}  // namespace slipway::hosts
