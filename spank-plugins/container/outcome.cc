// How the start of a step's container went.
#include "spank-plugins/container/outcome.h"

#include "spank-plugins/container/fields.h"

namespace slipway::container {

std::string encode(const Outcome& outcome) {
  FieldWriter to;
  to.put(outcome.error);
  to.put(outcome.notes);
  to.put(static_cast<long>(outcome.keeper));
  to.put(static_cast<long>(outcome.namespaces));
  to.put(outcome.pretends_ids ? 1L : 0L);
  to.put(outcome.workdir);
  to.put(outcome.library_folder);
  to.put(outcome.folder);
  to.put(outcome.own ? 1L : 0L);
  to.put(outcome.releases ? 1L : 0L);
  Environment sets;
  std::vector<std::string> unsets;
  for (const auto& [name, value] : outcome.changes) {
    if (value) sets[name] = *value;
    if (!value) unsets.push_back(name);
  }
  to.put(sets);
  to.put(unsets);
  return std::move(to).text();
}

Outcome decode_outcome(std::string_view text) {
  FieldReader from(text);
  Outcome outcome;
  outcome.error = from.text();
  outcome.notes = from.texts();
  outcome.keeper = static_cast<pid_t>(from.number());
  outcome.namespaces = static_cast<int>(from.number());
  outcome.pretends_ids = from.flag();
  outcome.workdir = from.text();
  outcome.library_folder = from.text();
  outcome.folder = from.text();
  outcome.own = from.flag();
  outcome.releases = from.flag();
  for (auto& [name, value] : from.variables()) outcome.changes[name] = value;
  for (const std::string& name : from.texts()) outcome.changes[name] = std::nullopt;
  return outcome;
}

}  // namespace slipway::container
