// Writes the report of a cluster as text, JSON and HTML.
#include <fmt/core.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "common/count.h"
#include "common/markup.h"
#include "common/utc.h"
#include "launcher/observe/report.h"

namespace slipway::observe {
namespace {

// A table of the report, the same for every format: the first column is text, the others figures.
struct ReportTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  std::string empty;  // what to say without rows
};

std::string hours_text(double hours) {
  return fmt::format("{:.1f}", hours);
}

std::string when_text(int64_t time) {
  return utc_text(static_cast<std::time_t>(time), ' ');
}

ReportTable use_table(const std::string& by, const std::map<std::string, ReportedUse>& uses,
                      const Report& report) {
  ReportTable table{"By " + by, {by, "jobs", "GPU-hours", "goodput"}, {}, {}};
  table.empty = report.has_accounting ? "No job." : "Slurm keeps no accounting here.";
  for (const auto& [name, use] : uses) {
    table.rows.push_back({name.empty() ? "none" : name, std::to_string(use.jobs),
                          hours_text(use.gpu_hours),
                          use.goodput() ? fmt::format("{:.3f}", *use.goodput()) : "unknown"});
  }
  return table;
}

std::vector<ReportTable> tables_of(const Report& report) {
  ReportTable causes{"Failures, by the ledgers",
                     {"cause and blame", "failures", "MTBF in node-hours", "lost node-hours"},
                     {},
                     report.ledgers > 0 ? "No attempt failed." : "No ledger was given."};
  for (const ReportedCause& cause : report.causes) {
    causes.rows.push_back({fmt::format("{}, {}", cause.what, cause.blame),
                           std::to_string(cause.failures),
                           cause.mtbf_node_hours ? hours_text(*cause.mtbf_node_hours) : "unknown",
                           hours_text(cause.lost_node_hours)});
  }
  ReportTable nodes{"Nodes with the most trouble",
                    {"node", "out of service", "hours out", "blamed by jobs", "last reason"},
                    {},
                    "No node was out of service or blamed."};
  for (const ReportedTrouble& trouble : report.nodes) {
    nodes.rows.push_back({trouble.node, std::to_string(trouble.events),
                          hours_text(trouble.hours_out), std::to_string(trouble.blamed),
                          trouble.reason});
  }
  return {use_table("user", report.by_user, report),
          use_table("account", report.by_account, report), causes, nodes};
}

std::string summary_of(const Report& report) {
  std::string text = fmt::format("{} to {}; {} with {:.1f} node-hours\n", when_text(report.from),
                                 when_text(report.to), counted(report.ledgers, "ledger"),
                                 report.ledger_node_hours);
  if (!report.has_accounting) {
    return text + "Slurm keeps no accounting here: GPU-hours are unknown\n";
  }
  text += fmt::format("{:.1f} GPU-hours in jobs", report.gpu_hours);
  if (report.idle_gpu_hours) {
    text += fmt::format(", {:.1f} idle, if {} were there all the time", *report.idle_gpu_hours,
                        counted(report.gpus, "GPU"));
  }
  return text + "\n";
}

std::string table_text(const ReportTable& table) {
  std::string text = "\n" + table.title + "\n";
  if (table.rows.empty()) return text + "  " + table.empty + "\n";
  std::vector<std::vector<std::string>> all = {table.head};
  all.insert(all.end(), table.rows.begin(), table.rows.end());
  std::vector<size_t> widths(table.head.size());
  for (const auto& row : all) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : all) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_text = i == 0 || table.head[i] == "last reason";
      line += is_text ? fmt::format(" {:<{}}", row[i], widths[i])
                      : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string table_markup(const ReportTable& table) {
  std::string text = fmt::format("<h2>{}</h2>\n", markup_escaped(table.title));
  if (table.rows.empty()) return text + fmt::format("<p>{}</p>\n", markup_escaped(table.empty));
  text += "<div class=\"scroll\"><table>\n<tr>";
  for (const std::string& head : table.head) {
    text += fmt::format("<th>{}</th>", markup_escaped(head));
  }
  text += "</tr>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (const std::string& cell : row) text += fmt::format("<td>{}</td>", markup_escaped(cell));
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

nlohmann::ordered_json uses_json(const std::map<std::string, ReportedUse>& uses) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [name, use] : uses) {
    nlohmann::ordered_json row{
        {"name", name}, {"jobs", use.jobs}, {"gpu_hours", use.gpu_hours}, {"goodput", nullptr}};
    if (use.goodput()) row["goodput"] = *use.goodput();
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::string report_text(const Report& report) {
  std::string text = summary_of(report);
  for (const ReportTable& table : tables_of(report)) text += table_text(table);
  return text;
}

std::string report_page(const Report& report) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>Report</title>\n<style>\n"
      "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
      "color:#222;background:#fff}\n.scroll{overflow-x:auto}table{border-collapse:collapse}"
      "td,th{text-align:left;padding:.15rem 1.2rem .15rem 0;white-space:nowrap}\n"
      "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}}\n"
      "</style></head>\n<body>\n<h1>Report</h1>\n<p>" +
      markup_escaped(summary_of(report)) + "</p>\n";
  for (const ReportTable& table : tables_of(report)) text += table_markup(table);
  return text + "</body></html>\n";
}

nlohmann::ordered_json report_json(const Report& report) {
  using Json = nlohmann::ordered_json;
  const auto time = [](int64_t seconds) { return utc_text(static_cast<std::time_t>(seconds)); };
  Json json{{"schema", "slipway/report/1"},
            {"from", time(report.from)},
            {"to", time(report.to)},
            {"ledgers", report.ledgers},
            {"ledger_node_hours", report.ledger_node_hours},
            {"gpus", report.gpus},
            {"gpu_hours", nullptr},
            {"idle_gpu_hours", nullptr},
            {"users", uses_json(report.by_user)},
            {"accounts", uses_json(report.by_account)},
            {"causes", Json::array()},
            {"nodes", Json::array()}};
  if (report.has_accounting) json["gpu_hours"] = report.gpu_hours;
  if (report.idle_gpu_hours) json["idle_gpu_hours"] = *report.idle_gpu_hours;
  for (const ReportedCause& cause : report.causes) {
    Json row{{"what", cause.what},
             {"blame", cause.blame},
             {"failures", cause.failures},
             {"mtbf_node_hours", nullptr},
             {"lost_node_hours", cause.lost_node_hours}};
    if (cause.mtbf_node_hours) row["mtbf_node_hours"] = *cause.mtbf_node_hours;
    json["causes"].push_back(row);
  }
  for (const ReportedTrouble& trouble : report.nodes) {
    json["nodes"].push_back({{"node", trouble.node},
                             {"events", trouble.events},
                             {"hours_out", trouble.hours_out},
                             {"blamed", trouble.blamed},
                             {"reason", trouble.reason}});
  }
  return json;
}

}  // namespace slipway::observe
