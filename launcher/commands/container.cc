// `slipway container`: images for srun --container-image.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "common/command_line.h"
#include "common/environment.h"
#include "common/error.h"
#include "launcher/commands/verb.h"
#include "launcher/container/import.h"

namespace slipway::commands {
namespace {

struct ImportCommand {
  std::string address, output;
  std::string compressor = "zstd";
  int64_t threads = 0;
  bool force = false, allow_http = false;
  std::string architecture;
};

void declare(CommandLine& line, ImportCommand& given) {
  line.about(
      "ADDRESS is one of:\n\n"
      "  docker://[USER@][REGISTRY#]IMAGE[:TAG]  from a registry (default Docker Hub)\n"
      "  dockerd://IMAGE[:TAG]                   from this machine's Docker daemon\n"
      "  podman://IMAGE[:TAG]                    from your images of Podman\n"
      "  dir:FOLDER                              a root file system, or an image as OCI's layout\n"
      "  tar:FILE                                the same, or what `docker save` writes\n\n"
      "The image is a squashfs file with /etc/rc, /etc/fstab and /etc/environment, as enroot "
      "makes it: --container-image=/path/to/FILE uses it. It appears under its name when it is "
      "complete.\n\n"
      "Passwords of registries are read from ~/.config/enroot/.credentials (`machine HOST login "
      "USER password WORD`), or from where `skopeo login`, `podman login` and `docker login` "
      "keep them.");
  line.positional("ADDRESS", &given.address);
  line.option("output,o", "FILE", "the image", &given.output, "IMAGE+TAG.sqsh in this folder");
  line.option("arch,a", "NAME", "architecture of the image", &given.architecture, "this machine's");
  line.option("compressor", "zstd|lz4|lzo|gzip|xz|none", "how to compress it", &given.compressor);
  line.option("threads", "N", "how many threads compress it", &given.threads, "all CPUs");
  line.flag("force", "replace the file if it exists", &given.force);
  line.flag("allow-http", "allow registries without HTTPS or with an unknown certificate",
            &given.allow_http);
  line.example("slipway container import docker://nvcr.io#nvidia/nemo:25.11",
               "writes nvidia+nemo+25.11.sqsh");
  line.example("slipway container import --output debian.sqsh dir:/srv/debian",
               "from a root that mmdebstrap made");
  line.environment("TMPDIR", "where images are unpacked (default /tmp); three times their size");
  line.environment("ENROOT_ALLOW_HTTP", "the same as --allow-http, if it is y, yes or true");
  line.file("~/.config/enroot/.credentials", "passwords of registries");
  line.see_also("slipway-launch(1)");
}

container::ImportOptions options_of(const ImportCommand& given, const ImageAddress& address) {
  const std::string known[] = {"zstd", "lz4", "lzo", "gzip", "xz", "none"};
  if (std::find(std::begin(known), std::end(known), given.compressor) == std::end(known)) {
    throw UsageError(fmt::format("unknown compressor `{}`; known: zstd, lz4, lzo, gzip, xz, none",
                                 given.compressor));
  }
  if (given.threads < 0 || given.threads > 4096) {
    throw UsageError("--threads is a number from 1 to 4096");
  }
  container::ImportOptions options;
  const std::string name = given.output.empty() ? default_file(address) : given.output;
  options.output = std::filesystem::absolute(name).lexically_normal();
  if (!options.output.has_filename()) {
    throw UsageError(fmt::format("--output {} is a folder, not a file", name));
  }
  options.replace = given.force;
  options.architecture = given.architecture;
  options.compressor = given.compressor;
  options.threads = static_cast<unsigned>(given.threads);
  const std::string http = environment_variable("ENROOT_ALLOW_HTTP");
  options.allow_http = given.allow_http || http == "y" || http == "yes" || http == "true";
  options.say = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  return options;
}

int import(Args args) {
  ImportCommand given;
  CommandLine line("slipway container import", "Make an image for srun --container-image.");
  declare(line, given);
  if (!line.parse(args)) return 0;
  const ImageAddress address = parse_address(given.address);
  const container::ImportOptions options = options_of(given, address);
  container::import_image(address, options);
  fmt::print("{}\n", options.output.string());
  return 0;
}

}  // namespace

int container(Args args) {
  return run_part({"slipway container",
                   "Make images for srun --container-image.",
                   "A container's image is one squashfs file, which nodes mount without unpacking "
                   "it.",
                   {{"import", import}},
                   {{"slipway container import docker://nvcr.io#nvidia/nemo:25.11",
                     "fetch an image from a registry"},
                    {"srun --container-image=$PWD/nvidia+nemo+25.11.sqsh ./train.sh", "use it"}}},
                  args);
}

}  // namespace slipway::commands
