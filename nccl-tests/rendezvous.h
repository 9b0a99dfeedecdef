// How the ranks of a run find each other, as a state machine without sockets and clocks: mesh.h
// drives it with connections, and a test with thousands of ranks in virtual time.
//
// At first, only the address of rank 0 is known. Every rank joins: it tells rank 0 where it
// listens, and rank 0 answers with its parent, a rank that has joined before. The rank attaches: it
// connects to its parent. The attached ranks are a tree in which a rank has at most `fan_out`
// children. When all have joined, the table of contacts goes down the tree. "Ready" comes up from a
// rank when it and all ranks below it have the table. Then "go" goes down, and the ranks have met.
// A failure goes up to rank 0, and from there to all.
//
// A rank has at most fan_out + 1 connections, and sends and receives at most fan_out tables and
// three notes for each of them. Only rank 0 has more to do: one short exchange with every rank that
// joins.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

struct Contact {
  int rank = 0;
  std::string address;  // dotted IPv4 as rank 0 sees it; empty on the host of rank 0
  int port = 0;         // where the rank listens
  std::string host;     // its name, for messages
};

// "rank 3 on node-1"
std::string name_of(const Contact& contact);

// Rank 0's answer to a rank that joins.
struct Referral {
  int turn = 0;             // the how manieth to join, from 1; rank 0 itself has turn 0
  double seconds_left = 0;  // until rank 0 gives up
  Contact parent;
};
std::string to_text(const Referral& referral);
Referral parse_referral(const std::string& text);  // throws Error

class Rendezvous {
 public:
  static constexpr int fan_out = 8;

  // A note to a parent or child. Tables are large and go to several, which share them.
  using Text = std::shared_ptr<const std::string>;
  struct Letter {
    int to = 0;  // a rank that is attached
    Text text;
  };

  // Rank 0, which is `own`, of `size` ranks.
  Rendezvous(int size, Contact own);
  // Another rank, after it has joined.
  Rendezvous(int size, int rank, const Referral& referral);

  // On rank 0: where each rank should be, to name those that do not come; and how long they have.
  void expect(std::vector<std::string> hosts, double seconds);

  // On rank 0: a rank has joined. Joining again gives the same answer. The ranks fail to meet if
  // another process has joined as the same rank.
  Referral join(const Contact& contact, double seconds_left);

  // A rank has connected. It may be a child, or a rank that has met the others already.
  void attach(const Contact& child);
  void receive(int from, const Text& text);
  // The connection to an attached rank has ended.
  void lose(int rank);
  // The ranks cannot meet, for another reason.
  void fail(const std::string& why);
  // The ranks that this one has waited for too long are the cause. On others than rank 0, only
  // children can be: `last` says that even rank 0 must have given up by now.
  void expire(bool last = false);

  // What to send now; each letter is returned once.
  std::vector<Letter> letters();

  // Whether the ranks have met, or have failed to.
  bool is_over() const { return over_; }
  const std::string& failure() const { return failure_; }
  // Whether this rank tells the user: rank 0, or the first that joined if rank 0 is the cause.
  bool speaks() const { return rank_ == 0 || (turn_ == 1 && lost_first_); }
  // The ranks whose notes are expected now. Anything else that they send is not for the rendezvous.
  bool expects_note_from(int rank) const;
  // All contacts, by rank; empty until the ranks have met.
  std::vector<Contact> contacts() const;

  // When expire() is due on this rank, as a share of the time that rank 0 has. A rank that is
  // farther from rank 0 gives up earlier, so that the one next to the cause names it.
  double patience() const;
  static constexpr double last_patience = 1.05;

 private:
  void take_table(const Text& table);
  void send_table_to(int child);
  void check_ready();
  void go();
  void send(int to, char kind, std::string_view text = {});
  std::string missing_ranks() const;
  bool knows_hosts() const;
  static int depth_of(int turn);

  int size_, rank_ = 0, turn_ = 0, parent_ = -1;
  Contact parent_contact_, own_;
  std::vector<Contact> joined_;  // on rank 0, by turn
  std::map<int, int> turn_of_;   // on rank 0, by rank
  std::map<int, Contact> attached_;
  std::map<int, Contact> children_;  // known from the table
  std::set<int> waiting_;            // children that are not ready
  Text table_;
  std::vector<Letter> letters_;
  std::vector<std::string> expected_hosts_;  // on rank 0, by rank
  double start_seconds_ = 0;
  bool ready_ = false, over_ = false, lost_first_ = false;
  std::string failure_;
};

}  // namespace slipway::bandwidth
