// The inventory of a node's transport: versions and a digest, which `slipway node transport`
// records at boot, so that starting a job does not read hundreds of MB.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace slipway {

// Owned by root, readable by all; removed by a reboot.
inline constexpr std::string_view transport_stock_path = "/run/slipway/transport.json";

struct TransportStock {
  std::string transport;             // "tcpxo"
  std::string nccl, plugin, daemon;  // versions, "2.28.7"; empty if unknown
  std::string architecture;          // "x86_64"
  std::string digest;                // SHA-256 of everything that must agree on a job's nodes
  std::string state;                 // sizes and times of the files, to detect a stale inventory
};

std::string to_json(const TransportStock& stock);

// Empty if the file is missing or cannot be read: not every node has one.
std::optional<TransportStock> load_transport_stock(
    const std::filesystem::path& path = transport_stock_path);

}  // namespace slipway
