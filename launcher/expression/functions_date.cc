// Functions for timestamps (RFC 3339).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "launcher/expression/arguments.h"

namespace slipway::expression {
namespace {

using std::chrono::seconds;

struct Time {
  std::chrono::local_seconds local;  // local time at that offset
  int64_t nanoseconds = 0;
  seconds offset{0};  // from UTC
  bool utc = false;   // written as Z

  std::chrono::local_seconds universal() const { return local - offset; }
};

// `count` digits at `at`, as a number from `least` to `most`.
std::optional<int> digits(std::string_view text, size_t at, size_t count, int least, int most) {
  if (at + count > text.size()) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number < least || number > most ? std::nullopt : std::optional(number);
}

std::optional<Time> read_time(std::string_view text) {
  constexpr std::string_view shape = "0000-00-00T00:00:00";
  if (text.size() <= shape.size()) return std::nullopt;
  for (const size_t at : {4, 7, 10, 13, 16}) {
    if (text[at] != shape[at]) return std::nullopt;
  }
  const auto year = digits(text, 0, 4, 0, 9999);
  const auto month = digits(text, 5, 2, 1, 12);
  const auto day = digits(text, 8, 2, 1, 31);
  const auto hour = digits(text, 11, 2, 0, 23);
  const auto minute = digits(text, 14, 2, 0, 59);
  const auto second = digits(text, 17, 2, 0, 59);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  Time time;
  time.local = std::chrono::local_days(date) + std::chrono::hours(*hour) +
               std::chrono::minutes(*minute) + seconds(*second);
  size_t at = shape.size();
  if (text[at] == '.') {
    int64_t unit = 100'000'000;
    const size_t begin = ++at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, unit /= 10) {
      time.nanoseconds += unit * (text[at] - '0');
    }
    if (at == begin) return std::nullopt;
  }
  const std::string_view zone = text.substr(at);
  time.utc = zone == "Z";
  if (time.utc) return time;
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const auto hours = digits(zone, 1, 2, 0, 23);
  const auto minutes = digits(zone, 4, 2, 0, 59);
  if (!hours || !minutes) return std::nullopt;
  time.offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  if (zone[0] == '-') time.offset = -time.offset;
  return time;
}

Time time_at(const List& arguments, size_t i) {
  const auto time = read_time(text_at(arguments, i));
  if (time) return *time;
  throw ArgumentError(
      i, fmt::format("is `{}`, not a time like `2006-01-02T15:04:05Z`", text_at(arguments, i)));
}

std::string offset_text(const Time& time, std::string_view separator) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(time.offset).count();
  return fmt::format("{}{:02}{}{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60, separator,
                     std::abs(minutes) % 60);
}

constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> days{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                               "Thursday", "Friday", "Saturday"};

struct Clock {
  explicit Clock(const Time& time)
      : date(std::chrono::floor<std::chrono::days>(time.local)),
        weekday(std::chrono::floor<std::chrono::days>(time.local)),
        of_day(time.local - std::chrono::floor<std::chrono::days>(time.local)) {}
  std::chrono::year_month_day date;
  std::chrono::weekday weekday;
  std::chrono::hh_mm_ss<seconds> of_day;
};

// The text for a run of one letter; nothing if the run has no meaning.
std::optional<std::string> field(std::string_view run, const Time& time) {
  const Clock clock(time);
  const auto number = [&](auto value) -> std::optional<std::string> {
    if (run.size() > 2) return std::nullopt;
    return fmt::format(fmt::runtime(run.size() == 1 ? "{}" : "{:02}"), value);
  };
  const auto name = [&](std::string_view whole) -> std::optional<std::string> {
    if (run.size() == 4) return std::string(whole);
    return run.size() == 3 ? std::optional(std::string(whole.substr(0, 3))) : std::nullopt;
  };
  const auto hour = clock.of_day.hours().count();
  const auto month = static_cast<unsigned>(clock.date.month());
  const int year = static_cast<int>(clock.date.year());
  switch (run[0]) {
    case 'Y':
      if (run.size() == 2) return fmt::format("{:02}", year % 100);
      return run.size() == 4 ? std::optional(fmt::format("{:04}", year)) : std::nullopt;
    case 'M':
      return run.size() <= 2 ? number(month) : name(months[month - 1]);
    case 'D':
      return number(static_cast<unsigned>(clock.date.day()));
    case 'E':
      return name(days[clock.weekday.c_encoding()]);
    case 'h':
      return number(hour);
    case 'H':
      return number(hour % 12 == 0 ? 12 : hour % 12);
    case 'm':
      return number(clock.of_day.minutes().count());
    case 's':
      return number(clock.of_day.seconds().count());
    case 'A':
    case 'a':
      if (run.size() != 2) return std::nullopt;
      return run[0] == 'A' ? (hour < 12 ? "AM" : "PM") : (hour < 12 ? "am" : "pm");
    case 'Z':
      if (run.size() == 1) return time.utc ? "Z" : offset_text(time, ":");
      if (run.size() == 3) return time.utc ? "UTC" : offset_text(time, "");
      if (run.size() == 4) return offset_text(time, "");
      return run.size() == 5 ? std::optional(offset_text(time, ":")) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// The quoted text at `at`; '' in it is a quote.
std::string quoted(std::string_view text, size_t& at) {
  std::string out;
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\'' && !text.substr(at).starts_with("''")) {
      ++at;
      return out;
    }
    if (text[at] == '\'') ++at;
    out += text[at];
  }
  throw ArgumentError(0, "has an unclosed quote");
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Result formatdate(const List& arguments) {
  const std::string_view pattern = text_at(arguments, 0);
  const Time time = time_at(arguments, 1);
  std::string out;
  for (size_t at = 0; at < pattern.size();) {
    if (pattern[at] == '\'') {
      out += quoted(pattern, at);
    } else if (!is_letter(pattern[at])) {
      out += pattern[at++];
    } else {
      const size_t end = std::min(pattern.find_first_not_of(pattern[at], at), pattern.size());
      const std::string_view run = pattern.substr(at, end - at);
      const auto text = field(run, time);
      if (!text) throw ArgumentError(0, fmt::format("has `{}`, which has no meaning", run));
      out += *text;
      at = end;
    }
  }
  return Value(std::move(out));
}

// "-1h30m", "1.5h", "100ms" in nanoseconds.
std::optional<Number> read_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  struct Unit {
    std::string_view name;
    Number nanoseconds;
  };
  constexpr std::array<Unit, 8> units{{{"ns", 1},
                                       {"us", 1e3L},
                                       {"µs", 1e3L},
                                       {"μs", 1e3L},
                                       {"ms", 1e6L},
                                       {"s", 1e9L},
                                       {"m", 60e9L},
                                       {"h", 3600e9L}}};
  Number sum = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const size_t end = text.find_first_not_of("0123456789.");
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    const auto number = parse_number(std::string(text.substr(0, end)));
    text.remove_prefix(end);
    const std::string_view name = text.substr(0, text.find_first_of("0123456789."));
    text.remove_prefix(name.size());
    const auto* unit =
        std::find_if(units.begin(), units.end(), [name](const Unit& u) { return u.name == name; });
    if (!number || unit == units.end()) return std::nullopt;
    sum += std::trunc(*number * unit->nanoseconds);
  }
  if (sum >= 0x1p63L) return std::nullopt;
  return negative ? -sum : sum;
}

Result timeadd(const List& arguments) {
  Time time = time_at(arguments, 0);
  const auto duration = read_duration(text_at(arguments, 1));
  if (!duration) {
    throw ArgumentError(1,
                        fmt::format("is `{}`, not a duration like `1h30m`", text_at(arguments, 1)));
  }
  constexpr int64_t second = 1'000'000'000;
  const int64_t sum = time.nanoseconds + static_cast<int64_t>(*duration);
  time.local += seconds(sum / second - (sum % second < 0 ? 1 : 0));
  const Clock clock(time);
  const int year = static_cast<int>(clock.date.year());
  if (year < 0 || year > 9999) throw Error("the year is not between 0 and 9999");
  return Value(fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}", year,
                           static_cast<unsigned>(clock.date.month()),
                           static_cast<unsigned>(clock.date.day()), clock.of_day.hours().count(),
                           clock.of_day.minutes().count(), clock.of_day.seconds().count(),
                           time.utc || time.offset == seconds(0) ? "Z" : offset_text(time, ":")));
}

Result timecmp(const List& arguments) {
  const Time a = time_at(arguments, 0);
  const Time b = time_at(arguments, 1);
  const auto left = std::pair(a.universal(), a.nanoseconds);
  const auto right = std::pair(b.universal(), b.nanoseconds);
  return left < right ? -1 : left == right ? 0 : 1;
}

constexpr std::array date_table = std::to_array<Function>({
    {"formatdate", "string, string", formatdate},
    {"timeadd", "string, string", timeadd},
    {"timecmp", "string, string", timecmp},
});

}  // namespace

std::span<const Function> date_functions() {
  return date_table;
}

}  // namespace slipway::expression
