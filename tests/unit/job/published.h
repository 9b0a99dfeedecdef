// Loads the shipped failure profiles.
#pragma once

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "launcher/job/failures.h"
#include "launcher/source/diagnostics.h"

inline const std::filesystem::path shipped_catalogue =
    std::filesystem::path(TEST_SOURCE_ROOT) / "blueprints/catalogue";

inline slipway::job::FailureProfile shipped_profile(const std::string& name) {
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  for (const auto& profile : slipway::job::load_failures(shipped_catalogue, sources, diagnostics)) {
    if (profile.name == name) return profile;
  }
  throw std::runtime_error("no profile " + name);
}
