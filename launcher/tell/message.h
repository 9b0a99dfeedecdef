// A message to people, and how it reads in each form.
#pragma once

#include <string>

namespace slipway::tell {

struct Message {
  std::string event;      // "drain", "breaker", "job-failure", "spares", "finding"
  std::string cluster;    // Slurm's name of it
  std::string node, job;  // may be empty
  std::string text;       // what happened, in one line; of a drain, Slurm's reason
};

// At most `longest` bytes of a text without control characters: nobody's text can end a line of
// ours, such as a header of a mail. Does not cut a character.
std::string one_line(std::string text, size_t longest);

// "slipway: train: node-3 drained: nic enp6s0: no link".
std::string line_of(const Message& message);

// Schema slipway/told/1, for programs.
std::string json_of(const Message& message);

// {"text": …}, which Slack, Mattermost and Google Chat take.
std::string webhook_body(const Message& message);

// A mail with its header. Addresses are those of a policy, which has checked them.
std::string mail_of(const Message& message, const std::string& to);

}  // namespace slipway::tell
