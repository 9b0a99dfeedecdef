// Splits a manifest into its documents and reads them.
#include "launcher/kubernetes/manifest_text.h"

#include <algorithm>
#include <utility>

#include "launcher/kubernetes/template_mask.h"

namespace slipway::kubernetes {
namespace {

using source::Code;
using source::Diagnostic;
using source::Node;
using source::Span;

// The next line that ends a document (`---` or `...`) from `at` on, or the end of the text.
size_t next_marker(std::string_view text, size_t at) {
  for (size_t line = at; line < text.size();) {
    const std::string_view start = text.substr(line, 4);
    const bool marker = start.starts_with("---") || start.starts_with("...");
    if (marker && (start.size() == 3 || start[3] == '\n' || start[3] == '\r' || start[3] == ' '))
      return line;
    const size_t end = text.find('\n', line);
    if (end == std::string_view::npos) break;
    line = end + 1;
  }
  return text.size();
}

// Whether there is anything but comments and blank lines.
bool has_content(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return true;
    at = end + 1;
  }
  return false;
}

class DocumentReader {
 public:
  DocumentReader(const ManifestText& manifest, source::Sources& sources,
                 source::Diagnostics& diagnostics)
      : manifest_(manifest), sources_(sources), diagnostics_(diagnostics) {}

  std::vector<Document> run() {
    const std::string_view text = manifest_.text;
    for (size_t at = 0; at < text.size();) {
      const size_t end = next_marker(text, at);
      document(text.substr(at, end - at), at);
      at = end + std::min<size_t>(3, text.size() - end);
    }
    return std::move(documents_);
  }

 private:
  void document(std::string_view text, size_t begin) {
    if (!has_content(text)) return;
    const Masked masked = mask_templates(text, manifest_.in_blueprint);
    if (!has_content(masked.text)) {
      if (text.find("${") != text.npos) open_document();
      return;
    }
    copy_ = sources_.add("", masked.text);
    begin_ = begin;
    source::Diagnostics found(sources_);
    auto root = source::read_yaml(copy_, sources_, found);
    if (!masked.any) report(found);
    if (!root) {
      if (masked.any) open_document();
      return;
    }
    move_to_manifest(*root);
    documents_.push_back({*std::move(root), masked.open});
  }

  // One whose objects only its template makes, or that cannot be read.
  void open_document() { documents_.push_back({Node(), true}); }

  void report(const source::Diagnostics& found) {
    for (const Diagnostic& diagnostic : found.sorted()) {
      const bool fatal = diagnostic.code != Code::duplicate_key;
      Diagnostic& mine =
          fatal ? diagnostics_.error(diagnostic.code, moved(diagnostic.span), diagnostic.message)
                : diagnostics_.warning(diagnostic.code, moved(diagnostic.span), diagnostic.message);
      if (diagnostic.other_span) mine.other(moved(diagnostic.other_span), diagnostic.other_label);
      for (const std::string& help : diagnostic.helps) mine.help(help);
    }
  }

  Span moved(Span span) const {
    const auto place = [&](uint32_t offset) {
      return manifest_.offset(begin_ + (std::clamp(offset, copy_.begin, copy_.end) - copy_.begin));
    };
    return {place(span.begin), place(span.end)};
  }

  void move_to_manifest(Node& node) const {
    node.span = moved(node.span);
    for (Node& item : node.items) move_to_manifest(item);
    for (source::Entry& entry : node.entries) {
      entry.key_span = moved(entry.key_span);
      move_to_manifest(entry.value);
    }
  }

  const ManifestText& manifest_;
  source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Span copy_;         // of the masked document
  size_t begin_ = 0;  // of the document in the manifest
  std::vector<Document> documents_;
};

}  // namespace

uint32_t ManifestText::offset(size_t at) const {
  if (offsets.empty()) return file.begin + static_cast<uint32_t>(std::min(at, text.size()));
  return offsets[std::min(at, offsets.size() - 1)];
}

std::vector<Document> read_documents(const ManifestText& manifest, source::Sources& sources,
                                     source::Diagnostics& diagnostics) {
  return DocumentReader(manifest, sources, diagnostics).run();
}

bool is_unknown(std::string_view text) {
  return text.find(unknown_mark) != std::string_view::npos;
}

}  // namespace slipway::kubernetes
