// A job script as a page for people.
#include "launcher/commands/job_page.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/commands/page.h"
#include "launcher/job_script/image.h"

namespace slipway::commands {
namespace {

using job_script::JobScript;
using job_script::JobStep;
using job_script::ScriptOption;
using job_script::ShellValue;

constexpr size_t widest_page = 80;
constexpr size_t job_label_width = 24;

class JobPage {
 public:
  JobPage(const JobScript& job, const source::Sources& sources) : job_(job), sources_(sources) {}

  std::string run() {
    section("requests");
    for (const ScriptOption& option : job_.options) {
      row(option.place, "--" + option.name, option.has_value ? option.value.text : "");
    }
    if (job_.next_component) row(job_.next_component, "hetjob", "further components are not shown");
    section("takes from its environment");
    for (const job_script::Parameter& parameter : job_.walked.parameters) {
      const std::string& otherwise = parameter.otherwise.text;
      row(parameter.place, parameter.name,
          otherwise.empty() ? "without it: nothing" : "without it: " + otherwise);
    }
    section("exports");
    for (const job_script::Exported& exported : job_.walked.exports) {
      const std::string value = exported.is_removal ? "(removed)" : exported.value.text;
      row(exported.place, exported.name, exported.conditional ? value + " (perhaps)" : value);
    }
    section("starts");
    for (const JobStep& one : job_.steps) step(one);
    if (job_.steps.empty()) row({}, "nothing", "it has no srun and no `slipway launch`");
    section("not read");
    for (const source::Span place : job_.walked.not_read) {
      row(place, std::string(sources_.text(place)), "it is not here, nor beside the script");
    }
    for (const source::Span place : job_.walked.not_understood) {
      row(place, "from here on", "this is not understood");
    }
    return for_locale(text_);
  }

 private:
  void section(const std::string& title) { title_ = title; }

  // "12", or "common.sh:12" in another file.
  std::string line_of(source::Span span) const {
    if (!span) return "";
    const source::Place place = sources_.place(span.begin);
    const bool here = span.begin >= job_.text.begin && span.begin < job_.text.end;
    if (here) return std::to_string(place.line);
    const std::string_view file = place.file.substr(place.file.rfind('/') + 1);
    return fmt::format("{}:{}", file, place.line);
  }

  void row(source::Span place, const std::string& label, const std::string& value) {
    if (!title_.empty()) {
      text_ += fmt::format("{}line  {}\n", text_.empty() ? "" : "\n", title_);
      title_.clear();
    }
    const std::string line = line_of(place);
    const std::string head = fmt::format("{:>4}  {}", line, label);
    if (value.empty()) {
      text_ += head + "\n";
      return;
    }
    const size_t width = std::max(head.size() + 1, job_label_width);
    const std::string body = wrapped(value, job_label_width, widest_page);
    // The first line of the value follows the label, if it fits.
    const bool fits = width == job_label_width;
    text_ +=
        fits ? padded(head, job_label_width) + body.substr(job_label_width) : head + "\n" + body;
  }

  void step(const JobStep& one) {
    const source::Span place = one.command.called_place();
    std::vector<std::string> words;
    for (const job_script::ScriptWord& word : one.program) words.push_back(word.value.text);
    row(place, one.is_launch ? "slipway launch" : "srun", join(words, " "));
    if (one.command.conditional) row({}, "  perhaps", "a condition decides");
    if (one.command.repeated) row({}, "  repeated", "in a loop");
    if (one.command.in_background) row({}, "  in the background", "the script goes on beside it");
    for (const auto& [name, value] : one.command.environment) row({}, "  " + name, value.text);
    const job_script::StepImage image = image_of(job_, one);
    for (const ScriptOption& option : one.options) {
      if (option.name == "container-mounts") continue;
      row(option.place, "  --" + option.name, option.value.text);
      if (option.name == "container-image" && image.imported_at) {
        row(image.imported_at, "    imported from", image.address);
      }
    }
    for (const job_script::ContainerMount& mount : one.mounts) {
      const std::string flags = mount.flags.empty() ? "" : " (" + join(mount.flags, ", ") + ")";
      row(one.find("container-mounts")->place, "  mount",
          fmt::format("{} at {}{}", mount.source, mount.target, flags));
    }
  }

  const JobScript& job_;
  const source::Sources& sources_;
  std::string text_, title_;
};

}  // namespace

std::string job_page(const JobScript& job, const source::Sources& sources) {
  return JobPage(job, sources).run();
}

}  // namespace slipway::commands
