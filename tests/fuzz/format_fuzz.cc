// Fuzz target: the formatter. What it lays out means the same as before, keeps every character but
// white space, and does not change when it is formatted again.
#include "launcher/editor/format.h"

#include <cstdint>
#include <string>

#include "launcher/editor/unified_diff.h"
#include "launcher/source/yaml.h"
#include "tests/fuzz/check.h"

using namespace slipway;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const source::Span file = sources.add("fuzz.yaml", std::string(data, data + size));
  const auto formatted = editor::format_yaml(file, sources, diagnostics);
  require(formatted.has_value() == (diagnostics.errors() == 0), "only mistakes prevent formatting");
  if (!formatted) return 0;
  const std::string before(sources.text(file));
  const std::string laid_out = editor::laid_out(file, sources);
  const source::Span once = sources.add("once", laid_out);
  require(editor::means_the_same(file, once, sources),
          "the layout changes the meaning:\n" + before + "\n---\n" + laid_out);
  const std::string again = editor::laid_out(once, sources);
  require(again == laid_out,
          "formatting again changes it:\n" + before + "\n---\n" + laid_out + "\n---\n" + again);
  const std::string diff = editor::unified_diff(before, *formatted, "x");
  require(diff.empty() == (before == *formatted), "a diff shows whether it changes:\n" + diff);
  return 0;
}
