// Reads and writes the lines of a training job's ledger.
#include "launcher/job/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/error.h"
#include "common/file.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "common/utc.h"

namespace slipway::job {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view ledger_schema = "slipway/ledger/1";
constexpr std::string_view first_bytes = R"({"schema":"slipway/ledger/1")";  // of every line
constexpr std::array<const char*, 9> event_names = {
    "job", "start", "progress", "failure", "finding", "restore", "grow", "energy", "end"};

Event event_of(const std::string& name) {
  for (size_t i = 0; i < event_names.size(); ++i) {
    if (name == event_names[i]) return static_cast<Event>(i);
  }
  throw Error(fmt::format("`{}` is not a ledger event", name));
}

int64_t parse_time(const std::string& text) {
  std::tm parts = {};
  int milliseconds = 0, used = 0;
  const int read = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &parts.tm_year,
                               &parts.tm_mon, &parts.tm_mday, &parts.tm_hour, &parts.tm_min,
                               &parts.tm_sec, &milliseconds, &used);
  if (read != 7 || text.size() != 24 || used != 24) {
    throw Error(fmt::format("`{}` is not a time", text));
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const int64_t time_ms = static_cast<int64_t>(::timegm(&parts)) * 1000 + milliseconds;
  if (time_text(time_ms) != text) throw Error(fmt::format("`{}` is not a time", text));
  return time_ms;
}

// Calls `field(name, member)` for each field of the entry's event.
template <class E, class Field>
void for_each_field(E& entry, Field field) {
  if (entry.event != Event::job && entry.event != Event::end) field("attempt", entry.attempt);
  switch (entry.event) {
    case Event::job:
      field("command", entry.command);
      break;
    case Event::start:
      field("nodes", entry.nodes);
      field("spares", entry.spares);
      break;
    case Event::progress:
      field("step", entry.step);
      break;
    case Event::failure:
      field("what", entry.what);
      field("blame", entry.blame);
      field("node", entry.node);
      field("evidence", entry.evidence);
      break;
    case Event::finding:
      field("what", entry.what);
      field("node", entry.node);
      field("evidence", entry.evidence);
      break;
    case Event::restore:
      field("what", entry.what);
      field("step", entry.step);
      field("evidence", entry.evidence);
      break;
    case Event::grow:
      field("nodes", entry.nodes);
      field("step", entry.step);
      break;
    case Event::energy:
      field("joules", entry.joules);
      field("missing", entry.missing);
      break;
    case Event::end:
      field("result", entry.result);
      field("status", entry.status);
      break;
  }
}

constexpr int64_t most = 1'000'000'000'000'000;

void read_value(const Json& value, int64_t& number) {
  if (!value.is_number_integer() || value < 0 || value > most) {
    throw Error(fmt::format("{} is not a whole number up to {}", value.dump(), most));
  }
  value.get_to(number);
}

void read_value(const Json& value, double& number) {
  if (!value.is_number() || value < 0 || value > most) {
    throw Error(fmt::format("{} is not a number up to {}", value.dump(), most));
  }
  value.get_to(number);
}

void read_value(const Json& value, std::string& text) {
  text = without_controls(value.get<std::string>());
}

void read_value(const Json& value, std::vector<std::string>& texts) {
  value.get_to(texts);
  for (std::string& text : texts) text = without_controls(text);
}

void check_words(const Entry& entry) {
  const auto one_of = [](const std::string& word, std::initializer_list<const char*> known) {
    if (std::find(known.begin(), known.end(), word) != known.end()) return;
    throw Error(
        fmt::format("`{}` is not one of {}", word,
                    slipway::join(std::vector<std::string>(known.begin(), known.end()), ", ")));
  };
  if (entry.event == Event::restore) one_of(entry.what, {"memory", "disk", "persisted"});
  if (entry.event == Event::failure) one_of(entry.blame, {"node", "application", "unknown"});
  if (entry.event == Event::end) {
    one_of(entry.result, {"done", "failed", "requeued", "cancelled"});
  }
}

Entry parse_line(std::string_view line) {
  Entry entry;
  try {
    const Json json = Json::parse(line);
    if (json.at("schema") != ledger_schema) {
      throw Error(fmt::format("the schema is {}, expected \"{}\"", json.at("schema").dump(),
                              ledger_schema));
    }
    entry.event = event_of(json.at("event").get<std::string>());
    entry.time_ms = parse_time(json.at("time").get<std::string>());
    read_value(json.at("job"), entry.job);
    for_each_field(entry,
                   [&](const char* name, auto& member) { read_value(json.at(name), member); });
    check_words(entry);
  } catch (const Json::exception& error) {
    throw Error(fmt::format("not a ledger line: {}", error.what()));
  }
  return entry;
}

void check_follows(const Entry& entry, const std::vector<Entry>& before) {
  if (before.empty()) {
    if (entry.event != Event::job) throw Error("a ledger must begin with the event `job`");
    return;
  }
  if (entry.job != before.back().job) {
    throw Error(fmt::format("job `{}` in the ledger of job `{}`", entry.job, before.back().job));
  }
  if (entry.time_ms < before.back().time_ms) throw Error("earlier than the line before it");
}

}  // namespace

std::string time_text(int64_t time_ms) {
  std::string text = utc_text(time_ms / 1000);
  text.pop_back();
  return fmt::format("{}.{:03}Z", text, time_ms % 1000);
}

std::string to_line(const Entry& entry) {
  Json json{{"schema", ledger_schema},
            {"time", time_text(entry.time_ms)},
            {"job", entry.job},
            {"event", event_names[static_cast<size_t>(entry.event)]}};
  for_each_field(entry, [&](const char* name, const auto& member) { json[name] = member; });
  // Evidence may quote a program whose output is not UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ledger_name(const std::string& job) {
  return fmt::format("slipway-ledger-{}.jsonl", job);
}

Ledger parse_ledger(std::string_view text, const std::filesystem::path& path) {
  Ledger ledger;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (end == text.npos) {
      ledger.torn = true;
      break;
    }
    try {
      Entry entry = parse_line(text.substr(0, end));
      check_follows(entry, ledger.entries);
      ledger.entries.push_back(std::move(entry));
    } catch (const Error& error) {
      throw error.within(fmt::format("{}:{}", path.native(), number));
    }
    text.remove_prefix(end + 1);
  }
  if (ledger.entries.empty()) {
    throw Error(fmt::format("{}: contains no ledger lines", path.native()));
  }
  return ledger;
}

LedgerWriter::LedgerWriter(const std::filesystem::path& path, bool take_over)
    : path_(path), fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  const std::string what = fmt::format("cannot write {}", path_.native());
  if (!fd_ && (errno == ENOSPC || errno == EDQUOT)) {
    throw NoRoom(fmt::format("{}: {}", what, std::strerror(errno)));
  }
  if (!fd_) throw_errno(what);
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0 && (errno != EWOULDBLOCK || !take_over))
    throw_errno(what);
  const std::string text = read_file(path);
  const size_t whole = text.rfind('\n') + 1;  // the bytes of whole lines
  if (whole > 0) {
    last_ms_ = parse_ledger(text, path).entries.back().time_ms;
  } else if (text.substr(0, first_bytes.size()) != first_bytes.substr(0, text.size())) {
    throw Error(fmt::format("{}: contains no ledger lines", path.native()));
  }
  if (::ftruncate(fd_.get(), static_cast<off_t>(whole)) != 0) throw_errno(what);
}

void LedgerWriter::append(Entry entry) {
  entry.time_ms = std::max(entry.time_ms, last_ms_);
  const std::string line = to_line(entry);
  const off_t before = ::lseek(fd_.get(), 0, SEEK_END);
  const ssize_t written = ::write(fd_.get(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size()) && ::fsync(fd_.get()) == 0) {
    last_ms_ = entry.time_ms;
    return;
  }
  const int code = written < 0 || written == static_cast<ssize_t>(line.size()) ? errno : ENOSPC;
  [[maybe_unused]] const int undone =
      ::ftruncate(fd_.get(), before);  // if this fails: readers accept a torn line
  throw_errno(fmt::format("cannot write {}", path_.native()), code);
}

}  // namespace slipway::job
