// Tests what a compute node waits for before it takes jobs, and where its containers come from.
#include "launcher/node/boot_order.h"

#include <chrono>

#include "common/error.h"
#include "common/file.h"
#include "launcher/node/transport.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node;
namespace fs = std::filesystem;

namespace {

// Patience for a moment, and the lines that it printed.
struct Moment {
  std::vector<std::string> said;
  Patience patience{std::chrono::steady_clock::now() + std::chrono::milliseconds(300),
                    [this](const std::string& line) { said.push_back(line); }};
};

// A Docker that knows the images in the file `store`, and logs its arguments.
ContainerPlaces fake_docker(const fs::path& folder, const std::string& loads) {
  write_file(folder / "docker", "#!/bin/sh\ncd '" + folder.string() +
                                    "'\necho \"$*\" >>log\ncase $1 in\n"
                                    "image) grep -qxF \"$3\" store ;;\n"
                                    "load) echo '" +
                                    loads +
                                    "' >>store ;;\n"
                                    "pull) echo \"$3\" >>store ;;\nesac\n");
  fs::permissions(folder / "docker", fs::perms::owner_all);
  write_file(folder / "store", "");
  write_file(folder / "log", "");
  return {.docker = folder / "docker", .archives = folder / "archives"};
}

NodeTransport::Daemon rxdm() {
  NodeTransport::Daemon daemon;
  daemon.name = "rxdm";
  daemon.images = {"registry.example/folder/rxdm-dev:v2"};
  daemon.command = {"/usr/bin/docker", "run", "--volume=/dev/helper:/dev/helper", "--volume=/a:/b"};
  return daemon;
}

}  // namespace

TEST_CASE("boot order: a startup script runs from when it is queued until it ends") {
  const auto state = [](const std::string& active, const std::string& job) {
    return startup_script_state("LoadState=loaded\nActiveState=" + active + "\nJob=" + job + "\n");
  };
  CHECK(state("inactive", "47") == StartupScript::running);  // queued, not begun
  CHECK(state("activating", "47") == StartupScript::running);
  CHECK(state("activating", "") == StartupScript::running);
  CHECK(state("inactive", "0") == StartupScript::done);
  CHECK(state("active", "") == StartupScript::done);
  CHECK(state("failed", "0") == StartupScript::done);
  CHECK(startup_script_state("LoadState=not-found\nActiveState=inactive\n") ==
        StartupScript::absent);
}

TEST_CASE("boot order: a node does not start after a startup script that failed") {
  const TemporaryDirectory folder;
  Moment moment;
  const fs::path result = folder / "startup-script";
  wait_for_startup_script(moment.patience, std::chrono::seconds(0),
                          result);  // one that writes nothing
  write_file(result, "done\n");
  wait_for_startup_script(moment.patience, std::chrono::seconds(0), result);
  write_file(result, "mount-local-ssd.sh failed with exit status 1\n");
  CHECK_THROWS_WITH(wait_for_startup_script(moment.patience, std::chrono::seconds(0), result),
                    "the startup script failed: mount-local-ssd.sh failed with exit status 1; see "
                    "`journalctl --unit=google-startup-scripts.service`, then restart that and "
                    "slipway-node.service");
}

TEST_CASE("boot order: waits for device files that a daemon's container mounts") {
  const TemporaryDirectory folder;
  CHECK(devices_of(rxdm()) == std::vector<std::string>{"/dev/helper"});
  Moment moment;
  CHECK_THROWS_WITH(wait_for_devices(moment.patience, rxdm(), folder.path()),
                    "cannot get /dev/helper: rxdm needs it; is its kernel module loaded?");
  make_directories(folder.path() / "dev");
  write_file(folder / "dev/helper", "");
  wait_for_devices(moment.patience, rxdm(), folder.path());
}

TEST_CASE("boot order: containers come from the image's archives, else from the registry") {
  const TemporaryDirectory folder;
  const std::string image = rxdm().images[0];
  const std::string ask = "image inspect " + image + "\n";
  ContainerPlaces places = fake_docker(folder.path(), image);
  CHECK(archive_of(image, places) == places.archives / "rxdm-dev.tar.gz");
  SECTION("Docker has it") {
    write_file(folder / "store", image + "\n");
    pull_images(rxdm(), places);
    CHECK(read_file(folder / "log") == ask);
  }
  SECTION("there is no archive") {
    pull_images(rxdm(), places);
    CHECK(read_file(folder / "log") == ask + ask + "pull --quiet " + image + "\n");
  }
  make_directories(places.archives);
  const fs::path archive = archive_of(image, places);
  const std::string load = "load --quiet --input " + archive.string() + "\n";
  SECTION("Docker's store is empty, as on a local SSD after a boot") {
    write_file(archive, "");
    pull_images(rxdm(), places);
    CHECK(read_file(folder / "log") == ask + load + ask);
  }
  SECTION("the archive has another version") {
    places = fake_docker(folder.path(), "registry.example/folder/rxdm-dev:v1");
    write_file(archive, "");
    pull_images(rxdm(), places);
    CHECK(read_file(folder / "log") == ask + load + ask + "pull --quiet " + image + "\n");
  }
}

TEST_CASE("startup script: its age follows from systemd's time") {
  using namespace std::chrono_literals;
  CHECK(startup_script_age("InactiveExitTimestampMonotonic=5000000\n", 65s) == 60s);
  CHECK(startup_script_age("InactiveExitTimestampMonotonic=0\n", 65s) == 0s);
  CHECK(startup_script_age("", 65s) == 0s);
}
