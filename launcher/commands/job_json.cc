// A job script as JSON.
#include <nlohmann/json.hpp>

#include "launcher/commands/job_page.h"
#include "launcher/job_script/image.h"

namespace slipway::commands {
namespace {

using Json = nlohmann::ordered_json;
using job_script::JobScript;
using job_script::ShellValue;

class JobWriter {
 public:
  JobWriter(const JobScript& job, const source::Sources& sources) : job_(job), sources_(sources) {}

  Json run() const {
    Json out = {{"schema", "slipway/job/1"},
                {"script", job_.name},
                {"heterogeneous", static_cast<bool>(job_.next_component)},
                {"requests", requests(job_.resources)},
                {"options", options(job_.options)},
                {"restarts", restarts()},
                {"parameters", Json::array()},
                {"exports", Json::array()},
                {"imports", Json::array()},
                {"steps", Json::array()},
                {"not_read", Json::array()},
                {"not_understood", Json::array()}};
    for (const job_script::Parameter& one : job_.walked.parameters) {
      out["parameters"].push_back(placed({{"name", one.name},
                                          {"default", one.otherwise.text},
                                          {"known", one.otherwise.is_known()}},
                                         one.place));
    }
    for (const job_script::Exported& one : job_.walked.exports) {
      out["exports"].push_back(placed({{"name", one.name},
                                       {"value", one.is_removal ? Json() : Json(one.value.text)},
                                       {"known", one.value.is_known()},
                                       {"conditional", one.conditional}},
                                      one.place));
    }
    for (const job_script::Import& one : job_.walked.imports) {
      out["imports"].push_back(
          placed({{"file", one.file.text}, {"image", one.image.text}}, one.place));
    }
    for (const job_script::JobStep& one : job_.steps) out["steps"].push_back(step(one));
    for (const source::Span place : job_.walked.not_read) {
      out["not_read"].push_back(placed({{"path", std::string(sources_.text(place))}}, place));
    }
    for (const source::Span place : job_.walked.not_understood) {
      out["not_understood"].push_back(placed(Json::object(), place));
    }
    return out;
  }

 private:
  Json placed(Json object, source::Span span) const {
    const source::Place place = sources_.place(span.begin);
    object["file"] = place.file;
    object["line"] = place.line;
    return object;
  }

  template <class T>
  Json number(const job_script::Asked<T>& asked) const {
    return asked ? placed({{"value", asked.value}}, asked.place) : Json();
  }

  Json requests(const job_script::Resources& all) const {
    const Json nodes =
        all.nodes ? placed({{"least", all.nodes.value.least}, {"most", all.nodes.value.most}},
                           all.nodes.place)
                  : Json();
    return {{"nodes", nodes},
            {"tasks", number(all.tasks)},
            {"tasks_per_node", number(all.tasks_per_node)},
            {"cpus_per_task", number(all.cpus_per_task)},
            {"gpus_per_node", number(all.gpus_per_node)},
            {"time_seconds", number(all.time_seconds)},
            {"memory_mib", number(all.memory_mib)}};
  }

  Json options(const std::vector<job_script::ScriptOption>& all) const {
    Json list = Json::array();
    for (const job_script::ScriptOption& one : all) {
      list.push_back(placed({{"name", one.name},
                             {"value", one.has_value ? Json(one.value.text) : Json()},
                             {"known", one.value.is_known()}},
                            one.place));
    }
    return list;
  }

  Json option(const std::vector<const job_script::ScriptOption*>& candidates) const {
    for (const job_script::ScriptOption* one : candidates) {
      if (one != nullptr) return placed({{"value", one->value.text}}, one->place);
    }
    return {};
  }

  Json restarts() const {
    const job_script::ScriptOption *spares = nullptr, *most = nullptr;
    for (const job_script::JobStep& step : job_.steps) {
      if (!step.is_launch) continue;
      spares = step.find("spares");
      most = step.find("max-restarts");
    }
    const job_script::ScriptOption* const requeue = job_.find("requeue");
    return {{"requeue", requeue == nullptr ? Json() : placed({{"value", true}}, requeue->place)},
            {"spares", option({spares})},
            {"max_restarts", option({most})}};
  }

  Json step(const job_script::JobStep& one) const {
    Json command = Json::array(), mounts = Json::array(), environment = Json::object();
    for (const job_script::ScriptWord& word : one.program) command.push_back(word.value.text);
    for (const job_script::ContainerMount& mount : one.mounts) {
      mounts.push_back({{"source", mount.source},
                        {"target", mount.target},
                        {"flags", mount.flags},
                        {"known", mount.unknown.empty()}});
    }
    for (const auto& [name, value] : one.command.environment) environment[name] = value.text;
    const job_script::StepImage image = image_of(job_, one);
    const Json container =
        image.place
            ? Json{{"image", image.asked.text},
                   {"address", image.address.empty() ? Json() : Json(image.address)},
                   {"workdir",
                    option({one.find("container-workdir"), job_.find("container-workdir")})},
                   {"mounts", mounts}}
            : Json();
    return placed({{"program", one.is_launch ? "slipway launch" : "srun"},
                   {"command", command},
                   {"conditional", one.command.conditional},
                   {"repeated", one.command.repeated},
                   {"in_background", one.command.in_background},
                   {"requests", requests(one.resources)},
                   {"options", options(one.options)},
                   {"environment", environment},
                   {"container", container}},
                  one.command.called_place());
  }

  const JobScript& job_;
  const source::Sources& sources_;
};

}  // namespace

std::string job_json(const JobScript& job, const source::Sources& sources) {
  return JobWriter(job, sources).run().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace slipway::commands
