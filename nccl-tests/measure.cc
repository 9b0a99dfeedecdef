// Measures one size: the timed runs and the checked runs, out of place and in place.
#include "nccl-tests/measure.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/median.h"
#include "common/text.h"
#include "nccl-tests/checked_run.h"
#include "nccl-tests/heartbeat.h"

namespace slipway::bandwidth {
namespace {

// The buffers divided into as many parts of one size as fit.
class Parts {
 public:
  Parts(const Buffers& buffers, const Shape& shape, int rank, bool in_place, int64_t offset) {
    if (in_place) {  // both are in the receive buffer, the smaller one within the larger
      const int64_t both = std::max(shape.send_bytes, shape.receive_bytes);
      send_ = {buffers.receive(offset), shape.send_bytes, both, shape.in_place_send_offset * rank};
      receive_ = {buffers.receive(offset), shape.receive_bytes, both,
                  shape.in_place_receive_offset * rank};
    } else {
      send_ = {buffers.send(offset), shape.send_bytes, shape.send_bytes, 0};
      receive_ = {buffers.receive(offset), shape.receive_bytes, shape.receive_bytes, 0};
    }
    count_ = std::max<int64_t>(1, std::min(send_.room(), receive_.room()));
  }

  std::span<std::byte> send(int64_t iteration) const { return send_.part(index(iteration)); }
  std::span<std::byte> receive(int64_t iteration) const { return receive_.part(index(iteration)); }

 private:
  // A division takes tens of cycles, which matters between operations of a microsecond.
  int64_t index(int64_t iteration) const { return count_ == 1 ? 0 : iteration % count_; }

  struct Side {
    std::span<std::byte> buffer;
    int64_t bytes = 0;   // of one part
    int64_t stride = 0;  // from part to part
    int64_t offset = 0;  // of the first

    int64_t room() const { return stride == 0 ? 1 : static_cast<int64_t>(buffer.size()) / stride; }
    std::span<std::byte> part(int64_t index) const {
      const int64_t at = offset + index * stride;
      if (at + bytes > static_cast<int64_t>(buffer.size())) throw std::logic_error("part");
      return buffer.subspan(static_cast<size_t>(at), static_cast<size_t>(bytes));
    }
  };

  Side send_;
  Side receive_;
  int64_t count_ = 1;
};

// Runs one size of one case, in one placement, on its backend.
class Bench {
 public:
  Bench(Backend& backend, const Case& which, const Shape& shape, const Buffers& buffers,
        bool in_place)
      : backend_(backend),
        case_(which),
        shape_(shape),
        parts_(buffers, shape, backend.rank(), in_place, which.unaligned * which.datatype.bytes) {}

  void start(int64_t iteration) const {
    count_operation();
    backend_.start({.kind = case_.collective->kind,
                    .type = case_.datatype,
                    .reduction = case_.reduction.value_or(Reduction::sum),
                    .root = case_.root.value_or(0),
                    .count = shape_.count,
                    .send = parts_.send(iteration).data(),
                    .receive = parts_.receive(iteration).data()});
  }

  void run(int iterations) const {
    for (int i = 0; i < iterations; ++i) start(i);
    backend_.wait();
  }

  // Takes one sample on this rank: the seconds of one operation.
  double take(const Timing& timing) {
    if (timing.graph_launches > 0) return take_recorded(timing);
    const int iterations = timing.mode == Mode::isolated ? 1 : timing.iterations;
    double untimed = 0;
    backend_.barrier();
    const double begin = backend_.seconds();
    if (timing.each_iteration) backend_.mark();
    for (int i = 0; i < iterations; ++i) {
      start_iteration(timing);
      if (timing.mode == Mode::pipelined) untimed += block(timing.blocking);
      if (timing.each_iteration) backend_.mark();
    }
    const double issued = backend_.seconds();
    backend_.wait();
    const double took = backend_.seconds() - begin - untimed;
    if (timing.each_iteration) {
      for (const double one : backend_.between_marks())
        each_us_.push_back(one * 1e6 / timing.aggregated);
    }
    const int operations = iterations * timing.aggregated;
    issue_us_.push_back((issued - begin - untimed) * 1e6 / operations);
    return took / operations;
  }

  // The mean over this rank's samples, and over all ranks.
  double issue_us() {
    double sum = 0;
    for (const double us : issue_us_) sum += us / static_cast<double>(issue_us_.size());
    const auto ranks = static_cast<double>(backend_.all_ranks().size());
    return backend_.combine(Combine::sum, sum / ranks);
  }

  // The times of single iterations: of each rank, and of the slowest.
  void each_iteration(Placement& result) {
    if (each_us_.empty()) return;
    result.ranks_iterations_us = all_of(each_us_);
    backend_.combine(Combine::max, each_us_);
    result.iterations_us = std::move(each_us_);
  }

  void check(const Timing& timing, Placement& result) const;

 private:
  void start_iteration(const Timing& timing) {
    if (timing.aggregated > 1) backend_.begin_group();
    // Isolated samples have one iteration each, and cycle through the parts, too.
    for (int i = 0; i < timing.aggregated; ++i) start(turn_++);
    if (timing.aggregated > 1) backend_.end_group();
  }

  // The iterations as a CUDA graph, recorded once and launched several times.
  double take_recorded(const Timing& timing) {
    const int iterations = timing.mode == Mode::isolated ? 1 : timing.iterations;
    if (!recording_) {
      recording_ = backend_.record([&] {
        for (int i = 0; i < iterations; ++i) start_iteration(timing);
      });
    }
    backend_.barrier();
    const double begin = backend_.seconds();
    for (int i = 0; i < timing.graph_launches; ++i) recording_->play();
    const double issued = backend_.seconds();
    backend_.wait();
    const int operations = iterations * timing.aggregated * timing.graph_launches;
    issue_us_.push_back((issued - begin) * 1e6 / operations);
    return (backend_.seconds() - begin) / operations;
  }

  // Does what has to follow an operation; returns the seconds to subtract.
  double block(Blocking blocking) const {
    if (blocking == Blocking::none) return 0;
    backend_.wait();
    if (blocking == Blocking::wait) return 0;
    const double before = backend_.seconds();
    backend_.barrier();
    return blocking == Blocking::wait_then_barrier_untimed ? backend_.seconds() - before : 0;
  }

  // These numbers of all ranks.
  std::vector<std::vector<double>> all_of(const std::vector<double>& own) const {
    std::vector<std::vector<double>> all;
    for (const std::string& one : backend_.share(fmt::format("{}", fmt::join(own, " ")))) {
      all.emplace_back();
      for (const std::string& number : split(one, ' '))
        all.back().push_back(to_number<double>(number).value());
    }
    return all;
  }

  int64_t wrong_in_run(int run, bool recorded) const;

  Backend& backend_;
  const Case& case_;
  const Shape& shape_;
  Parts parts_;
  std::vector<double> each_us_, issue_us_;
  std::unique_ptr<Recording> recording_;
  int64_t turn_ = 0;
};

int64_t Bench::wrong_in_run(int run, bool recorded) const {
  const CheckedRun data{.collective = *case_.collective,
                        .shape = shape_,
                        .type = case_.datatype,
                        .reduction = case_.reduction.value_or(Reduction::sum),
                        .root = case_.root.value_or(0),
                        .seed = static_cast<uint64_t>(run),
                        .rank = backend_.rank(),
                        .ranks = backend_.size()};
  const std::span<std::byte> send = parts_.send(run), receive = parts_.receive(run);
  data.prepare(backend_.patterns(), send, receive);
  backend_.wait();
  backend_.barrier();
  if (recorded)
    backend_.record([&] { start(run); })->play();
  else
    start(run);
  backend_.wait();
  return data.count_wrong(backend_.patterns(), receive);
}

void Bench::check(const Timing& timing, Placement& result) const {
  double found[2] = {0, 0};  // a double counts exactly up to 2^53 elements
  for (int run = 0; run < timing.checks; ++run) {
    const int64_t wrong = wrong_in_run(run, timing.graph_launches > 0);
    found[0] += static_cast<double>(wrong);
    found[1] += wrong != 0 ? 1 : 0;
    // No rank may prepare the next run while another is still sending data of this one.
    backend_.barrier();
  }
  backend_.combine(Combine::sum, found);
  result.wrong = static_cast<int64_t>(found[0]);
  result.wrong_runs = static_cast<int64_t>(found[1]);
}

Placement measure_placement(Backend& backend, const Case& which, const Shape& shape,
                            const Buffers& buffers, bool in_place, const Timing& timing) {
  Placement result;
  Bench bench(backend, which, shape, buffers, in_place);
  bench.run(1);
  result.samples_us = sample(
      backend, timing, [&] { return bench.take(timing); }, result.budget_spent, result.time);
  bench.each_iteration(result);
  result.issue_us = bench.issue_us();
  result.time.us = median(result.samples_us);
  if (result.time.us > 0) {
    result.algbw_gb_per_s = static_cast<double>(shape.size_bytes) *
                            which.collective->algbw_factor(backend.size()) / 1e3 / result.time.us;
    result.busbw_gb_per_s = result.algbw_gb_per_s * which.collective->busbw_factor(backend.size());
  }
  const bool right =
      backend.moves_data() && (!in_place || backend.works_in_place(which.collective->kind));
  if (timing.checks > 0 && right) bench.check(timing, result);
  return result;
}

double combined(Backend& backend, Average average, double mine_us) {
  switch (average) {
    case Average::first_rank:
      return backend.rank_of_all() == 0 ? mine_us : 0;
    case Average::mean:
      return mine_us / static_cast<double>(backend.all_ranks().size());
    default:
      return mine_us;
  }
}

Combine how(Average average) {
  if (average == Average::least) return Combine::min;
  if (average == Average::most) return Combine::max;
  return Combine::sum;
}

// The number of samples to take next: at first enough for an interval, then half as many again.
size_t next_samples(const Timing& timing, size_t have) {
  if (timing.precision <= 0) return static_cast<size_t>(timing.samples) - have;
  constexpr size_t least = 6, most = 1000;
  return std::clamp(have / 2, least, most);
}

constexpr size_t most_samples = 20000;

}  // namespace

std::string_view to_string(Mode mode) {
  return mode == Mode::pipelined ? "pipelined" : "isolated";
}

std::string_view to_string(Average average) {
  switch (average) {
    case Average::first_rank:
      return "first rank";
    case Average::mean:
      return "mean";
    case Average::least:
      return "fastest rank";
    case Average::most:
      return "slowest rank";
  }
  return "";
}

std::vector<double> counted_iterations(const std::vector<double>& us, const Timing& timing) {
  std::vector<double> counted;
  for (size_t i = 0; i < us.size(); ++i) {
    if (i % static_cast<size_t>(timing.iterations) >= static_cast<size_t>(timing.skipped))
      counted.push_back(us[i]);
  }
  return counted;
}

std::string_view Case::reduction_name() const {
  if (reduction) return bandwidth::to_string(*reduction);
  // nccl-tests prints a reduction for sendrecv, too, although it reduces nothing.
  return collective->kind == Kind::sendrecv ? "sum" : "none";
}

Buffers::Buffers(Backend& backend, int64_t send_bytes, int64_t receive_bytes, int64_t spare_bytes)
    : send_bytes_(static_cast<size_t>(send_bytes)),
      receive_bytes_(static_cast<size_t>(receive_bytes)),
      send_(backend.allocate(static_cast<size_t>(send_bytes + spare_bytes)), Release{&backend}),
      receive_(backend.allocate(static_cast<size_t>(receive_bytes + spare_bytes)),
               Release{&backend}) {}

void warm_up(Backend& backend, const Case& which, const Shape& shape, const Buffers& buffers,
             int iterations) {
  Bench(backend, which, shape, buffers, false).run(iterations);
}

double take_one(Backend& backend, const Case& which, const Shape& shape, const Buffers& buffers,
                const Timing& timing) {
  return Bench(backend, which, shape, buffers, false).take(timing);
}

std::vector<double> sample(Backend& backend, const Timing& timing,
                           const std::function<double()>& take, bool& budget_spent,
                           Time& extremes) {
  const double begin = backend.seconds();
  std::vector<double> samples_us;
  double mine_total_us = 0;
  for (;;) {
    std::vector<double> mine_us;
    for (size_t n = next_samples(timing, samples_us.size()); n > 0; --n) {
      const double us = take() * 1e6;
      mine_total_us += us;
      mine_us.push_back(combined(backend, timing.average, us));
    }
    backend.combine(how(timing.average), mine_us);
    samples_us.insert(samples_us.end(), mine_us.begin(), mine_us.end());
    if (timing.precision <= 0) break;
    const auto width = relative_half_width(describe(samples_us));
    if (width && *width <= timing.precision) break;
    // The ranks' clocks may differ, but all ranks must decide the same.
    const double spent = backend.combine(Combine::max, backend.seconds() - begin);
    budget_spent = spent >= timing.budget_seconds || samples_us.size() >= most_samples;
    if (budget_spent) break;
  }
  const double mine_us = mine_total_us / static_cast<double>(samples_us.size());
  extremes.min_us = backend.combine(Combine::min, mine_us);
  extremes.max_us = backend.combine(Combine::max, mine_us);
  return samples_us;
}

Row measure(Backend& backend, const Case& which, int64_t requested_bytes, const Buffers& buffers,
            const Timing& timing) {
  Row row;
  row.requested_bytes = requested_bytes;
  row.shape = which.collective->shape(requested_bytes, which.datatype.bytes, backend.size());
  row.of = which;
  row.out_of_place = measure_placement(backend, which, row.shape, buffers, false, timing);
  row.in_place = measure_placement(backend, which, row.shape, buffers, true, timing);
  return row;
}

}  // namespace slipway::bandwidth
