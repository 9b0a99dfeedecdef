// Many HTTP requests at once, with `curl --parallel`.
#include "launcher/node/http_many.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/traffic.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

// A folder of our own for the answers' bodies, which curl writes to files.
class AnswersFolder {
 public:
  AnswersFolder() : path_("/tmp/slipway-answers-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw_errno("cannot make a folder in /tmp");
  }
  ~AnswersFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  AnswersFolder(const AnswersFolder&) = delete;
  AnswersFolder& operator=(const AnswersFolder&) = delete;

  fs::path of(size_t request) const { return fs::path(path_) / std::to_string(request); }

 private:
  std::string path_;
};

// curl's message for a transfer ends with its line of `write-out`, which begins with a tab.
constexpr const char* about_transfer = "\\t{} %{{http_code}} %{{exitcode}} %{{errormsg}}\\n";

void read_about(const std::string& line, std::vector<HttpAnswer>& answers) {
  // "17 200 0 ", "18 000 28 Operation timed out after 30000 milliseconds"
  const size_t first = line.find(' '), second = line.find(' ', first + 1);
  const size_t third = second == line.npos ? line.npos : line.find(' ', second + 1);
  if (third == line.npos) return;
  const auto number = to_number<size_t>(std::string_view(line).substr(0, first));
  const auto status = to_number<int>(std::string_view(line).substr(first + 1, second - first - 1));
  const bool done = line.substr(second + 1, third - second - 1) == "0";
  if (!number || !status || *number >= answers.size()) return;
  HttpAnswer& answer = answers[*number];
  answer.status = done ? *status : 0;
  answer.error = done ? "" : line.substr(third + 1);
}

}  // namespace

std::vector<HttpAnswer> send_many(const std::vector<HttpRequest>& requests, size_t connections) {
  std::vector<HttpAnswer> answers(requests.size());
  if (requests.empty()) return answers;
  const AnswersFolder folder;
  ProcessOptions options;
  options.deadline = std::chrono::seconds(5);
  for (size_t i = 0; i < requests.size(); ++i) {
    if (i > 0) options.input += "next\n";
    options.input += curl_config(requests[i]);
    options.input += fmt::format("output = \"{}\"\nwrite-out = \"", folder.of(i).string());
    options.input += fmt::format(fmt::runtime(about_transfer), i) + "\"\n";
    options.deadline += requests[i].deadline / std::max<size_t>(connections, 1) +
                        requests[i].deadline / requests.size();
    answers[i].error = "curl gave no answer";
  }
  const ProcessResult result =
      run_process({"/usr/bin/curl", "--disable", "--parallel", "--parallel-max",
                   std::to_string(connections), "--config", "-"},
                  options);
  for (const std::string& line : split(result.output, '\n')) {
    if (line.starts_with('\t')) read_about(line.substr(1), answers);
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].status != 0 && fs::exists(folder.of(i))) {
      answers[i].body = read_file(folder.of(i));
    }
    if (answers[i].status == 0 && result.timed_out) answers[i].error = "curl did not end in time";
    record_traffic(requests[i], answers[i]);
  }
  return answers;
}

}  // namespace slipway::node
