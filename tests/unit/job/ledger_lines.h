// Lines of a ledger for tests. Times are milliseconds since 2026-11-21 12:00 UTC.
#pragma once

#include <string>
#include <vector>

#include "launcher/job/ledger.h"

inline slipway::job::Entry entry_at(slipway::job::Event event, int64_t time_ms) {
  slipway::job::Entry entry;
  entry.event = event;
  entry.time_ms = 1795262400000 + time_ms;
  entry.job = "7";
  return entry;
}

inline slipway::job::Entry begun(int64_t time_ms) {
  auto entry = entry_at(slipway::job::Event::job, time_ms);
  entry.command = {"train", "--fast"};
  return entry;
}

inline slipway::job::Entry started(int64_t time_ms, int64_t attempt) {
  auto entry = entry_at(slipway::job::Event::start, time_ms);
  entry.attempt = attempt;
  entry.nodes = {"n1", "n2"};
  entry.spares = {"n3"};
  return entry;
}

inline slipway::job::Entry progress(int64_t time_ms, int64_t attempt, int64_t step) {
  auto entry = entry_at(slipway::job::Event::progress, time_ms);
  entry.attempt = attempt;
  entry.step = step;
  return entry;
}

inline slipway::job::Entry failed(int64_t time_ms, int64_t attempt, const std::string& what,
                                  const std::string& blame) {
  auto entry = entry_at(slipway::job::Event::failure, time_ms);
  entry.attempt = attempt;
  entry.what = what;
  entry.blame = blame;
  entry.node = blame == "node" ? "n2" : "";
  entry.evidence = {"rank 8 was first"};
  return entry;
}

inline slipway::job::Entry energy(int64_t time_ms, int64_t attempt, double joules) {
  auto entry = entry_at(slipway::job::Event::energy, time_ms);
  entry.attempt = attempt;
  entry.joules = joules;
  return entry;
}

inline slipway::job::Entry restored(int64_t time_ms, int64_t attempt, int64_t step) {
  auto entry = entry_at(slipway::job::Event::restore, time_ms);
  entry.attempt = attempt;
  entry.what = "memory";
  entry.step = step;
  entry.evidence = {"each rank has it"};
  return entry;
}

inline slipway::job::Entry grown(int64_t time_ms, int64_t attempt, int64_t step) {
  auto entry = entry_at(slipway::job::Event::grow, time_ms);
  entry.attempt = attempt;
  entry.nodes = {"n4", "n5"};
  entry.step = step;
  return entry;
}

inline slipway::job::Entry ended(int64_t time_ms, const std::string& result) {
  auto entry = entry_at(slipway::job::Event::end, time_ms);
  entry.result = result;
  return entry;
}

inline std::vector<slipway::job::Entry> one_of_each() {
  return {begun(0),
          started(10, 1),
          restored(15, 1, 5),
          progress(20, 1, 5),
          failed(30, 1, "exit", "node"),
          energy(31, 1, 12.5),
          grown(35, 1, 10),
          ended(40, "failed")};
}
