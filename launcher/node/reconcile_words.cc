// What the reconciler reports about its steps.
#include <fmt/core.h>

#include <map>

#include "launcher/node/reconcile.h"
#include "launcher/node/reconcile_run.h"

namespace slipway::node {

std::string text_of(const Step& step) {
  using Kind = Step::Kind;
  static const std::map<Kind, const char*> words = {
      {Kind::down, "set down {}: {}"},
      {Kind::power_down, "power down {}: {}"},
      {Kind::power_up, "make a machine for {}: {}"},
      {Kind::replace, "power down {} when its jobs have ended: {}"},
      {Kind::available, "make {} available: {}"},
      {Kind::drain, "drain {}: {}"},
      {Kind::resume, "resume {}: {}"},
      {Kind::reserve, "create reservation {} for {}"},
      {Kind::release, "delete reservation {}: {}"},
      {Kind::maintain, "start the maintenance of the host of {}: {}"},
      {Kind::remove, "delete machine {}: {}"}};
  const std::string why =
      step.why.starts_with(own_reason) ? step.why.substr(own_reason.size()) : step.why;
  return fmt::format(fmt::runtime(words.at(step.kind)), step.name, why);
}

}  // namespace slipway::node
