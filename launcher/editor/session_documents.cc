// A session of the language server: the texts that the editor has open, and their diagnostics.
#include <fmt/core.h>

#include <algorithm>

#include "launcher/editor/session.h"
#include "launcher/source/input_limit.h"
#include "launcher/source/warning_codes.h"
#include "launcher/source/yaml.h"

namespace slipway::editor {
namespace {

constexpr size_t file_limit = 256;  // open files: with their largest size, this bounds the memory

// Whether the client prefers bytes: it lists the encodings that it knows.
bool offers_utf8(const Json& params) {
  const Json::json_pointer encodings("/capabilities/general/positionEncodings");
  if (!params.is_object() || !params.contains(encodings)) return false;
  const Json& list = params[encodings];
  return list.is_array() && std::find(list.begin(), list.end(), Json("utf-8")) != list.end();
}

std::string text_of(const source::Diagnostic& diagnostic) {
  std::string text = diagnostic.message;
  for (const std::string& help : diagnostic.helps) text += "\nhelp: " + help;
  return text;
}

}  // namespace

Json Session::initialize(const Json& params) {
  state_ = State::ready;
  if (offers_utf8(params)) encoding_ = Encoding::utf8;
  const Json capabilities{
      {"positionEncoding", encoding_ == Encoding::utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}}},  // 2: only what changed
      {"completionProvider", {{"triggerCharacters", {".", "(", " ", "/"}}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"documentFormattingProvider", true}};
  return {{"capabilities", capabilities}, {"serverInfo", {{"name", "slipway"}}}};
}

void Session::take_notification(const std::string& method, const Json& params) {
  if (method == "textDocument/didOpen") open(params);
  if (method == "textDocument/didChange") change(params);
  if (method == "textDocument/didClose") close(params);
  if (method == "textDocument/didSave") {
    for (const auto& [uri, file] : files_) unchecked_.insert(uri);  // others may include it
  }
}

void Session::keep(const std::string& uri, std::string text, Json version) {
  if (!files_.contains(uri) && files_.size() >= file_limit) {
    const std::string message = fmt::format("slipway: more than {} files are open", file_limit);
    return notify("window/showMessage", {{"type", 2}, {"message", message}});
  }
  OpenFile& file = files_[uri];
  file.too_large = text.size() > source::max_input_bytes;
  file.document = Document(file.too_large ? std::string() : std::move(text), encoding_);
  file.version = std::move(version);
  unchecked_.insert(uri);
}

void Session::open(const Json& params) {
  const Json& document = member(params, "textDocument");
  keep(string_member(document, "uri"), string_member(document, "text"),
       document.value("version", Json()));
}

void Session::change(const Json& params) {
  const Json& document = member(params, "textDocument");
  const std::string uri = string_member(document, "uri");
  const auto found = files_.find(uri);
  if (found == files_.end()) return;
  const Json& changes = member(params, "contentChanges");
  if (!changes.is_array()) return;
  OpenFile& file = found->second;
  for (const Json& change : changes) {
    const std::string text = string_member(change, "text");
    if (!change.contains("range")) {
      keep(uri, text, {});
      continue;
    }
    if (file.too_large) continue;  // until the editor sends all of it
    file.document.replace(range_of(change["range"]), text);
    if (file.document.text().size() > source::max_input_bytes) {
      file.too_large = true;
      file.document = Document({}, encoding_);
    }
  }
  file.version = document.value("version", Json());
  unchecked_.insert(uri);
}

void Session::close(const Json& params) {
  const std::string uri = string_member(member(params, "textDocument"), "uri");
  unchecked_.erase(uri);
  if (files_.erase(uri) == 0) return;
  notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
}

void Session::check(const std::string& uri) {
  unchecked_.erase(uri);
  OpenFile& file = files_.at(uri);
  Json params{{"uri", uri}};
  if (file.version.is_number_integer()) params["version"] = file.version;
  try {
    params["diagnostics"] = diagnostics_of(uri, file);
  } catch (const std::exception& error) {  // such as a file that cannot be read
    params["diagnostics"] = {{{"range", to_json(Range{})},
                              {"severity", 1},
                              {"source", "slipway"},
                              {"message", error.what()}}};
  }
  file.diagnostics = params["diagnostics"];
  notify("textDocument/publishDiagnostics", std::move(params));
}

Json Session::diagnostics_of(const std::string& uri, const OpenFile& file) {
  if (file.too_large) {
    throw Error(fmt::format("the file has more than {} bytes", source::max_input_bytes));
  }
  const std::string path = path_of(uri);
  Json list = Json::array();
  const auto see = [&](const source::Diagnostics& diagnostics) {
    for (const source::Diagnostic& one : diagnostics.sorted()) {
      list.push_back(diagnostic_of(one, diagnostics.sources(), path, file.document));
    }
  };
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const auto root =
      source::read_yaml(sources.add(path, file.document.text()), sources, diagnostics);
  // Other YAML files, such as a deployment file, only have to be valid.
  const bool is_blueprint = root && (root->find("blueprint_name") != nullptr ||
                                     root->find("deployment_groups") != nullptr);
  if (is_blueprint) {
    services_.check(path, file.document.text(), see);
  } else {
    see(diagnostics);
  }
  return list;
}

namespace {

// The range of a place in the document; the first line's beginning for one in another file.
Range range_in(source::Span span, const source::Sources& sources, const std::string& path,
               const Document& document) {
  if (!span) return {};
  const source::Place begin = sources.place(span.begin);
  if (begin.file != path) return {};
  const size_t mark = begin.file_byte - (document.line_begin(begin.line - 1) + begin.byte);
  const size_t end = sources.place(span.end).file_byte - mark;
  return document.range(begin.file_byte - mark, std::max(end, begin.file_byte - mark));
}

}  // namespace

Json Session::diagnostic_of(const source::Diagnostic& diagnostic, const source::Sources& sources,
                            const std::string& path, const Document& document) const {
  const std::string code(source::shown_code(diagnostic));
  Json result{{"range", to_json(range_in(diagnostic.span, sources, path, document))},
              {"severity", diagnostic.severity == source::Severity::error ? 1 : 2},
              {"code", code},
              {"source", "slipway"},
              {"message", text_of(diagnostic)}};
  if (const std::string page = services_.page_file(code); !page.empty()) {
    result["codeDescription"] = {{"href", uri_of(page)}};
  }
  Json related = Json::array();
  const auto relate = [&](source::Span span, const std::string& label) {
    const source::Place place = sources.place(span.begin);
    const std::string file(place.file);
    // Lines of other files are counted in characters of ASCII: their text is not here.
    const Range range = file == path
                            ? range_in(span, sources, path, document)
                            : Range{{place.line - 1, place.byte}, {place.line - 1, place.byte}};
    related.push_back(
        {{"location", {{"uri", uri_of(file)}, {"range", to_json(range)}}}, {"message", label}});
  };
  if (diagnostic.span && sources.place(diagnostic.span.begin).file != path) {
    relate(diagnostic.span, diagnostic.message);
  }
  if (diagnostic.other_span) relate(diagnostic.other_span, diagnostic.other_label);
  if (!related.empty()) result["relatedInformation"] = std::move(related);
  return result;
}

}  // namespace slipway::editor
