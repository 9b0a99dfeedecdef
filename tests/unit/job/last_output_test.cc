#include "launcher/job/last_output.h"

#include "launcher/job/failure_words.h"
#include "tests/unit/catch.h"
#include "tests/unit/job/failure_texts.h"
#include "tests/unit/job/shipped_words.h"

using namespace slipway::job;

namespace {

Diagnosis said(std::string_view words) {
  // As the launcher receives it.
  return shipped_words().diagnose(condense("", words, ""));
}

}  // namespace

TEST_CASE("last output: each known line has the meaning that the catalog gives it") {
  REQUIRE(shipped_words().patterns().size() > 80);
  for (const FailureWords::Pattern& pattern : shipped_words().patterns()) {
    INFO(pattern.line);
    CHECK(meaning_name(shipped_words().diagnose(pattern.line).meaning) ==
          std::string(meaning_name(pattern.meaning)));
    CHECK_FALSE(pattern.source.empty());
  }
}

TEST_CASE("last output: the ends of public logs") {
  CHECK(said(texts::bad_json).message == "Exception: expected value at line # column #");
  CHECK(said(texts::bad_json).meaning == Meaning::own);
  CHECK(said(texts::device_assert).message ==
        "RuntimeError: CUDA error: device-side assert triggered");
  CHECK(said(texts::device_assert).meaning == Meaning::program);
  CHECK(said(texts::ecc).message ==
        "RuntimeError: CUDA error: uncorrectable ECC error encountered");
  CHECK(said(texts::ecc).meaning == Meaning::node);
  CHECK(said(texts::launch_failure).message == "unspecified launch failure");
  CHECK(said(texts::launch_failure).meaning == Meaning::either);
  CHECK(said(texts::watchdog).meaning == Meaning::peer);
  CHECK(said(texts::peer_gone).meaning == Meaning::peer);
  CHECK(said(texts::peer_gone_nccl).meaning == Meaning::peer);
  CHECK(said(texts::loader_segfault).line ==
        "RuntimeError: DataLoader worker (pid(s) @N) exited unexpectedly");
}

TEST_CASE("last output: under torchrun, the worker's lines decide") {
  const auto under = [](std::string_view text, int64_t code = 1) {
    return said(texts::under_torchrun(std::string(text), 11, 3, code));
  };
  CHECK(under(texts::key_error).message == "KeyError: 'sample-@N'");
  CHECK(under(texts::no_module).message == "ModuleNotFoundError: No module named 'src.slurm'");
  CHECK(under(texts::ecc).meaning == Meaning::node);
  CHECK(under(texts::watchdog, -6).meaning == Meaning::peer);
  CHECK(under("", -9).message == "Signal # (SIGKILL) received by PID #");
  CHECK(under("", 3).message == "a worker exited with status 3");
  CHECK(under("").meaning == Meaning::silence);
  CHECK(torch_local_rank(texts::under_torchrun("", 11, 3, 1)) == 3);
  CHECK_FALSE(torch_local_rank("KeyError: 'local_rank: 3'"));
}

TEST_CASE("last output: a worker's recorded error is also found in torchrun's box") {
  CHECK(said("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
             "============================================================\n"
             "train.py FAILED\n"
             "------------------------------------------------------------\n"
             "Failures:\n"
             "  <NO_OTHER_FAILURES>\n"
             "------------------------------------------------------------\n"
             "Root Cause (first observed failure):\n"
             "[0]:\n"
             "  time      : 2024-07-24_11:39:43\n"
             "  host      : n1\n"
             "  rank      : 1 (local_rank: 1)\n"
             "  exitcode  : 1 (pid: 2870757)\n"
             "  error_file: /tmp/torchelastic_x/attempt_0/1/error.json\n"
             "  traceback : Traceback (most recent call last):\n"
             "    File \"train.py\", line 7, in main\n"
             "      open('/nonexistent/data.bin')\n"
             "  FileNotFoundError: [Errno 2] No such file or directory: '/nonexistent/data.bin'\n"
             "  \n"
             "============================================================\n")
            .message ==
        "FileNotFoundError: [Errno #] No such file or directory: '/nonexistent/data.bin'");
}

TEST_CASE("last output: torch's error file is used, invalid files are not") {
  const std::string file =
      R"({"message": {"message": "ValueError: a\nb", "extraInfo": {"py_callstack": "Traceback", "timestamp": "1795366405"}}})";
  CHECK(shipped_words().diagnose(condense("", "Loss 1.5\n", file)).message == "ValueError: a");
  CHECK(torch_error(R"({"message": "Signal 9", "timestamp": 1})") ==
        "Traceback (most recent call last):\nSignal 9\n");
  for (const char* other :
       {"", "{", "[]", "{}", R"({"message": 3})", R"({"message": {"message": {}}})"}) {
    CHECK(torch_error(other).empty());
  }
}

TEST_CASE("last output: prefixes and colors added along the way are removed") {
  const std::string message = "KeyError: 'x'";
  for (const char* before :
       {"[rank3]: ", " 3: ", "[default3]:", "[1,3]<stderr>:", "12: [rank12]: ", "\x1b[31m"}) {
    INFO(before);
    const std::string words = fmt::format(
        "{0}Traceback (most recent call last):\n"
        "{0}  File \"t.py\", line 1, in <module>\n"
        "{0}    x['x']\n"
        "{0}KeyError: 'x'\x1b[0m\n",
        before);
    CHECK(said(words).message == message);
  }
}

TEST_CASE("last output: output of a program going down does not hide its error") {
  CHECK(said("Traceback (most recent call last):\n  File \"t.py\", line 1\nstrange.Oops: no\n"
             "[W TCPStore.cpp:106] sendBytes failed: Broken pipe\n"
             "/usr/lib/python3.11/multiprocessing/resource_tracker.py:224: UserWarning: "
             "resource_tracker: There appear to be 1 leaked semaphore objects\n"
             "  warnings.warn('resource_tracker')\n"
             "Aborted (core dumped)\n")
            .message == "strange.Oops: no");
  CHECK(said("terminate called after throwing an instance of 'std::runtime_error'\n"
             "  what():  it is over at 0x7f12ab\n")
            .message == "it is over at #x#");
}

TEST_CASE("last output: without an error, the last meaningful line") {
  CHECK(said("a\nMemory at 0x7f12ab, step 512\n\n").message == "Memory at #x#, step #");
  CHECK(said("").message == "");
  CHECK(said("100%|###| 5/5\rEpoch 7\n").message == "Epoch #");
}

TEST_CASE("last output: of an MPI library's box, the first line") {
  const std::string rule = std::string(74, '-') + "\n";
  CHECK(said("before\n" + rule + "Rank 1 has had enough\nof it.\n" + rule).message ==
        "Rank # has had enough");
  CHECK(said("Rank 1 has had enough\nof it.\n" + rule).message == "Rank # has had enough");
  CHECK(said(rule).message == "");
}

TEST_CASE("last output: of stdout, only known lines are used") {
  const auto with_output = [](std::string_view out, std::string_view err) {
    return shipped_words().diagnose(condense(out, err, ""));
  };
  CHECK(with_output("step 5, loss 3\n", "").meaning == Meaning::silence);
  CHECK(with_output("step 5, loss 3\n", "bad\n").message == "bad");
  const Diagnosis saying = with_output(
      "n1:1:2 [3] misc/cudawrap.cc:33 NCCL WARN Cuda failure 'uncorrectable ECC error "
      "encountered'\n"
      "step 6\n",
      "RuntimeError: NCCL error in: x.cpp:42, unhandled cuda error, NCCL version 2.21.1\n");
  CHECK(saying.meaning == Meaning::node);
}

TEST_CASE("last output: few bytes are kept of many, in whole lines") {
  std::string words;
  for (int i = 0; i < 10000; ++i) words += "line " + std::to_string(i) + "\n    deep\n";
  const std::string kept = condense("", words, "");
  CHECK(kept.size() < 8192);
  CHECK(kept.starts_with("line "));
  CHECK(kept.ends_with("line 9999\n"));
  CHECK(kept.find("deep") == std::string::npos);
  CHECK(condense("", std::string(100000, 'x'), "").size() < 8192);
}
