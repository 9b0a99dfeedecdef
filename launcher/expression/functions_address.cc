// Functions for IPv4 and IPv6 ranges in CIDR notation.
#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "launcher/expression/arguments.h"
#include "launcher/expression/ipv4.h"

namespace slipway::expression {
namespace {

__extension__ using Address = unsigned __int128;

struct Range {
  Address address = 0;  // IPv4: in the lower 32 bits
  int bits = 32;        // of an address: 32 or 128
  int prefix = 0;

  int host_bits() const { return bits - prefix; }
  Address size() const { return host_bits() == 128 ? 0 : Address{1} << host_bits(); }
};

Address mask(int host_bits) {
  return host_bits == 128 ? ~Address{0} : (Address{1} << host_bits) - 1;
}

// A number of up to three digits; like Terraform, allows leading zeros.
std::optional<unsigned> small_number(std::string_view text, unsigned most) {
  const size_t zeros = std::min(text.find_first_not_of('0'), text.size());
  const std::string_view digits = text.substr(zeros);
  if (text.empty() || digits.size() > 3) return std::nullopt;
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  unsigned number = 0;
  for (const char c : digits) number = number * 10 + static_cast<unsigned>(c - '0');
  return number > most ? std::nullopt : std::optional(number);
}

std::optional<Address> read_ipv4(std::string_view text) {
  Address address = 0;
  for (int i = 0; i < 4; ++i) {
    const size_t dot = i < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const auto byte = small_number(text.substr(0, dot), 255);
    if (!byte) return std::nullopt;
    address = address << 8 | *byte;
    text.remove_prefix(std::min(text.size(), dot + 1));
  }
  return text.empty() ? std::optional(address) : std::nullopt;
}

// The range of the argument, without the bits after its prefix.
Range range_at(const List& arguments, size_t i) {
  const std::string& text = text_at(arguments, i);
  const auto wrong = [&] {
    return ArgumentError(i, fmt::format("is `{}`, not an IP address range", text));
  };
  const size_t slash = text.find('/');
  if (slash == std::string::npos) throw wrong();
  Range range;
  const std::string address = text.substr(0, slash);
  if (const auto ipv4 = read_ipv4(address)) {
    range.address = *ipv4;
  } else {
    std::array<unsigned char, 16> bytes{};
    if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) throw wrong();
    range.bits = 128;
    for (const unsigned char byte : bytes) range.address = range.address << 8 | byte;
  }
  const auto prefix =
      small_number(std::string_view(text).substr(slash + 1), static_cast<unsigned>(range.bits));
  if (!prefix) throw wrong();
  range.prefix = static_cast<int>(*prefix);
  range.address &= ~mask(range.host_bits());
  return range;
}

std::string to_text(Address address, int bits) {
  std::array<unsigned char, 16> bytes{};
  const auto size = static_cast<size_t>(bits / 8);
  for (size_t i = size; i-- > 0; address >>= 8)
    bytes[i] = static_cast<unsigned char>(address & 255);
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(bits == 32 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

// A whole number from 0 to 2^64.
Address number_of_part(const List& arguments, size_t i) {
  const Number number = number_at(arguments, i);
  if (std::nearbyint(number) != number || number < 0 || number > 0x1p64L) {
    throw ArgumentError(
        i, fmt::format("is {}, not a whole number of at least 0", short_number_text(number)));
  }
  return static_cast<Address>(number);
}

// cidrhost(range, number): a negative number counts from the end.
Result cidrhost(const List& arguments) {
  const Range range = range_at(arguments, 0);
  const Number number = number_at(arguments, 1);
  const Number size = std::exp2(static_cast<Number>(range.host_bits()));
  if (std::nearbyint(number) != number) {
    throw ArgumentError(1, fmt::format("is {}, not a whole number", short_number_text(number)));
  }
  if (number >= size || -number > size) {
    throw ArgumentError(1,
                        fmt::format("is {}, but `{}` has {} addresses", short_number_text(number),
                                    text_at(arguments, 0), short_number_text(size)));
  }
  const Address offset = number < 0 ? mask(range.host_bits()) - static_cast<Address>(-number - 1)
                                    : static_cast<Address>(number);
  return Value(to_text(range.address | offset, range.bits));
}

Result cidrnetmask(const List& arguments) {
  const Range range = range_at(arguments, 0);
  if (range.bits != 32) throw ArgumentError(0, "is an IPv6 range, which has no netmask");
  return Value(to_text(~mask(range.host_bits()), 32));
}

// The length of the prefix of a part of a range; argument `i` is the number of additional bits.
int longer_prefix(const Range& range, const List& arguments, size_t i, int64_t least) {
  const int64_t bits = integer_at(arguments, i, least);
  if (bits > range.host_bits()) {
    throw ArgumentError(i, fmt::format("is {}, but `{}` has only {} bits after its prefix", bits,
                                       text_at(arguments, 0), range.host_bits()));
  }
  return range.prefix + static_cast<int>(bits);
}

Result cidrsubnet(const List& arguments) {
  Range range = range_at(arguments, 0);
  const int prefix = longer_prefix(range, arguments, 1, 0);
  const Address number = number_of_part(arguments, 2);
  const int new_bits = prefix - range.prefix;
  if (new_bits < 65 && number >> new_bits != 0) {
    throw ArgumentError(
        2, fmt::format("is {}, but `{}` has fewer parts of that size",
                       short_number_text(number_at(arguments, 2)), text_at(arguments, 0)));
  }
  if (prefix > 0 && number != 0) range.address |= number << (range.bits - prefix);
  return Value(fmt::format("{}/{}", to_text(range.address, range.bits), prefix));
}

// Consecutive parts, each at the next address that its size allows.
Result cidrsubnets(const List& arguments) {
  const Range range = range_at(arguments, 0);
  List out;
  Address next = 0;  // offset in the range
  bool full = false;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const int prefix = longer_prefix(range, arguments, i, 1);
    const Range part{0, range.bits, prefix};
    const Address begin = (next + part.size() - 1) & ~(part.size() - 1);
    if (full || begin > mask(range.host_bits()) || begin < next) {
      throw ArgumentError(i, fmt::format("has no room left in `{}`", text_at(arguments, 0)));
    }
    out.emplace_back(fmt::format("{}/{}", to_text(range.address | begin, range.bits), prefix));
    next = begin + part.size();
    full = next == 0;
  }
  return list_value(std::move(out));
}

// Not in Terraform: whether a string is an IPv4 range that a network can use.
Result is_ipv4_range(const List& arguments) {
  const auto* text = arguments[0].as<std::string>();
  const auto range = text == nullptr ? std::nullopt : parse_ipv4_range(*text);
  return range && is_usable_network(*range);
}

constexpr std::array address_table = std::to_array<Function>({
    {"cidrhost", "string, number", cidrhost},
    {"cidrnetmask", "string", cidrnetmask},
    {"cidrsubnet", "string, number, number", cidrsubnet},
    {"cidrsubnets", "string, number...", cidrsubnets},
    {"is_ipv4_range", "string", is_ipv4_range},
});

}  // namespace

std::span<const Function> address_functions() {
  return address_table;
}

}  // namespace slipway::expression
