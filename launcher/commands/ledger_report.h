// What `slipway ledger` prints.
#pragma once

#include <string>
#include <string_view>

#include "launcher/commands/page.h"
#include "launcher/job/goodput.h"

namespace slipway::commands {

std::string account_text(const job::Account& account, const Paint& paint);
std::string account_json(const job::Account& account);  // docs/schemas/account-1.schema.json
std::string account_page(const job::Account& account);  // one HTML file

// "GPU energy 1.000 kWh", or "at least" that much.
std::string energy_text(const job::Account& account);
std::string counted(int64_t number, std::string_view what);  // "1 attempt", "2 attempts"

}  // namespace slipway::commands
