// Parses a blueprint's `source`.
#include "launcher/modules/module_source.h"

#include <array>
#include <regex>

#include "common/text.h"

namespace slipway::modules {
namespace {

using Kind = ModuleSource::Kind;

bool is_library_path(std::string_view path) {
  return path.starts_with("modules/") || path.starts_with("community/modules/");
}

// Splits "host/x.git//modules/vpc?ref=v1" into "host/x.git", "modules/vpc" and "ref=v1".
struct Parts {
  std::string base, folder, query;
};

Parts split_parts(std::string_view source) {
  Parts parts;
  if (const size_t mark = source.find('?'); mark != std::string_view::npos) {
    parts.query = source.substr(mark + 1);
    source = source.substr(0, mark);
  }
  const size_t scheme = source.find("://");
  const size_t from = scheme == std::string_view::npos ? 0 : scheme + 3;
  if (const size_t slashes = source.find("//", from); slashes != std::string_view::npos) {
    parts.folder = source.substr(slashes + 2);
    source = source.substr(0, slashes);
  }
  parts.base = source;
  return parts;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string digits(text.substr(i + 1, 2));
    if (text[i] == '%' && digits.size() == 2 &&
        digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
      out += static_cast<char>(std::stoi(digits, nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// "v1" for `ref` in "depth=1&ref=v1".
std::string query_value(std::string_view query, std::string_view name) {
  for (const std::string& pair : split(query, '&')) {
    const size_t equal = pair.find('=');
    if (equal != std::string::npos && std::string_view(pair).substr(0, equal) == name) {
      return percent_decoded(std::string_view(pair).substr(equal + 1));
    }
  }
  return {};
}

// user@host:path, as for ssh and scp.
bool is_scp_form(std::string_view base) {
  static const std::regex form(R"(^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^/].*)");
  return std::regex_match(base.begin(), base.end(), form);
}

// Rewrites github.com/organization/repository[/folder…] as a URL and a folder.
bool expand_host(Parts& parts) {
  for (const std::string_view host : {"github.com", "bitbucket.org"}) {
    std::vector<std::string> words = split(parts.base, '/');
    if (words.size() < 3 || to_lower(words[0]) != host || words[1].empty() || words[2].empty()) {
      continue;
    }
    const std::span<const std::string> deeper = std::span(words).subspan(3);
    if (!deeper.empty()) {
      parts.folder = join(deeper, "/") + (parts.folder.empty() ? "" : "/" + parts.folder);
    }
    const bool has_suffix = words[2].ends_with(".git");
    parts.base = "https://" + std::string(host) + "/" + words[1] + "/" + words[2] +
                 (has_suffix ? "" : ".git");
    return true;
  }
  return false;
}

// The path in Cluster Toolkit's repository, or empty if the URL is another repository.
std::string toolkit_path(const ModuleSource& source) {
  static const std::regex repository(
      R"(^(([a-z+]+://)?([^@/]+@)?)(www\.)?github\.com[:/]googlecloudplatform/(cluster|hpc)-toolkit(\.git)?/?$)");
  if (!std::regex_match(to_lower(source.url), repository)) return {};
  return is_library_path(source.folder) ? source.folder : std::string();
}

// [host/]namespace/name/provider, where a host has a dot or a port.
bool is_registry_address(const std::string& base) {
  static const std::regex form(
      R"(^([A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]+)?/|[A-Za-z0-9-]+:[0-9]+/)?)"
      R"([0-9A-Za-z][0-9A-Za-z_-]{0,63}/[0-9A-Za-z][0-9A-Za-z_-]{0,63}/[0-9a-z]{1,64}$)");
  return std::regex_match(base, form);
}

std::string without_trailing_slashes(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

}  // namespace

ModuleSource parse_source(std::string_view text) {
  ModuleSource source;
  if (is_library_path(text)) {
    source.kind = Kind::library;
    source.path = text;
    return source;
  }
  if (text.starts_with("./") || text.starts_with("../") || text.starts_with('/') || text == "." ||
      text == "..") {
    source.kind = Kind::local;
    source.path = text;
    return source;
  }
  const size_t force = text.find("::");
  const std::string getter =
      force == std::string_view::npos ? std::string() : std::string(text.substr(0, force));
  const bool forced_git = getter == "git";
  Parts parts = split_parts(forced_git ? text.substr(force + 2) : text);
  const bool host = (forced_git || getter.empty()) && expand_host(parts);
  const bool url = parts.base.find("://") != std::string::npos;
  source.folder = without_trailing_slashes(parts.folder);
  if (host || (getter.empty() && is_scp_form(parts.base)) ||
      (forced_git && (url || is_scp_form(parts.base)))) {
    source.kind = Kind::git;
    source.url = parts.base;
    source.ref = query_value(parts.query, "ref");
    source.package = "git::" + source.url + (source.ref.empty() ? "" : "?ref=" + source.ref);
    source.path = toolkit_path(source);
    return source;
  }
  if (!forced_git && (!getter.empty() || url || is_registry_address(parts.base))) {
    source.kind = Kind::terraform;
    source.package = parts.base + (parts.query.empty() ? "" : "?" + parts.query);
  }
  return source;
}

}  // namespace slipway::modules
