// What a node has of its transport: versions and a digest, taken at boot by `slipway node
// transport`, so that nobody who starts a job reads hundreds of MB.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace slipway {

// Of root, readable by all; gone after a boot.
inline constexpr std::string_view transport_stock_path = "/run/slipway/transport.json";

struct TransportStock {
  std::string transport;             // "tcpxo"
  std::string nccl, plugin, daemon;  // versions, "2.28.7"; empty where nobody knows
  std::string architecture;          // "x86_64"
  std::string digest;                // SHA-256 of all that nodes of a job must agree on
  std::string state;                 // sizes and times of the files, to see whether it is stale
};

std::string to_json(const TransportStock& stock);

// Nothing where there is none, or none that can be read: a node need not have one.
std::optional<TransportStock> load_transport_stock(
    const std::filesystem::path& path = transport_stock_path);

}  // namespace slipway
