// Loads and calls a profiler plugin as NCCL does.
#include "tests/fakes/nccl/profiler.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

#include "tests/fakes/cuda/gpu.h"
#include "tests/fakes/nccl/log.h"

namespace fake {
namespace {

// Bytes of a descriptor that nobody wrote: NCCL clears not all of its descriptors.
constexpr int garbage = 0xa5;

// One plugin for the process, as in NCCL.
std::mutex loading;
std::weak_ptr<ProfilerPlugin> loaded;

void* open_library(const std::string& name, int device) {
  void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && name.find('/') == name.npos)
    library = ::dlopen(("libnccl-profiler-" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) say(Level::info, device, "PROFILER/Plugin: Could not find: " + name);
  return library;
}

// From 2.26 on, NCCL asks for its version first, and then for the older ones.
int newest_interface(int version) {
  return version >= 22800 ? 5 : version >= 22700 ? 4 : version >= 22600 ? 3 : 2;
}

uint64_t gpu_time() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

template <class Descriptor>
Descriptor unwritten() {
  Descriptor made;
  std::memset(static_cast<void*>(&made), garbage, sizeof made);
  return made;
}

template <class Filled>
void fill(Filled& to, const ProfiledCollective& from) {
  to.seq_number = from.sequence;
  to.func = from.function;
  to.count = from.count;
  to.root = from.root;
  to.datatype = from.datatype;
  to.n_warps = 16;
  to.algo = "RING";
  to.proto = "SIMPLE";
}

}  // namespace

template <class Call>
auto ProfilerPlugin::with(const Call& call) const {
  if (interface_ == 5) return call(*static_cast<const profiler::V5*>(table_));
  if (interface_ == 4) return call(*static_cast<const profiler::V4*>(table_));
  return call(*static_cast<const profiler::V3*>(table_));
}

std::shared_ptr<ProfilerPlugin> ProfilerPlugin::load(int version, int device) {
  const std::lock_guard lock(loading);
  if (auto there = loaded.lock()) return there;
  const std::string name = setting("NCCL_PROFILER_PLUGIN");
  if (name.empty() || name == "none") return nullptr;
  void* const library = open_library(name, device);
  if (library == nullptr) return nullptr;
  for (int interface = newest_interface(version); interface >= 3; --interface) {
    const std::string symbol = "ncclProfiler_v" + std::to_string(interface);
    const void* const table = ::dlsym(library, symbol.c_str());
    if (table == nullptr) continue;
    std::shared_ptr<ProfilerPlugin> made(new ProfilerPlugin(library, table, interface));
    loaded = made;
    say(Level::info, device, "Successfully loaded external profiler plugin " + name);
    return made;
  }
  say(Level::info, device, "External profiler plugin " + name + " is unsupported");
  ::dlclose(library);
  return nullptr;
}

ProfilerPlugin::~ProfilerPlugin() {
  ::dlclose(library_);
}

void* ProfilerPlugin::init(const ProfiledCommunicator& of, profiler::Logger log) {
  void* context = nullptr;
  int mask = 0;
  with([&]<class Table>(const Table& table) {
    if constexpr (std::is_same_v<Table, profiler::V5>)
      return table.init(&context, of.id, &mask, "", of.nodes, of.ranks, of.rank, log);
    else if constexpr (std::is_same_v<Table, profiler::V4>)
      return table.init(&context, &mask, "", of.id, of.nodes, of.ranks, of.rank, log);
    else
      return table.init(&context, &mask);
  });
  mask_ = mask;
  return context;
}

void* ProfilerPlugin::start(void* context, const ProfiledCommunicator& of,
                            const ProfiledCollective& collective) {
  if ((mask_ & (profiler::coll | profiler::kernel_ch)) == 0) return nullptr;
  void* handle = nullptr;
  with([&]<class Table>(const Table& table) {
    auto made = unwritten<typename Table::Descriptor>();
    made.type = profiler::coll;
    made.parent_object = nullptr;
    made.rank = of.rank;
    fill(made.coll, collective);
    if constexpr (std::is_same_v<Table, profiler::V3>) {
      made.coll.name = "";
      made.coll.comm_hash = of.id;
      made.coll.n_max_channels = collective.channels;
    } else {
      made.coll.n_channels = collective.channels;
    }
    return table.start_event(context, &handle, &made);
  });
  return handle;
}

void* ProfilerPlugin::start_kernel(void* context, void* parent, int channel, uint64_t time) {
  if ((mask_ & profiler::kernel_ch) == 0) return nullptr;
  void* handle = nullptr;
  with([&]<class Table>(const Table& table) {
    auto made = unwritten<typename Table::Descriptor>();
    made.type = profiler::kernel_ch;
    made.parent_object = parent;
    made.kernel_ch.channel_id = static_cast<uint8_t>(channel);
    if constexpr (!std::is_same_v<Table, profiler::V3>) made.kernel_ch.timer = time;
    return table.start_event(context, &handle, &made);
  });
  return handle;
}

void ProfilerPlugin::stop_kernel(void* handle, uint64_t time) {
  if (handle == nullptr) return;
  with([&]<class Table>(const Table& table) {
    typename Table::StateArgs args = {};
    if constexpr (std::is_same_v<Table, profiler::V3>) return table.stop_event(handle);
    if constexpr (!std::is_same_v<Table, profiler::V3>) args.kernel_ch.timer = time;
    table.record_event_state(handle, profiler::kernel_ch_stop, &args);
    return table.stop_event(handle);
  });
}

void ProfilerPlugin::stop(void* handle) {
  if (handle == nullptr) return;
  with([&](const auto& table) { return table.stop_event(handle); });
}

void ProfilerPlugin::finalize(void* context) {
  if (context == nullptr) return;
  with([&](const auto& table) { return table.finalize(context); });
}

void profiler_log(int level, unsigned long, const char* file, int line, const char* format, ...) {
  constexpr int warn_level = 2;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (level == warn_level)
    warn(current_device(), std::string(file) + ":" + std::to_string(line), text);
  else
    say(Level::info, current_device(), text);
}

std::shared_ptr<Profiled> Profiled::begin(int version, int device,
                                          const ProfiledCommunicator& communicator) {
  auto plugin = ProfilerPlugin::load(version, device);
  if (plugin == nullptr) return nullptr;
  return std::shared_ptr<Profiled>(new Profiled(std::move(plugin), communicator));
}

Profiled::Profiled(std::shared_ptr<ProfilerPlugin> plugin, const ProfiledCommunicator& communicator)
    : plugin_(std::move(plugin)),
      communicator_(communicator),
      context_(plugin_->init(communicator, profiler_log)) {}

Profiled::~Profiled() {
  plugin_->finalize(context_);
}

void* Profiled::launched(const char* function, size_t count, int type, int root) {
  constexpr const char* types[] = {"ncclInt8",     "ncclUint8",      "ncclInt32",
                                   "ncclUint32",   "ncclInt64",      "ncclUint64",
                                   "ncclFloat16",  "ncclFloat32",    "ncclFloat64",
                                   "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};
  ProfiledCollective collective = {function,    0,    count,
                                   types[type], root, std::tuple_size_v<Kernel>};
  {
    const std::lock_guard lock(mutex_);
    collective.sequence = next_[function]++;
  }
  void* const handle = plugin_->start(context_, communicator_, collective);
  plugin_->stop(handle);  // the host is done with it; the kernel is not
  return handle;
}

Profiled::Kernel Profiled::begin_kernel(void* collective) {
  Kernel kernel = {};
  if (collective == nullptr) return kernel;
  for (size_t i = 0; i < kernel.size(); ++i)
    kernel[i] = plugin_->start_kernel(context_, collective, static_cast<int>(i), gpu_time());
  return kernel;
}

void Profiled::end_kernel(const Kernel& kernel) {
  for (void* const channel : kernel) plugin_->stop_kernel(channel, gpu_time());
}

}  // namespace fake
