// Fast checkpoints of a job: what its launcher learns from the keepers, and orders.
#include <chrono>

#include <fmt/core.h>

#include "common/error.h"
#include "launcher/checkpoint/messages.h"
#include "launcher/job/launcher.h"

namespace slipway::job {
namespace {

constexpr auto keepers_limit = std::chrono::seconds(30);  // for all keepers to start
constexpr auto disk_limit = std::chrono::seconds(60);     // after the program has ended
constexpr auto restore_wait = std::chrono::milliseconds(50);

}  // namespace

void Launcher::begin_board() {
  if (options_.persist.empty()) {
    board_.emplace(options_.copies);
  } else {
    board_.emplace(options_.copies,
                   checkpoint::DiskWish{std::filesystem::absolute(options_.persist),
                                        options_.persist_every, allocation_.label});
  }
}

void Launcher::wait_for_disk() {
  const auto begin = std::chrono::steady_clock::now();
  while (board_ && board_->is_writing_to_disk() && cancelled_ == 0 && !run_.is_over() &&
         std::chrono::steady_clock::now() - begin < disk_limit)
    pump(nullptr);
}

void Launcher::restore_checkpoints(Attempt& attempt) {
  if (!board_) return;
  const std::vector<std::string>& nodes = attempt.world().nodes;
  const auto begin = std::chrono::steady_clock::now();
  while (!board_->has_opened(nodes) && !board_->is_off() && !is_over(attempt) &&
         std::chrono::steady_clock::now() - begin < keepers_limit)
    pump(&attempt, restore_wait);
  board_->begin(attempt.number(), {nodes, tasks_per_node()});
  send_checkpoint_orders();
  while (!board_->is_ready() && !is_over(attempt)) pump(&attempt, restore_wait);
  const std::string text = board_->restored_text();
  if (text.empty() || is_over(attempt)) return;
  say(text);
  const char* what = board_->restored_from_disk() ? "persisted" : "memory";
  ledger_.restore(attempt.number(), board_->restored_step(), what, text);
}

void Launcher::hear_keeper(const std::string& node, const CheckpointNews& news) {
  if (!board_) throw InvalidMessage("there are no fast checkpoints");
  try {
    board_->heard(node, checkpoint::decode<checkpoint::FromKeeper>(news.bytes));
  } catch (const Error& error) {
    throw InvalidMessage(error.what());
  }
}

void Launcher::send_checkpoint_orders() {
  if (!board_) return;
  for (const std::string& text : board_->news()) say(text);
  for (const checkpoint::Order& each : board_->orders())
    agents_.queue(each.node, CheckpointOrder{checkpoint::encode(each.message)});
  agents_.flush();
}

}  // namespace slipway::job
