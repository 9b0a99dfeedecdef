// The ways in which a message reaches people: a program, a webhook, mail.
//
// Nothing of a message is ever part of a command line or goes through a shell: programs get it on
// stdin. Logs name a webhook by its host alone, since its path may be the secret.
#pragma once

#include <string>
#include <vector>

#include "launcher/health/policy.h"
#include "launcher/tell/message.h"

namespace slipway::tell {

// "mail", and what went wrong.
struct Undelivered {
  std::string channel, why;
};

// The channels that the policy names: "program", "webhook", "mail".
std::vector<std::string> channels_of(const health::Telling& telling);

// Sends a message by these channels, one after another, each within half a minute. Returns those
// that failed. Throws nothing.
std::vector<Undelivered> deliver(const Message& message, const health::Telling& telling,
                                 const std::vector<std::string>& channels);

// Throws Error unless `path` is a program that nobody but root and this process's user could have
// written or replaced: the file, the folders above it, and no symbolic link on the way, whose
// folder would have to be trusted too.
void require_trusted_program(const std::string& path);

// "https://hooks.example.com": a URL without path and secrets.
std::string shown_url(const std::string& url);

}  // namespace slipway::tell
