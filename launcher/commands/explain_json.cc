// Explanations as JSON.
#include "launcher/commands/explain_page.h"

#include <nlohmann/json.hpp>
#include "launcher/commands/values.h"
#include "launcher/source/json.h"

namespace slipway::commands {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Step::Kind;

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::written:
      return "written";
    case Kind::used:
      return "use";
    case Kind::joined:
      return "joined";
    case Kind::output:
      return "output";
    case Kind::variable:
      return "variable";
    case Kind::module_id:
      return "module_id";
    case Kind::computed:
      return "computed";
    case Kind::standard:
      return "default";
    case Kind::replaced:
      return "replaced";
    case Kind::missing:
      return "missing";
  }
  return "";
}

Json tree(const Step& step, const source::Sources& sources) {
  const bool shown = step.value && !step.secret;
  Json from = Json::array();
  for (const Step& part : step.from) from.push_back(tree(part, sources));
  return {{"kind", name_of(step.kind)},
          {"name", step.name},
          {"text", step.text},
          {"value", shown ? to_json(*step.value) : Json()},
          {"known", shown && step.value->is_known()},
          {"broken", step.broken},
          {"secret", step.secret},
          {"place", to_json(step.place, sources)},
          {"from", std::move(from)},
          {"defaults", step.defaults},
          {"untold", step.untold}};
}

}  // namespace

Json to_json(const Explanation& explanation, const source::Sources& sources) {
  Json out = tree(explanation.step, sources);
  out["type"] = explanation.type;
  out["help"] = explanation.help;
  out["lost"] = Json::array();
  for (const Step& step : explanation.lost) out["lost"].push_back(tree(step, sources));
  out["readers"] = explanation.readers;
  return out;
}

}  // namespace slipway::commands
