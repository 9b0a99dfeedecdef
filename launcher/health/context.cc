// Names of the stages in which a node is checked.
#include "launcher/health/context.h"

#include <array>

namespace slipway::health {
namespace {

constexpr std::array<std::string_view, 5> stage_names = {"manual", "prolog", "epilog", "periodic",
                                                         "deep"};

}  // namespace

std::string_view name_of(Stage stage) {
  return stage_names.at(static_cast<size_t>(stage));
}

std::optional<Stage> stage_named(std::string_view name) {
  for (size_t i = 0; i < stage_names.size(); ++i) {
    if (stage_names[i] == name) return static_cast<Stage>(i);
  }
  return std::nullopt;
}

}  // namespace slipway::health
