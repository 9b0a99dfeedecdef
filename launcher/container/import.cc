// Makes squashfs images with skopeo, umoci, tar and mksquashfs.
#include "launcher/container/import.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "common/environment.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "launcher/container/credentials.h"
#include "launcher/container/image_configuration.h"
#include "launcher/container/root_folder.h"
#include "launcher/container/tool.h"
#include "launcher/container/worker.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;
using Kind = ImageAddress::Kind;

unsigned own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

// As Go names it, whichever way it is written.
std::string architecture_name(const std::string& given) {
  if (given == "x86_64") return "amd64";
  return given == "aarch64" ? "arm64" : given;
}

class Import {
 public:
  Import(const ImageAddress& address, const ImportOptions& options, fs::path unfinished,
         fs::path work)
      : address_(address),
        options_(options),
        unfinished_(std::move(unfinished)),
        work_(std::move(work)) {}

  void run() {
    fs::path root = work_ / "root";
    std::string source;
    switch (address_.kind) {
      case Kind::registry:
      case Kind::daemon:
        source = skopeo_source(address_);
        break;
      case Kind::folder:
        if (is_layout(address_.path)) {
          source = skopeo_source(address_);
        } else {
          root = address_.path;
        }
        break;
      case Kind::archive:
        source = unpack_archive(root);
        break;
    }
    if (!source.empty()) root = unpack_image(source);
    write_squashfs(root);
  }

 private:
  void say(const std::string& text) const {
    if (options_.say) options_.say(text);
  }

  static bool is_layout(const fs::path& folder) {
    return fs::is_regular_file(folder / "oci-layout") && fs::is_regular_file(folder / "index.json");
  }

  // Unpacks a tar file into `root`. If what it contains is an image, returns skopeo's source of it.
  std::string unpack_archive(const fs::path& root) const {
    require_tool("tar", "tar");
    fs::create_directory(root);
    say(fmt::format("unpacking {}", address_.path.string()));
    run_tool({"tar", "--extract", "--file", address_.path.string(), "--directory", root.string(),
              "--no-same-owner", "--preserve-permissions", "--delay-directory-restore",
              "--anchored", "--exclude=dev/*", "--exclude=./dev/*"},
             "unpack " + address_.path.string(), work_.string());
    if (is_layout(root)) return "oci:" + root.string();
    const bool is_saved = fs::is_regular_file(root / "manifest.json") && !fs::exists(root / "usr");
    return is_saved ? skopeo_source(address_) : "";
  }

  std::vector<std::string> copy_command(const std::string& source, const fs::path& layout) const {
    std::vector<std::string> argv = {"skopeo"};
    std::error_code ignored;
    const fs::path own = fs::path(environment_variable("HOME")) / ".config/containers/policy.json";
    if (!fs::exists("/etc/containers/policy.json", ignored) && !fs::exists(own, ignored)) {
      argv.emplace_back("--insecure-policy");  // the site has no rules about signatures
    }
    argv.insert(argv.end(), {"--tmpdir", work_.string(), "--override-os", "linux"});
    if (!options_.architecture.empty()) {
      argv.insert(argv.end(), {"--override-arch", architecture_name(options_.architecture)});
    }
    argv.insert(argv.end(), {"copy", "--quiet"});
    if (address_.kind == Kind::registry) {
      if (write_auth_file(address_, work_ / "auth.json")) {
        argv.insert(argv.end(), {"--src-authfile", (work_ / "auth.json").string()});
      }
      if (options_.allow_http) argv.emplace_back("--src-tls-verify=false");
    }
    argv.insert(argv.end(), {source, "oci:" + layout.string() + ":image"});
    return argv;
  }

  // Fetches the image and unpacks its layers; returns the root.
  fs::path unpack_image(const std::string& source) const {
    require_tool("skopeo", "skopeo");
    require_tool("umoci", "umoci");
    const fs::path layout = work_ / "layout";
    say(fmt::format("fetching {}", source));
    run_tool(copy_command(source, layout), "fetch " + source, work_.string());
    const ImageConfiguration configuration = read_configuration(layout);
    say("unpacking its layers");
    const fs::path bundle = work_ / "bundle";
    run_tool(
        {"umoci", "unpack", "--rootless", "--image", layout.string() + ":image", bundle.string()},
        "unpack the image's layers", work_.string());
    fs::remove_all(layout);
    configure(bundle / "rootfs", configuration);
    return bundle / "rootfs";
  }

  void configure(const fs::path& folder, const ImageConfiguration& configuration) const {
    const std::string wanted = architecture_name(options_.architecture);
    if (!wanted.empty() && !configuration.architecture.empty() &&
        wanted != configuration.architecture) {
      say(fmt::format("warning: the image is for {}, not for {}", configuration.architecture,
                      wanted));
    }
    const RootFolder root(folder);
    if (!configuration.workdir.empty()) root.make_folders(configuration.workdir);
    root.replace_file("/etc/rc", rc_text(configuration), 0755);
    root.replace_file("/etc/fstab", fstab_text(configuration), 0644);
    root.replace_file("/etc/environment", environment_text(configuration), 0644);
    if (!root.has("/etc/rc.local")) {
      root.replace_file("/etc/rc.local",
                        "# /etc/rc sources this file before it runs the entrypoint.\n", 0644);
    }
    root.make_readable();
  }

  void write_squashfs(const fs::path& root) const {
    require_tool("mksquashfs", "squashfs-tools");
    say("writing " + options_.output.string());
    std::vector<std::string> argv = {
        "mksquashfs",         root.string(),
        unfinished_.string(), "-noappend",
        "-all-root",          "-no-progress",
        "-processors",        std::to_string(options_.threads > 0 ? options_.threads : own_cpus())};
    if (options_.compressor == "none") {
      argv.insert(argv.end(), {"-noI", "-noD", "-noF", "-noX"});
    } else {
      argv.insert(argv.end(), {"-comp", options_.compressor});
      if (options_.compressor == "zstd") argv.insert(argv.end(), {"-Xcompression-level", "3"});
    }
    argv.insert(argv.end(), {"-wildcards", "-e", "dev/*", "proc/*", "sys/*"});
    const std::string said =
        run_tool(argv, "write " + options_.output.string(), options_.output.parent_path().string());
    // mksquashfs writes empty files for what it cannot read.
    for (const char* mark : {"creating empty file", "creating empty dir", "Failed to read"}) {
      if (const size_t at = said.find(mark); at != said.npos) {
        const size_t begin = said.rfind('\n', at) == said.npos ? 0 : said.rfind('\n', at) + 1;
        throw Error(fmt::format("{}; as root, everything can be read",
                                said.substr(begin, said.find('\n', at) - begin)));
      }
    }
  }

  const ImageAddress& address_;
  const ImportOptions& options_;
  const fs::path unfinished_, work_;
};

void require_source(const ImageAddress& address) {
  if (address.kind == Kind::folder && !fs::is_directory(address.path)) {
    throw Error(fmt::format("there is no folder {}", address.path.string()));
  }
  if (address.kind == Kind::archive && !fs::is_regular_file(address.path)) {
    throw Error(fmt::format("there is no file {}", address.path.string()));
  }
}

// mksquashfs would read what it writes.
void require_outside(const fs::path& folder, const fs::path& output) {
  const fs::path place = fs::weakly_canonical(output.parent_path()) / output.filename();
  const fs::path relative = place.lexically_relative(fs::canonical(folder));
  if (*relative.begin() == "..") return;
  throw Error(
      fmt::format("the image would be in {}, which it is made of: name a place outside with "
                  "--output",
                  folder.string()));
}

void require_output(const ImportOptions& options) {
  if (::access(options.output.parent_path().c_str(), W_OK | X_OK) != 0) {
    throw_errno(fmt::format("cannot write into {}", options.output.parent_path().string()));
  }
  if (!options.replace && fs::exists(fs::symlink_status(options.output))) {
    throw Error(fmt::format("File already exists: {}", options.output.string()));  // enroot's words
  }
  require_replaceable(options.output);
}

// Gives the finished image its name. Without `replace`, an image that appeared meanwhile stays.
void publish(const fs::path& unfinished, const ImportOptions& options) {
  ::chmod(unfinished.c_str(), 0644);
  const Fd file(::open(unfinished.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) {
    throw_errno(fmt::format("cannot write {}", options.output.string()));
  }
  if (options.replace ? ::rename(unfinished.c_str(), options.output.c_str()) == 0
                      : ::link(unfinished.c_str(), options.output.c_str()) == 0) {
    return;
  }
  if (errno == EEXIST) throw Error(fmt::format("File already exists: {}", options.output.string()));
  if (options.replace || ::rename(unfinished.c_str(), options.output.c_str()) != 0) {
    throw_errno(fmt::format("cannot write {}", options.output.string()));
  }
}

}  // namespace

void import_image(const ImageAddress& address, const ImportOptions& options) {
  require_source(address);
  require_output(options);
  if (address.kind == Kind::folder) require_outside(address.path, options.output);
  const std::string given = environment_variable("TMPDIR");
  const fs::path unfinished =
      options.output.parent_path() /
      fmt::format(".{}.{}.part", options.output.filename().string(), ::getpid());
  run_worker(given.empty() ? "/tmp" : given, unfinished, [&](const fs::path& work) {
    Import(address, options, unfinished, work).run();
    publish(unfinished, options);
  });
}

}  // namespace slipway::container
