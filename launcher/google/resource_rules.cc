// Reads values.yaml, words.yaml, compute.yaml and attachments.yaml.
#include "launcher/google/resource_rules.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>

#include "common/error.h"
#include "common/kept.h"
#include "common/text.h"
#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {
namespace {

namespace fs = std::filesystem;
using cluster::RowReader;

void read_ranges(RowReader& row, ValueRule& rule, source::Diagnostics& diagnostics) {
  const source::Node* ranges = row.sequence("ranges");
  if (ranges == nullptr) return;
  for (const source::Node& item : ranges->items) {
    RowReader range(item, "a range", diagnostics);
    rule.ranges.push_back(
        {range.optional_count("least"), range.count("most"), range.optional_count("step", 1)});
    range.finish();
  }
}

// What `values` and `inputs` have in common.
ValueRule read_rule(RowReader& row, const std::set<std::string>& sources,
                    source::Diagnostics& diagnostics) {
  ValueRule rule;
  rule.is = row.text("is");
  row.one_of("source", sources);
  rule.pattern = Pattern(row.optional_text("pattern"));
  rule.keys = Pattern(row.optional_text("keys"));
  rule.never = Pattern(row.optional_text("never"));
  if (row.has("longest")) rule.longest = row.count("longest");
  if (row.has("longest_key")) rule.longest_key = row.count("longest_key");
  if (row.has("longest_together")) rule.longest_together = row.count("longest_together");
  const bool many = row.has("many_words");
  rule.more_words = row.has("more_words") || many;
  rule.words = many ? split(row.text("many_words"), ' ')
                    : row.optional_texts(rule.more_words ? "more_words" : "words");
  if (row.has("mistaken")) {
    RowReader mistaken(*row.mapping("mistaken"), "`mistaken`", diagnostics);
    for (const std::string& word : row.keys("mistaken")) rule.mistaken[word] = mistaken.text(word);
  }
  rule.computed = row.optional_text("computed");
  rule.like = rule.words.empty() ? row.text("like") : row.optional_text("like");
  if (row.has("ranges")) read_ranges(row, rule, diagnostics);
  return rule;
}

void read_value(const source::Node& item, const std::set<std::string>& sources,
                ResourceRules& rules, source::Diagnostics& diagnostics) {
  RowReader row(item, "a value", diagnostics);
  const std::vector<std::string> attributes = row.texts("of");
  ValueRule rule = read_rule(row, sources, diagnostics);
  if (row.has("when")) {
    const source::Node* when = row.mapping("when");
    RowReader conditions(*when, "a condition", diagnostics);
    for (const std::string& key : row.keys("when")) rule.when[key] = conditions.texts(key);
  }
  if (!row.finish()) return;
  rules.rules.push_back(std::move(rule));
  for (const std::string& attribute : attributes) {
    rules.by_attribute[attribute].push_back(rules.rules.size() - 1);
  }
}

void read_input(const source::Node& item, const std::set<std::string>& sources,
                ResourceRules& rules, source::Diagnostics& diagnostics) {
  RowReader row(item, "an input", diagnostics);
  InputRule rule{row.texts("names"), read_rule(row, sources, diagnostics)};
  rule.is_warning = row.has("level") && row.one_of("level", {"warning"}) == "warning";
  if (row.finish()) rules.inputs.push_back(std::move(rule));
}

void read_values(const source::Node& root, ResourceRules& rules, source::Diagnostics& diagnostics) {
  RowReader file(root, "the file", diagnostics);
  const std::set<std::string> sources = file.keys("sources");
  if (const source::Node* values = file.sequence("values")) {
    for (const source::Node& item : values->items) read_value(item, sources, rules, diagnostics);
  }
  if (const source::Node* inputs = file.sequence("inputs")) {
    for (const source::Node& item : inputs->items) read_input(item, sources, rules, diagnostics);
  }
  rules.names = file.texts("names");
  rules.scopes = file.texts("scopes");
  if (const source::Node* types = file.mapping("scopes_of")) {
    for (const source::Entry& entry : types->entries) {
      RowReader row(entry.value, fmt::format("the scopes of `{}`", entry.key), diagnostics);
      rules.scopes_of[entry.key] = row.texts("within");
      row.finish(sources);
    }
  }
  file.finish();
}

void read_words(const source::Node& root, ResourceRules& rules, source::Diagnostics& diagnostics) {
  RowReader file(root, "the file", diagnostics);
  for (const source::Entry& entry : root.entries) {
    ValueRule rule;
    rule.words = file.texts(entry.key);
    rule.is = fmt::format("a value that `{}` can have", entry.key.substr(entry.key.rfind('.') + 1));
    rules.rules.push_back(std::move(rule));
    rules.by_attribute[entry.key].push_back(rules.rules.size() - 1);
  }
  file.finish();
}

void read_families(const source::Node& root, ResourceRules& rules,
                   source::Diagnostics& diagnostics) {
  RowReader file(root, "the file", diagnostics);
  rules.disk_types = file.texts("disk_types");
  const source::Node* families = file.sequence("families");
  if (families == nullptr) return;
  for (const source::Node& item : families->items) {
    RowReader row(item, "a family", diagnostics);
    rules.families.push_back({row.text("prefix"), row.text("boot"), row.texts("not"),
                              row.texts("data"), row.optional_texts("encrypted")});
  }
  if (const source::Node* fixed = file.mapping("fixed_threads")) {
    rules.fixed_threads = Pattern(RowReader(*fixed, "`fixed_threads`", diagnostics).text("types"));
  }
}

std::vector<int64_t> counts_of(RowReader& row, const char* key = "counts") {
  std::vector<int64_t> counts;
  for (const std::string& text : row.optional_texts(key)) {
    counts.push_back(cluster::positive_number(text));
    if (counts.back() == 0) row.wrong({}, fmt::format("`{}` is not a count", text));
  }
  return counts;
}

void read_attachments(const source::Node& root, ResourceRules& rules,
                      source::Diagnostics& diagnostics) {
  RowReader file(root, "the file", diagnostics);
  const std::set<std::string> sources = file.keys("sources");
  const auto rows = [&](const char* key, auto add) {
    const source::Node* found = file.sequence(key);
    if (found == nullptr) return;
    for (const source::Node& item : found->items) {
      RowReader row(item, fmt::format("a row of `{}`", key), diagnostics);
      add(row);
      row.finish(sources);
    }
  };
  rows("attached_gpus", [&](RowReader& row) {
    AttachedGpus gpus{row.text("machines"), row.text("model"), counts_of(row),
                      counts_of(row, "most_vcpus")};
    if (!gpus.most_vcpus.empty() && gpus.most_vcpus.size() != gpus.counts.size()) {
      row.wrong({}, "there must be a number for each of the `counts`");
    }
    rules.attached_gpus.push_back(std::move(gpus));
  });
  rules.local_ssd = file.text("local_ssd");
  rows("local_ssds", [&](RowReader& row) {
    rules.local_ssds.push_back({row.text("machines"), row.optional_text("ends"),
                                row.optional_count("vcpus"), counts_of(row)});
  });
  rows("tier_1", [&](RowReader& row) {
    rules.tier_1.push_back({row.text("machines"), row.optional_count("vcpus")});
  });
  rows("confidential", [&](RowReader& row) {
    rules.confidential.push_back({Pattern(row.text("types")), row.optional_texts("technologies")});
  });
  rules.confidential_default = file.text("confidential_default");
  rows("platforms", [&](RowReader& row) {
    rules.platforms.push_back({row.text("machines"), row.optional_texts("names")});
  });
  rows("no_nested_virtualization",
       [&](RowReader& row) { rules.no_nested_virtualization.emplace_back(row.text("types")); });
  rows("no_spot", [&](RowReader& row) { rules.no_spot.emplace_back(row.text("types")); });
  file.finish();
}

std::shared_ptr<const ResourceRules> read_rules(const fs::path& catalogue) {
  auto rules = std::make_shared<ResourceRules>();
  const auto read = [&](const char* file, auto reader) {
    cluster::read_library_table(catalogue / file,
                                [&](const source::Node& root, source::Diagnostics& diagnostics) {
                                  reader(root, *rules, diagnostics);
                                });
  };
  read("values.yaml", read_values);
  read("words.yaml", read_words);
  read("compute.yaml", read_families);
  read("attachments.yaml", read_attachments);
  return rules;
}

}  // namespace

const re2::RE2& Pattern::compiled() const {
  if (!compiled_) {
    // Bytes instead of characters where the pattern names none: for those, RE2 compiles [^/] in
    // many parts.
    re2::RE2::Options options(re2::RE2::Quiet);
    if (text_.find("\\x{") == text_.npos) {
      options.set_encoding(re2::RE2::Options::EncodingLatin1);
    }
    compiled_ = std::make_shared<const re2::RE2>(text_, options);
  }
  if (!compiled_->ok()) {
    throw Error(fmt::format("the catalogue has `{}`, which is not a regular expression: {}", text_,
                            compiled_->error()));
  }
  return *compiled_;
}

bool Pattern::fits_all_of(const std::string& text) const {
  return re2::RE2::FullMatch(text, compiled());
}

bool Pattern::is_in(const std::string& text) const {
  return re2::RE2::PartialMatch(text, compiled());
}

bool InputRule::is_for(std::string_view input) const {
  return std::ranges::any_of(names, [&](std::string_view name) {
    if (name.starts_with('*')) return input.ends_with(name.substr(1));
    if (name.ends_with('*')) return input.starts_with(name.substr(0, name.size() - 1));
    return input == name;
  });
}

std::shared_ptr<const ResourceRules> load_resource_rules(const fs::path& library) {
  static Kept<ResourceRules> kept;
  return kept.get(library / "catalogue", [&] { return read_rules(library / "catalogue"); });
}

}  // namespace slipway::google
