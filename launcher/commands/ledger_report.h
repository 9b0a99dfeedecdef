// What `slipway ledger` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "launcher/commands/page.h"
#include "launcher/job/goodput.h"

namespace slipway::commands {

std::string goodput_text(const job::Goodput& goodput, const Paint& paint);
// docs/schemas/account-1.schema.json
nlohmann::ordered_json goodput_json(const job::Goodput& goodput);
std::string goodput_page(const job::Goodput& goodput);  // HTML that needs no other file

// "GPU energy 1.000 kWh", or at least that much.
std::string energy_text(const job::Goodput& goodput);

}  // namespace slipway::commands
