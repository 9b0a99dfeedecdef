// Renders explanations as text.
#include "launcher/commands/explain_page.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/count.h"
#include "common/text.h"
#include "launcher/commands/values.h"

namespace slipway::commands {
namespace {

using source::display_width;
using Kind = Step::Kind;
using expression::Value;

constexpr const char* later = "known after deployment";

constexpr const char* broken = "no value because of an error";

// The value in one line of at most `columns`; empty if the step has no value.
std::string short_value(const Step& step, size_t columns) {
  if (step.broken) return broken;
  if (!step.value) return "";
  if (step.secret) return "a secret";
  if (step.value->is_unknown()) return later;
  return cut(one_line(*step.value), columns);
}

// A script or another long text, cut after its first line.
std::string first_line(const std::string& text) {
  constexpr size_t most_lines = 3;
  constexpr size_t most_bytes = 200;
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  if (lines <= most_lines && text.size() <= most_bytes) return text;
  size_t end = std::min(text.find('\n'), most_bytes);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  const std::string all = lines > 1 ? counted(lines, "line") : counted(text.size(), "byte");
  return fmt::format("{} … ({})", text.substr(0, end), all);
}

// The value with every long text in it cut; `was_cut` says whether there was one.
Value with_cut_texts(const Value& value, bool& was_cut) {
  Value copy = value;
  if (const auto* text = value.as<std::string>()) {
    copy.data = first_line(*text);
    was_cut = was_cut || *copy.as<std::string>() != *text;
  } else if (auto* list = copy.edit<Value::List>()) {
    for (Value& item : *list) item = with_cut_texts(item, was_cut);
  } else if (auto* object = copy.edit<Value::Object>()) {
    for (auto& [name, member] : *object) member = with_cut_texts(member, was_cut);
  }
  return copy;
}

class ExplainPage {
 public:
  ExplainPage(const source::Sources& sources, const std::string& library, const Paint& paint)
      : sources_(sources), library_(library), paint_(paint) {}

  // With `whole`, long texts are not cut.
  std::string one(Explanation explanation, bool whole) {
    Step& step = explanation.step;
    bool was_cut = false;
    if (!whole && step.value) step.value = with_cut_texts(*step.value, was_cut);
    out_ = paint_.bold(step.name) + title_value(step) + "\n";
    if (!explanation.type.empty()) {
      const std::string help = explanation.help.empty() ? "" : ": " + explanation.help;
      out_ += wrapped(explanation.type + help, 2);
    }
    if (was_cut) out_ += "  " + paint_.dim("long texts are cut: --full prints all of them") + "\n";
    out_ += "\n";
    line("  ", "  ", step, false);
    parts("  ", step);
    if (!explanation.lost.empty()) {
      out_ += "\n" + paint_.bold("Not taken") + "\n";
      for (const Step& lost : explanation.lost) {
        const std::string value = short_value(lost, 40);
        put("  ", "  ", "", "", lost.text + (value.empty() ? "" : ": " + value), place(lost));
      }
    }
    if (!explanation.readers.empty()) {
      out_ += "\n" + paint_.bold("Taken by") + "\n";
      out_ += wrapped(slipway::join(explanation.readers, ", "), 2);
    }
    return out_;
  }

  std::string table(const std::vector<Explanation>& explanations, const std::string& blueprint) {
    blueprint_ = blueprint;
    size_t width = 0, origin = 0;
    for (const Explanation& explanation : explanations) {
      width = std::max(width, last_name(explanation).size());
      origin = std::max(origin, display_width(brief(explanation.step)));
    }
    // Settings at their defaults come last.
    for (const bool standard : {false, true}) {
      for (const Explanation& explanation : explanations) {
        if ((explanation.step.kind == Kind::standard) == standard) {
          row(explanation, width, std::min(origin, page_width / 3));
        }
      }
    }
    return out_;
  }

 private:
  std::string title_value(const Step& step) const {
    if (step.broken) return fmt::format(" has {}", broken);
    if (!step.value) return "";
    if (step.secret) return " is a secret";
    if (step.value->is_unknown()) {
      return fmt::format(" = {}, {}", paint_.green(one_line(*step.value)), later);
    }
    const std::string value = to_text(*step.value, page_width - 4);
    if (value.find('\n') == value.npos && value.size() + step.name.size() + 3 <= page_width) {
      return " = " + paint_.green(value);
    }
    return " =\n" + paint_.green(block(value));
  }

  static std::string block(const std::string& value) {
    std::string text = indented(value, 2);
    text.pop_back();
    return text;
  }

  static std::string last_name(const Explanation& explanation) {
    const std::string& name = explanation.step.name;
    return name.substr(name.find('.') + 1);
  }

  std::string place(const Step& step) const {
    if (!step.place) return "";
    const source::Place place = sources_.place(step.place.begin);
    if (place.file.starts_with("--")) return "";
    std::string_view file = place.file;
    if (file.starts_with(library_ + "/")) file.remove_prefix(library_.size() + 1);
    return fmt::format("{}:{}:{}", file, place.line, place.column);
  }

  // The text after `head` and its place, on the same line if there is room, else below. `shown` is
  // the head with its colors.
  void put(const std::string& begin, const std::string& below, const std::string& head,
           const std::string& shown, const std::string& text, const std::string& place) {
    const size_t place_width = (place.empty() ? 0 : 2 + place.size());
    const size_t used = display_width(begin) + display_width(head);
    out_ += paint_.dim(begin) + shown;
    const std::string between = head.empty() ? "" : ": ";
    const size_t width = display_width(text);
    if (used + between.size() + width + place_width <= page_width) {
      out_ += between + text + (place.empty() ? "" : "  " + paint_.blue(place)) + "\n";
      return;
    }
    std::string lines = text;
    if (head.empty()) {  // the text is the head
      const size_t first = std::min(text.size(), first_line(text, page_width - used));
      out_ += text.substr(0, first);
      lines = text.substr(first);
    }
    out_ += "\n";
    const size_t indent = display_width(below) + 2;
    std::string rest = wrapped(lines, 0, page_width - indent);
    if (!place.empty()) {
      const size_t last =
          rest.empty() ? 0 : rest.size() - 1 - (rest.rfind('\n', rest.size() - 2) + 1);
      const bool room = !rest.empty() && indent + last + place_width <= page_width;
      if (room) rest.pop_back();
      rest += (room ? "  " : "") + paint_.blue(place) + "\n";
    }
    for (const std::string& one : split(trim(rest), '\n')) {
      out_ += paint_.dim(below) + "  " + one + "\n";
    }
  }

  // How much of the text fits into the columns, up to the end of a word.
  static size_t first_line(const std::string& text, size_t columns) {
    size_t end = 0;
    for (size_t at = 0; at <= text.size(); ++at) {
      if (at < text.size() && text[at] != ' ') continue;
      if (display_width(std::string_view(text).substr(0, at)) > columns) break;
      end = at;
    }
    return end;
  }

  void line(const std::string& begin, const std::string& below, const Step& step, bool named) {
    if (!named) {
      put(begin, below, "", "", step.text, place(step));
      return;
    }
    const size_t used = display_width(begin) + step.name.size() + 4;
    const std::string value = short_value(step, page_width > used + 20 ? page_width - used : 20);
    const bool in_words = step.secret || step.broken || value == later;
    const std::string equals = value.empty() ? "" : in_words ? ", " : " = ";
    put(begin, below, step.name + equals + value,
        paint_.bold(step.name) + equals + paint_.green(value), step.text, place(step));
  }

  void parts(const std::string& indent, const Step& step) {
    const std::string rest = others(step);
    for (const Step& part : step.from) {
      const bool last = &part == &step.from.back() && rest.empty();
      const std::string below = indent + (last ? "   " : "│  ");
      const bool named = step.kind != Kind::joined && part.kind != Kind::replaced;
      line(indent + (last ? "└─ " : "├─ "), below, part, named);
      parts(below, part);
    }
    if (!rest.empty()) out_ += paint_.dim(indent + "└─ " + rest) + "\n";
  }

  // "and 2 inputs with their defaults": what is counted, not followed.
  static std::string others(const Step& step) {
    std::string text;
    if (step.untold > 0) {
      text = fmt::format("{} of `{}`", counted(step.untold, "setting"),
                         step.name.substr(0, step.name.find('.')));
    }
    if (step.defaults > 0) {
      const char* what = step.defaults == 1 ? "its default" : "their defaults";
      text += (text.empty() && step.from.empty() ? "" : "and ") +
              fmt::format("{} with {}", counted(step.defaults, "input"), what);
      if (step.untold > 0) text.insert(text.find("and "), " ");
    }
    return text;
  }

  // "use of network, line 29": the first step in a few words.
  std::string brief(const Step& step) const {
    std::string text;
    switch (step.kind) {
      case Kind::written:
        text = "written";
        break;
      case Kind::used:
        text = "use of " + used_module(step);
        break;
      case Kind::joined:
        for (const Step& part : step.from)
          text += (text.empty() ? "use of " : ", ") + used_module(part);
        break;
      case Kind::variable:
        text = step.name.starts_with("vars.") ? "" : "variable";
        break;
      case Kind::module_id:
        text = "the module's id";
        break;
      case Kind::computed:
        text = "computed";
        break;
      default:
        return "";
    }
    if (!text.empty()) text += ", ";
    const std::string at = place(step);
    if (at.empty()) return text + (step.place ? "--vars" : "made by Slipway");
    const std::string line = at.substr(0, at.rfind(':'));
    return text + (line.starts_with(blueprint_ + ":") ? "line " + line.substr(blueprint_.size() + 1)
                                                      : line);
  }

  static std::string used_module(const Step& step) {
    const std::string& name = step.from.empty() ? step.name : step.from[0].name;
    return name.substr(0, name.find('.'));
  }

  void row(const Explanation& explanation, size_t width, size_t origin_width) {
    const Step& step = explanation.step;
    const size_t room = page_width - 2 - width - 2 - 2 - origin_width;
    const std::string name = padded(last_name(explanation), width);
    if (step.kind == Kind::standard) {
      out_ += paint_.dim(fmt::format("  {}  {}", name, short_value(step, page_width - width - 4))) +
              "\n";
    } else if (step.kind == Kind::missing) {
      out_ += fmt::format("  {}  missing\n", paint_.bold(name));
    } else {
      out_ += fmt::format("  {}  {}  {}\n", paint_.bold(name),
                          paint_.green(padded(short_value(step, room), room)),
                          cut(brief(step), origin_width));
    }
  }

  const source::Sources& sources_;
  const std::string& library_;
  const Paint& paint_;
  std::string blueprint_;  // its file
  std::string out_;
};

}  // namespace

std::string explain_page(const Explanation& explanation, const source::Sources& sources,
                         const std::string& library, const Paint& paint, bool whole) {
  return ExplainPage(sources, library, paint).one(explanation, whole);
}

std::string explain_table(const std::vector<Explanation>& explanations,
                          const source::Sources& sources, const std::string& library,
                          const std::string& blueprint, const Paint& paint) {
  return ExplainPage(sources, library, paint).table(explanations, blueprint);
}

}  // namespace slipway::commands
