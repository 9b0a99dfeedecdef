// Parses addresses of images.
#include "common/image_address.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "common/error.h"

namespace slipway {
namespace {

constexpr const char* digest_mark = "@sha256:";
constexpr size_t digest_digits = 64;
constexpr const char* notation =
    "write docker://[USER@][REGISTRY#]IMAGE[:TAG], dockerd://IMAGE[:TAG], dir:FOLDER or tar:FILE";

bool consists_of(std::string_view text, std::string_view more, bool upper_case) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 128 &&
            (std::isdigit(byte) || std::islower(byte) || (upper_case && std::isupper(byte)))) ||
           more.find(c) != more.npos;
  });
}

// Takes what is before the mark off the text; empty if the mark is not there.
std::string take_before(std::string& text, char mark) {
  const size_t at = text.find(mark);
  if (at == text.npos) return {};
  std::string before = text.substr(0, at);
  text.erase(0, at + 1);
  return before;
}

// IMAGE[:TAG] or IMAGE@sha256:DIGEST
void take_name(std::string text, ImageAddress& address) {
  const size_t digest = text.find(digest_mark);
  const size_t tag = text.find(':', text.rfind('/') == text.npos ? 0 : text.rfind('/'));
  if (digest != text.npos) {
    address.tag = text.substr(digest);
    text.resize(digest);
    const std::string digits = address.tag.substr(std::string_view(digest_mark).size());
    if (digits.size() != digest_digits || !consists_of(digits, "", false)) {
      throw Error(fmt::format("`{}` is not a digest: sha256 has 64 digits", address.tag));
    }
  } else if (tag != text.npos) {
    address.tag = text.substr(tag);
    text.resize(tag);
    if (!consists_of(std::string_view(address.tag).substr(1), "._-", true)) {
      throw Error(fmt::format("`{}` is not a tag of an image", address.tag.substr(1)));
    }
  }
  if (!consists_of(text, "/._-", false) || text.front() == '/' || text.back() == '/' ||
      text.find("//") != text.npos || text.find("..") != text.npos) {
    throw Error(fmt::format("`{}` is not the name of an image; {}", text, notation));
  }
  address.image = std::move(text);
}

// docker/nvcr.io/nvidia/nemo is a registry's, too, as docker itself reads it.
void take_registry_of_name(std::string& rest, ImageAddress& address) {
  const size_t slash = rest.find('/');
  if (slash == rest.npos) return;
  const std::string first = rest.substr(0, slash);
  if (first != "localhost" && first.find('.') == first.npos && first.find(':') == first.npos)
    return;
  address.registry = first;
  rest.erase(0, slash + 1);
}

ImageAddress from_registry(std::string rest) {
  ImageAddress address;
  const size_t digest = rest.find(digest_mark);
  if (const size_t at = rest.find('@'); at != rest.npos && at != digest) {
    address.user = take_before(rest, '@');
    if (address.user.find(':') != address.user.npos) {
      throw Error(
          "a password in an address can be read by everybody on this machine; write it into "
          "~/.config/enroot/.credentials, or use `skopeo login`");
    }
  }
  if (rest.find('#') != rest.npos) {
    address.registry = take_before(rest, '#');
  } else {
    take_registry_of_name(rest, address);
  }
  if (address.registry.empty()) address.registry = usual_registry;
  if (!consists_of(address.registry, ".-:", true) || address.registry.front() == '-') {
    throw Error(fmt::format("`{}` is not the name of a registry; {}", address.registry, notation));
  }
  take_name(std::move(rest), address);
  return address;
}

ImageAddress from_daemon(std::string rest, const char* daemon) {
  ImageAddress address;
  address.kind = ImageAddress::Kind::daemon;
  address.daemon = daemon;
  take_registry_of_name(rest, address);
  take_name(std::move(rest), address);
  return address;
}

ImageAddress from_path(std::string rest, ImageAddress::Kind kind) {
  if (rest.empty()) throw Error(fmt::format("a path is missing; {}", notation));
  ImageAddress address;
  address.kind = kind;
  address.path = std::filesystem::absolute(rest).lexically_normal();
  if (!address.path.has_filename() && address.path.has_relative_path()) {
    address.path = address.path.parent_path();  // written with a slash at the end
  }
  return address;
}

}  // namespace

ImageAddress parse_address(const std::string& text) {
  const auto rest = [&](std::string_view scheme) { return text.substr(scheme.size()); };
  if (text.starts_with("docker://")) return from_registry(rest("docker://"));
  if (text.starts_with("dockerd://")) return from_daemon(rest("dockerd://"), "docker-daemon:");
  if (text.starts_with("podman://")) return from_daemon(rest("podman://"), "containers-storage:");
  if (text.starts_with("dir:")) return from_path(rest("dir:"), ImageAddress::Kind::folder);
  if (text.starts_with("tar:")) return from_path(rest("tar:"), ImageAddress::Kind::archive);
  const size_t scheme = text.find(':');
  throw Error(
      scheme == text.npos || text.find("//") == text.npos
          ? fmt::format("an address begins with its kind; {}", notation)
          : fmt::format("unknown kind of address `{}`; {}", text.substr(0, scheme), notation));
}

std::string skopeo_source(const ImageAddress& address) {
  using Kind = ImageAddress::Kind;
  const std::string registry = address.registry.empty() ? "" : address.registry + "/";
  const std::string tag = address.tag.empty() ? ":latest" : address.tag;
  switch (address.kind) {
    case Kind::registry:
      return "docker://" + registry + address.image + tag;
    case Kind::daemon:
      return address.daemon + registry + address.image + tag;
    case Kind::folder:
      return "oci:" + address.path.string();
    case Kind::archive:
      return "docker-archive:" + address.path.string();
  }
  return {};
}

std::string default_file(const ImageAddress& address) {
  std::string name = address.path.empty() ? address.image : address.path.filename().string();
  if (!address.tag.empty()) name += "+" + address.tag.substr(1);
  std::ranges::replace(name, '/', '+');
  std::ranges::replace(name, ':', '+');
  return (name.empty() ? "root" : name) + ".sqsh";
}

}  // namespace slipway
