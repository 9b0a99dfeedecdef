// `slipway fetch`: downloads the modules of a blueprint that are not in the library.
#include "launcher/modules/fetch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/status_line.h"
#include "common/text.h"
#include "launcher/blueprint/include.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/modules/library.h"

namespace slipway::commands {
namespace {

using modules::ModuleSource;

// The blueprint's remote sources in its order, one for each package.
std::vector<ModuleSource> remote_sources(const blueprint::Deployment& deployment,
                                         const std::vector<std::string>& library) {
  std::vector<ModuleSource> remote;
  for (const blueprint::Group& group : deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      const ModuleSource source = modules::parse_source(module.source);
      const bool known =
          std::any_of(remote.begin(), remote.end(),
                      [&](const ModuleSource& one) { return one.package == source.package; }) ||
          std::find(library.begin(), library.end(), source.path) != library.end();
      if (source.is_remote() && !known) remote.push_back(source);
    }
  }
  return remote;
}

std::vector<ModuleSource> read_sources(const std::string& file) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  blueprint::Deployment deployment;
  const source::Span text = sources.add_file(file);
  blueprint::read_with_includes(text, sources, diagnostics, deployment);
  if (diagnostics.errors() > 0) {
    show(diagnostics);
    throw InvalidBlueprint();
  }
  const modules::Library library(find_installation().blueprints(), sources);
  return remote_sources(deployment, library.paths());
}

}  // namespace

int fetch(Args args) {
  std::string blueprint;
  bool update = false;
  CommandLine line(
      "slipway fetch",
      "Download the modules that a blueprint names from git, a registry or an archive.");
  line.about("No other command downloads modules: they use what `fetch` has put into the cache.");
  line.positional("BLUEPRINT", &blueprint);
  line.flag("update", "download modules again even if they are here, as a branch may have moved",
            &update);
  line.example("slipway fetch cluster.yaml", "before the first `slipway check cluster.yaml`");
  line.example("slipway fetch cluster.yaml --update", "get the newest version of each branch");
  line.environment("XDG_CACHE_HOME", "where modules are kept (default ~/.cache)");
  line.environment("GIT_SSH_COMMAND", "how git reaches repositories over ssh");
  line.see_also("slipway-modules(1)");
  if (!line.parse(args)) return 0;

  const std::vector<ModuleSource> sources = read_sources(blueprint);
  if (sources.empty()) {
    fmt::print(stderr, "{} has no modules to fetch\n", blueprint);
    return 0;
  }
  modules::Fetcher fetcher(modules::ModuleCache::of_user());
  std::vector<std::string> failed;
  for (const ModuleSource& source : sources) {
    const bool here = fetcher.has(source);
    if (here && !update) {
      fmt::print("{}: already fetched\n", source.package);
      continue;
    }
    fmt::print(stderr, "fetching {}\n", source.package);
    try {
      {
        StatusLine line;
        const auto work = line.during("fetching " + source.package);
        fetcher.fetch(source);
      }
      fmt::print("{}: {}\n", source.package, here ? "updated" : "fetched");
    } catch (const Error& error) {
      failed.push_back(fmt::format("cannot fetch `{}`: {}", source.package, error.what()));
    }
  }
  if (!failed.empty()) throw Error(join(failed, "\n"));
  return 0;
}

}  // namespace slipway::commands
