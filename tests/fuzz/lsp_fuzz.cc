// Fuzz target: the language server. Whatever an editor sends, in whatever order, the session ends,
// and every answer is JSON-RPC. The input is lines: `=` opens a text, any other is a message.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "launcher/editor/session.h"
#include "launcher/source/yaml.h"
#include "tests/fuzz/check.h"

using namespace slipway;
using fuzz::require;

namespace {

editor::Services services() {
  editor::Services services;
  services.library = SLIPWAY_BLUEPRINTS;
  services.check = [](const std::string& path, const std::string& text, const auto& see) {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    source::read_yaml(sources.add(path, text), sources, diagnostics);
    see(diagnostics);
  };
  services.page = services.page_file = [](const std::string& code) { return code; };
  services.module_page = [](const modules::Interface& interface) { return interface.about; };
  services.explain = [](const auto&, const auto&, const std::string& id, const auto&) {
    return id;
  };
  services.set_by_name = [](const auto&, const auto&, const auto&) {
    return std::vector<std::string>();
  };
  return services;
}

std::string framed(const std::string& body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Every question at the place after the first `@` of the text.
std::string questions(std::string text) {
  const size_t at = std::min(text.find('@'), text.size());
  if (at < text.size()) text.erase(at, 1);
  const editor::Document document(text, editor::Encoding::utf16);
  nlohmann::json params{{"textDocument", {{"uri", "file:///f.yaml"}, {"text", text}}}};
  const editor::Position place = document.position(at);
  require(document.offset(place) <= at, "a position is in the text");
  params["position"] = {{"line", place.line}, {"character", place.character}};
  params["newName"] = "renamed";
  std::string all;
  const auto put = [&](const char* method, bool is_request) {
    nlohmann::json message{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}};
    if (is_request) message["id"] = method;
    all += framed(message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  };
  put("initialize", true);
  put("textDocument/didOpen", false);
  for (const char* method :
       {"textDocument/completion", "textDocument/hover", "textDocument/definition",
        "textDocument/rename", "textDocument/formatting"}) {
    put(method, true);
  }
  return all;
}

void check_answers(int out) {
  ::lseek(out, 0, SEEK_SET);
  editor::MessageStream stream(out, -1);
  while (const auto message = stream.read()) {
    const auto answer = nlohmann::json::parse(message->text);
    require(answer["jsonrpc"] == "2.0" && (answer.contains("method") || answer.contains("id")),
            "an answer is JSON-RPC: " + message->text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(data, data + size);
  std::string bytes;
  if (input.starts_with('=')) {
    bytes = questions(input.substr(1));
  } else {
    for (size_t at = 0; at < input.size();) {
      const size_t end = std::min(input.find('\n', at), input.size());
      bytes += framed(input.substr(at, end - at));
      at = end + 1;
    }
  }
  const int in = ::memfd_create("in", 0);
  const int out = ::memfd_create("out", 0);
  require(::write(in, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "written");
  ::lseek(in, 0, SEEK_SET);
  editor::MessageStream stream(in, out);
  editor::Session(stream, services()).run();
  check_answers(out);
  ::close(in);
  ::close(out);
  return 0;
}
