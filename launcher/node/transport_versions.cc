// Records what is installed of the transport: versions, and a digest of its libraries.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <map>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/sha256.h"
#include "common/text.h"
#include "launcher/node/transport.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* nccl_name = "libnccl.so.2";

// Maps a file instead of reading it: NCCL's library is hundreds of MB.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info = {};
    if (!file || ::fstat(file.get(), &info) != 0 || info.st_size == 0) return;
    size_ = static_cast<size_t>(info.st_size);
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data_ == MAP_FAILED) size_ = 0;
  }
  ~MappedFile() {
    if (size_ > 0) ::munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

// "2.28.9" from the text "NCCL version 2.28.9+cuda13.0" in the library.
std::string nccl_version(std::string_view library) {
  constexpr std::string_view before = "NCCL version ";
  for (size_t at = library.find(before); at != library.npos; at = library.find(before, at + 1)) {
    const std::string_view rest = library.substr(at + before.size(), 32);
    const std::string_view version = rest.substr(0, rest.find_first_not_of("0123456789."));
    if (version.find('.') != version.npos) return std::string(version);
  }
  return "";
}

std::map<std::string, std::string> read_versions(const fs::path& path) {
  std::map<std::string, std::string> versions;
  if (!fs::exists(path)) return versions;
  for (const std::string& line : split(read_file(path), '\n')) {
    const size_t equals = line.find('=');
    if (equals != line.npos) versions[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return versions;
}

std::string architecture() {
  utsname name = {};
  return ::uname(&name) == 0 ? name.machine : "";
}

std::vector<fs::path> files_of(const NodeTransport::Libraries& libraries) {
  std::vector<fs::path> files;
  for (const std::string& name : libraries.names)
    files.push_back(fs::path(libraries.folder) / name);
  files.push_back(fs::path(libraries.folder) / nccl_name);
  return files;
}

std::string state_of(const std::vector<fs::path>& files) {
  std::string state;
  for (const fs::path& file : files) {
    struct stat info = {};
    if (::stat(file.c_str(), &info) != 0) continue;
    state += fmt::format("{} {} {}.{:09}\n", file.string(), info.st_size, info.st_mtim.tv_sec,
                         info.st_mtim.tv_nsec);
  }
  return state;
}

}  // namespace

void record_transport_versions(const NodeTransport& transport, const TransportPlaces& places) {
  if (transport.libraries.folder.empty()) return;
  const std::vector<fs::path> files = files_of(transport.libraries);
  auto versions = read_versions(places.versions);
  TransportStock stock;
  stock.state = state_of(files) + versions["plugin"] + " " + versions["daemon"];
  if (const auto before = load_transport_stock(places.stock)) {
    if (before->state == stock.state && before->transport == transport.name) return;
  }
  stock.transport = transport.name;
  stock.plugin = versions["plugin"];
  stock.daemon = versions["daemon"];
  stock.architecture = architecture();
  std::string all = stock.plugin + "\n" + stock.architecture + "\n";
  for (const fs::path& path : files) {
    const MappedFile file(path);
    if (file.bytes().empty()) continue;
    if (path.filename() == nccl_name) stock.nccl = nccl_version(file.bytes());
    all += fmt::format("{} {}\n", path.filename().string(), sha256(file.bytes()));
  }
  stock.digest = sha256(all);
  make_directories(places.stock.parent_path());
  write_file(places.stock, to_json(stock));
}

}  // namespace slipway::node
