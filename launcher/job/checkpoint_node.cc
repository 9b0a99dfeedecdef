// Starts, uses and ends a node's keeper of fast checkpoints, from its agent.
#include "launcher/job/checkpoint_node.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "common/child.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/installation.h"
#include "launcher/checkpoint/keeper.h"
#include "launcher/checkpoint/memory_limit.h"
#include "launcher/checkpoint/messages.h"
#include "launcher/checkpoint/state_file.h"
#include "launcher/checkpoint/store.h"
#include "launcher/checkpoint_library/state_file.h"
#include "launcher/job/protocol.h"

namespace slipway::job {
namespace {

constexpr auto keeper_end_limit = std::chrono::seconds(10);  // to remove what it holds

// "spine.leaf.node" without the node: Slurm's name for the place of a node in the network.
std::string block_of_this_node() {
  const std::string address = environment_variable("SLURM_TOPOLOGY_ADDR");
  const size_t dot = address.rfind('.');
  return dot == address.npos ? "" : address.substr(0, dot);
}

// Of launcher/checkpoint_library/.
std::filesystem::path library() {
  return own_installation().prefix / "lib/slipway/libslipway-checkpoints.so.1";
}

}  // namespace

CheckpointNode::CheckpointNode(std::string node, const Secret& key, int64_t most_bytes)
    : node_(std::move(node)), key_(key) {
  try {
    const std::filesystem::path memory = checkpoint::memory_folder();
    most_bytes_ = checkpoint::most_bytes_in(memory, most_bytes);
    folder_ = std::make_unique<PrivateFolder>("slipway-checkpoints", memory);
    start("");
  } catch (const std::exception& error) {
    unread_.push_back(encode(checkpoint::FromKeeper(checkpoint::Off{error.what()})));
  }
}

void CheckpointNode::start(const std::string& off) {
  std::array<int, 2> pair = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw_errno("socketpair");
  Fd ours(pair[0]), theirs(pair[1]);
  pid_ = fork_child("the keeper of checkpoints");
  if (pid_ == 0) {
    ::setpgid(0, 0);
    close_all_but({theirs.get()});
    checkpoint::run_keeper(theirs.release(), {folder_->path(), node_, block_of_this_node(), key_,
                                              this_program(), most_bytes_, off});
  }
  wire_ = std::make_unique<Wire>(std::move(ours), checkpoint::longest_order);
}

CheckpointNode::~CheckpointNode() {
  wire_.reset();
  const auto begin = std::chrono::steady_clock::now();
  while (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() - begin > keeper_end_limit) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void CheckpointNode::add_variable(int64_t rank, Variables& variables) const {
  if (!wire_) return;
  variables["SLIPWAY_CHECKPOINTS"] = checkpoint::rank_folder(folder_->path(), rank);
  variables[checkpoint::state_variable] = checkpoint::state_path(folder_->path());
  variables["SLIPWAY_CHECKPOINTS_LIBRARY"] = library();
}

std::vector<std::string> CheckpointNode::receive() {
  std::vector<std::string> messages = std::exchange(unread_, {});
  if (!wire_) return messages;
  wire_->flush();
  const bool there = wire_->receive();
  while (auto message = wire_->next()) messages.push_back(std::move(*message));
  if (there) return messages;
  wire_.reset();
  try {
    // Programs still write, and the second keeper removes it.
    if (!std::exchange(is_second_, true)) start("its keeper ended");
  } catch (const std::exception& error) {
    messages.push_back(encode(checkpoint::FromKeeper(checkpoint::Off{error.what()})));
  }
  return messages;
}

void CheckpointNode::send(const std::string& message) {
  if (wire_) wire_->put(message);
}

std::vector<pollfd> CheckpointNode::descriptors() const {
  if (!wire_) return {};
  return {{wire_->fd(), static_cast<short>(wire_->unsent() > 0 ? POLLIN | POLLOUT : POLLIN), 0}};
}

}  // namespace slipway::job
