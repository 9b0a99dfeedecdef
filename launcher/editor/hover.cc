// What Slipway knows about a place of a blueprint.
#include "launcher/editor/hover.h"

#include <fmt/core.h>

#include "launcher/editor/completion.h"
#include "launcher/editor/outline.h"

namespace slipway::editor {
namespace {

std::string block(const std::string& text) {
  return text.empty() ? text : "```text\n" + text + (text.ends_with('\n') ? "" : "\n") + "```\n";
}

class Hover {
 public:
  Hover(const std::string& path, const Document& document, Position position,
        const Services& services)
      : path_(path),
        document_(document),
        services_(services),
        outline_(document),
        library_(services.library, sources_) {
    library_.skip_bodies();
    library_.look_from(std::filesystem::path(path).parent_path());
    line_ = std::min(position.line, document.line_count() - 1);
    row_ = outline_.row_at(line_);
  }

  std::string text() {
    if (row_ == nullptr) return {};
    const std::vector<std::string> keys = outline_.place(line_, row_->column).keys;
    const bool in_module =
        keys.size() >= 2 && keys[0] == "deployment_groups" && keys[1] == "modules";
    std::string text;
    if (keys == std::vector<std::string>{"vars"}) {
      text = block(services_.explain(path_, document_.text(), "vars", row_->key));
    } else if (in_module && keys.size() == 2 && (row_->key == "source" || row_->key == "id")) {
      text = module();
    } else if (in_module && keys.size() == 3 && keys[2] == "settings") {
      text = setting();
    }
    return text;
  }

 private:
  // The row that begins the module that the place is in.
  std::optional<size_t> own_module() const {
    std::optional<size_t> own;
    for (const size_t row : outline_.modules()) {
      const auto rows = outline_.siblings(row);
      if (!rows.empty() && rows[0]->line <= line_) own = row;
    }
    return own;
  }

  const modules::Interface* interface() {
    const auto own = own_module();
    const std::string source = own ? outline_.value_of(*own, "source") : "";
    const modules::Interface* found = source.empty() ? nullptr : library_.find(source, ignored_);
    return found == nullptr || found->unreadable ? nullptr : found;
  }

  std::string module() {
    const modules::Interface* found = interface();
    return found == nullptr ? "" : block(services_.module_page(*found));
  }

  std::string setting() {
    const modules::Interface* found = interface();
    const modules::Input* input = found == nullptr ? nullptr : found->input(row_->key);
    std::string text;
    if (input != nullptr) {
      text = fmt::format("**{}**: `{}`\n\n{}\n\n", input->name, type_of(*input), input->help);
      if (!input->gone.empty()) text += input->gone + "\n\n";
      if (!input->no_effect.empty()) text += input->no_effect + "\n\n";
    }
    const auto own = own_module();
    const std::string id = own ? outline_.value_of(*own, "id") : "";
    return text + block(services_.explain(path_, document_.text(), id, row_->key));
  }

  const std::string& path_;
  const Document& document_;
  const Services& services_;
  const Outline outline_;
  source::Sources sources_;
  source::Diagnostics ignored_{sources_};
  modules::Library library_;
  size_t line_ = 0;
  const Row* row_ = nullptr;
};

}  // namespace

std::string hover_text(const std::string& path, const Document& document, Position position,
                       const Services& services) {
  return Hover(path, document, position, services).text();
}

}  // namespace slipway::editor
