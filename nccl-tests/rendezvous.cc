// How the ranks of a run find each other, as a state machine without sockets and clocks.
#include "nccl-tests/rendezvous.h"

#include <algorithm>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/launch.h"
#include "nccl-tests/ranks.h"

namespace slipway::bandwidth {
namespace {

// The first byte of a note.
constexpr char table_note = 'T', ready_note = 'R', go_note = 'G', failed_note = 'F';
constexpr std::string_view no_address = "-";

// A line of the table.
std::string line_of(const Contact& contact) {
  return fmt::format("{} {} {} {}", contact.rank,
                     contact.address.empty() ? no_address : std::string_view(contact.address),
                     contact.port,
                     contact.host.empty() ? no_address : std::string_view(contact.host));
}

Contact parse_contact(std::string_view line) {
  const std::vector<std::string> words = split(line, ' ');
  const auto rank = words.size() == 4 ? to_number<int>(words[0]) : std::nullopt;
  const auto port = words.size() == 4 ? to_number<int>(words[2]) : std::nullopt;
  if (!rank || !port) throw Error("rank 0 sent an invalid address of another rank");
  return {*rank, words[1] == no_address ? "" : words[1], *port, words[3]};
}

// Calls `use` with the number and text of each line.
template <class Use>
void each_line(std::string_view text, Use use) {
  for (int number = 0; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    use(number, text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

std::string name_of(const Contact& contact) {
  return fmt::format("rank {} on {}", contact.rank, contact.host);
}

std::string to_text(const Referral& referral) {
  return fmt::format("{} {:.3f} {}", referral.turn, referral.seconds_left,
                     line_of(referral.parent));
}

Referral parse_referral(const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  const auto turn = words.size() == 6 ? to_number<int>(words[0]) : std::nullopt;
  const auto left = words.size() == 6 ? to_number<double>(words[1]) : std::nullopt;
  if (!turn || !left || *turn < 1) throw Error("rank 0 sent an invalid answer");
  return {*turn, *left, parse_contact(text.substr(words[0].size() + words[1].size() + 2))};
}

Rendezvous::Rendezvous(int size, Contact own) : size_(size), joined_{std::move(own)} {
  turn_of_[0] = 0;
  if (size == 1) over_ = true;
}

Rendezvous::Rendezvous(int size, int rank, const Referral& referral)
    : size_(size),
      rank_(rank),
      turn_(referral.turn),
      parent_(referral.parent.rank),
      parent_contact_(referral.parent) {
  attached_[parent_] = referral.parent;
}

int Rendezvous::depth_of(int turn) {
  int depth = 0;
  for (; turn > 0; turn = (turn - 1) / fan_out) ++depth;
  return depth;
}

double Rendezvous::patience() const {
  constexpr double for_joining = 0.7;
  if (table_ == nullptr) return rank_ == 0 ? for_joining : last_patience;
  const int levels = depth_of(size_ - 1) + 2;
  return 1 - (1 - for_joining) * (depth_of(turn_) + 1) / levels;
}

Referral Rendezvous::join(const Contact& contact, double seconds_left) {
  const auto [known, is_new] = turn_of_.emplace(contact.rank, static_cast<int>(joined_.size()));
  const int turn = known->second;
  if (is_new) {
    joined_.push_back(contact);
  } else {
    const Contact& before = joined_[static_cast<size_t>(turn)];
    if (before.port != contact.port || before.address != contact.address) {
      fail(fmt::format("two processes are rank {}: one on {} and one on {}", contact.rank,
                       before.host, contact.host));
    }
  }
  const Referral answer{turn, seconds_left,
                        joined_[static_cast<size_t>((std::max(turn, 1) - 1) / fan_out)]};
  if (is_new && static_cast<int>(joined_.size()) == size_ && !over_) {
    std::string table(1, table_note);
    for (const Contact& one : joined_) table += line_of(one) + "\n";
    take_table(std::make_shared<const std::string>(std::move(table)));
  }
  return answer;
}

void Rendezvous::attach(const Contact& child) {
  if (over_) return;
  if (table_ == nullptr) {
    attached_[child.rank] = child;
  } else if (children_.contains(child.rank)) {
    attached_[child.rank] = child;
    send_table_to(child.rank);
  }
}

void Rendezvous::send_table_to(int child) {
  letters_.push_back({child, table_});
}

void Rendezvous::take_table(const Text& table) {
  table_ = table;
  const int first = turn_ * fan_out + 1, last = first + fan_out - 1;
  each_line(std::string_view(*table).substr(1), [&](int turn, std::string_view line) {
    if (turn == turn_) own_ = parse_contact(line);
    if (turn < first || turn > last) return;
    const Contact child = parse_contact(line);
    children_[child.rank] = child;
    waiting_.insert(child.rank);
    if (attached_.contains(child.rank)) send_table_to(child.rank);
  });
  check_ready();
}

void Rendezvous::check_ready() {
  if (over_ || ready_ || !waiting_.empty()) return;
  ready_ = true;
  rank_ == 0 ? go() : send(parent_, ready_note);
}

void Rendezvous::go() {
  for (const auto& [child, contact] : children_) send(child, go_note);
  over_ = true;
}

void Rendezvous::receive(int from, const Text& text) {
  if (over_ || text->empty() || !attached_.contains(from)) return;
  const char kind = text->front();
  if (kind == failed_note) return fail(text->substr(1));
  if (from != parent_) {
    if (kind == ready_note && waiting_.erase(from) > 0) check_ready();
    return;
  }
  if (kind == table_note && table_ == nullptr) take_table(text);
  if (kind == go_note) go();
}

bool Rendezvous::expects_note_from(int rank) const {
  if (over_) return false;  // what comes now is for the next user of the connection
  return rank == parent_ ||
         (table_ == nullptr ? attached_.contains(rank) : waiting_.contains(rank));
}

void Rendezvous::lose(int rank) {
  if (over_) return;
  const auto found = attached_.find(rank);
  if (found == attached_.end()) return;
  const std::string why =
      fmt::format("{} has gone while the ranks connected", name_of(found->second));
  attached_.erase(found);
  lost_first_ = rank == 0;
  fail(why);
}

// Every rank learns it: it goes up to rank 0, and down from every rank on its way.
void Rendezvous::fail(const std::string& why) {
  if (over_) return;
  over_ = true;
  failure_ = why;
  for (const auto& [rank, contact] : attached_) send(rank, failed_note, why);
}

void Rendezvous::expire(bool last) {
  if (over_) return;
  if (rank_ == 0 && table_ == nullptr) return fail(missing_ranks());
  std::vector<std::string> silent;
  for (const int child : waiting_) {
    const std::string what =
        attached_.contains(child) ? "does not answer" : "did not connect to " + name_of(own_);
    silent.push_back(fmt::format("{} {}", name_of(children_.at(child)), what));
  }
  if (!silent.empty()) return fail(slipway::join(silent, "; "));
  if (!last) return;
  lost_first_ = parent_ == 0;
  fail(fmt::format("{} does not answer", name_of(parent_contact_)));
}

void Rendezvous::expect(std::vector<std::string> hosts, double seconds) {
  expected_hosts_ = std::move(hosts);
  start_seconds_ = seconds;
}

// Whether the ranks that came are where they were expected: if not, the others may not be, either.
bool Rendezvous::knows_hosts() const {
  if (expected_hosts_.size() != static_cast<size_t>(size_)) return false;
  const auto short_name = [](const std::string& host) { return host.substr(0, host.find('.')); };
  return std::ranges::all_of(joined_, [&](const Contact& one) {
    return short_name(expected_hosts_[static_cast<size_t>(one.rank)]) == short_name(one.host);
  });
}

std::string Rendezvous::missing_ranks() const {
  std::vector<size_t> missing;
  for (int rank = 1; rank < size_; ++rank) {
    if (!turn_of_.contains(rank)) missing.push_back(static_cast<size_t>(rank));
  }
  const std::string which =
      knows_hosts() ? ranks_by_host(missing, expected_hosts_) : rank_ranges(missing);
  const std::string& first = joined_.front().host;
  const std::string what = fmt::format("{} of {} ranks did not connect to rank 0 on {}: {}",
                                       missing.size(), size_, first, which);
  if (start_seconds_ == 0) return what;
  return fmt::format(
      "{}; check that their tasks started and that TCP connections reach {}, and set {} if they "
      "need more than {:.3g} s",
      what, first, start_variable, start_seconds_);
}

void Rendezvous::send(int to, char kind, std::string_view text) {
  letters_.push_back({to, std::make_shared<const std::string>(kind + std::string(text))});
}

std::vector<Rendezvous::Letter> Rendezvous::letters() {
  return std::exchange(letters_, {});
}

std::vector<Contact> Rendezvous::contacts() const {
  std::vector<Contact> all(static_cast<size_t>(size_));
  if (table_ == nullptr) return all;
  each_line(std::string_view(*table_).substr(1), [&](int, std::string_view line) {
    Contact contact = parse_contact(line);
    if (contact.rank < 0 || contact.rank >= size_) throw Error("rank 0 sent an invalid table");
    all[static_cast<size_t>(contact.rank)] = std::move(contact);
  });
  return all;
}

}  // namespace slipway::bandwidth
