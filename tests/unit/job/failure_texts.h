// Output of failed training runs from public logs: excerpts from the named GitHub issues, with
// shortened paths. @R is the rank, @L the local rank, @N a number that varies.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace texts {

inline std::string filled(std::string_view text, int64_t rank, int64_t local, int64_t number) {
  std::string all;
  for (size_t i = 0; i < text.size(); ++i) {
    const char what = text[i] == '@' && i + 1 < text.size() ? text[i + 1] : ' ';
    if (what != 'R' && what != 'L' && what != 'N') {
      all += text[i];
      continue;
    }
    all += std::to_string(what == 'R' ? rank : what == 'L' ? local : number);
    ++i;
  }
  return all;
}

// yangjianxin1/Firefly#32, all ranks read a broken file
inline constexpr std::string_view bad_json =
    "  File \"train.py\", line 116, in from_pretrained\n"
    "Traceback (most recent call last):\n"
    "  File \"/opt/conda/lib/python3.10/site-packages/transformers/tokenization_utils_fast.py\", "
    "line 111, in __init__\n"
    "    fast_tokenizer = TokenizerFast.from_file(fast_tokenizer_file)\n"
    "Exception: expected value at line 1 column 1\n";

// MIC-DKFZ/nnUNet#1784, in the rank that reads the case
inline constexpr std::string_view unreadable =
    "Traceback (most recent call last):\n"
    "  File \"nondet_multi_threaded_augmenter.py\", line 53, in producer\n"
    "    item = next(data_loader)\n"
    "  File \"data_loader.py\", line 126, in __next__\n"
    "    return self.generate_train_batch()\n"
    "OSError: [Errno 5] Input/output error: '/media/project/nnUNet_preprocessed/FA@N_LAD.pkl'\n";

// duanyiqun/Auto-ReID-Fast#3
inline constexpr std::string_view key_error =
    "Traceback (most recent call last):\n"
    "  File \"/usr/lib/python3.6/os.py\", line 669, in __getitem__\n"
    "    raise KeyError(key) from None\n"
    "KeyError: 'sample-@N'\n";

// pytorch/pytorch (torch.cuda.OutOfMemoryError), beginning as in NVIDIA/nccl#1284
inline constexpr std::string_view out_of_memory =
    "[rank@R]: Traceback (most recent call last):\n"
    "[rank@R]:   File \"train.py\", line 88, in <module>\n"
    "[rank@R]:     loss.backward()\n"
    "[rank@R]: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate @N MiB\n";

// saahiluppal/catr#19 and EleutherAI/lm-evaluation-harness#2293
inline constexpr std::string_view device_assert =
    "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:702: indexSelectLargeIndex: block: [32,0,0], "
    "thread: [@N,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n"
    "Traceback (most recent call last):\n"
    "  File \"main.py\", line 3, in <module>\n"
    "RuntimeError: CUDA error: device-side assert triggered\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
    "below might be incorrect.\n"
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n";

// alibaba/Pai-Megatron-Patch#366
inline constexpr std::string_view nan_found =
    "Traceback (most recent call last):\n"
    "  File \"megatron/core/distributed/param_and_grad_buffer.py\", line 115, in start_grad_sync\n"
    "    assert not norm.isnan(), (\n"
    "AssertionError: Rank @R: found NaN in local grad norm in backward pass before data-parallel "
    "communication collective. Device: @L\n";

// hiyouga/LlamaFactory#3388
inline constexpr std::string_view stale_handle =
    "Traceback (most recent call last):\n"
    "  File \"src/train_bash.py\", line 14, in <module>\n"
    "OSError: [Errno 116] Stale file handle: '/home/xxx/.cache/huggingface/datasets/text/'\n";

// facebookresearch/pycls#146
inline constexpr std::string_view loader_segfault =
    "ERROR: Unexpected segmentation fault encountered in worker.\n"
    "Traceback (most recent call last):\n"
    "  File \"torch/utils/data/dataloader.py\", line 986, in _try_get_data\n"
    "    data = self._data_queue.get(timeout=timeout)\n"
    "  File \"torch/utils/data/_utils/signal_handling.py\", line 66, in handler\n"
    "    _error_if_any_worker_fails()\n"
    "RuntimeError: DataLoader worker (pid @N) is killed by signal: Segmentation fault. \n"
    "\n"
    "The above exception was the direct cause of the following exception:\n"
    "\n"
    "Traceback (most recent call last):\n"
    "  File \"train_net.py\", line 24, in <module>\n"
    "    main()\n"
    "RuntimeError: DataLoader worker (pid(s) @N) exited unexpectedly\n";

// iedwardwangi/MetaAdapter#2
inline constexpr std::string_view no_module =
    "Traceback (most recent call last):\n"
    "  File \"main.py\", line 7, in <module>\n"
    "    from src.slurm import init_signal_handler\n"
    "ModuleNotFoundError: No module named 'src.slurm'\n";

// modelscope/ms-swift#9443
inline constexpr std::string_view mismatch =
    "[rank@R]: RuntimeError: Detected mismatch between collectives on ranks. Rank @R is running "
    "collective: CollectiveFingerPrint(SequenceNumber=3104, OpType=ALLREDUCE, "
    "TensorShape=[195812480]\n";

// Project-MONAI/model-zoo#685 and ai2cm/ace#348: what all ranks print if one is missing
inline constexpr std::string_view watchdog =
    "[E ProcessGroupNCCL.cpp:457] [Rank @R] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=11177025, NumelOut=11177025, "
    "Timeout(ms)=600000) ran for 60@N milliseconds before timing out.\n"
    "[E ProcessGroupNCCL.cpp:471] Some NCCL operations have failed or timed out. Due to the "
    "asynchronous nature of CUDA kernels, subsequent GPU operations might run on "
    "corrupted/incomplete data.\n"
    "[E ProcessGroupNCCL.cpp:477] To avoid data inconsistency, we are taking the entire process "
    "down.\n"
    "terminate called after throwing an instance of 'c10::DistBackendError'\n"
    "  what():  [PG 0 (default_pg) Rank @R] Process group watchdog thread terminated with "
    "exception: [Rank @R] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
    "OpType=ALLREDUCE, NumelIn=11177025, NumelOut=11177025, Timeout(ms)=600000) ran for 60@N "
    "milliseconds before timing out.\n"
    "Exception raised from checkTimeout at "
    "/opt/pytorch/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:605 (most recent call "
    "first):\n"
    "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x98 (0x75505bd97648 in "
    "libc10.so)\n";

// RVC-Project/Retrieval-based-Voice-Conversion-WebUI#1882: a peer has ended
inline constexpr std::string_view peer_gone =
    "Traceback (most recent call last):\n"
    "  File \"train.py\", line 212, in train_and_evaluate\n"
    "    scaler.scale(loss_gen_all).backward()\n"
    "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer "
    "[127.0.0.1]:1@N\n";

// NVIDIA/nccl-tests#166: the same under NCCL
inline constexpr std::string_view peer_gone_nccl =
    "ubuntu:3@N:40044 [@L] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote "
    "peer node1<5@N>\n"
    "ubuntu:3@N:40044 [@L] proxy.cc:1143 NCCL WARN Socket recv failed while polling for "
    "opId=0x7f6f18cb7f40\n";

// jade-hpc-gpu/jade-hpc-gpu.github.io#194: a node that had to be repaired
inline constexpr std::string_view ecc =
    "Traceback (most recent call last):\n"
    "  File \"train.py\", line 60, in <module>\n"
    "    loss.backward()\n"
    "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
    "below might be incorrect.\n"
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n";

// hao-ai-lab/FastVideo#1008
inline constexpr std::string_view launch_failure =
    "[rank@R]:[E113 11:43:02.241131296 ProcessGroupNCCL.cpp:1899] [PG ID 5 PG GUID "
    "55(mesh_replicate) Rank @R] Process group watchdog thread terminated with exception: CUDA "
    "error: unspecified launch failure\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
    "below might be incorrect.\n"
    "Exception raised from c10_cuda_check_implementation at /pytorch/c10/cuda/CUDAException.cpp:43 "
    "(most recent call first):\n"
    "frame #0: c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char>) + 0x98 "
    "(0x7f7dbc3785e8 in libc10.so)\n";

// NVIDIA/nvidia-resiliency-ext#18
inline constexpr std::string_view busy =
    "Traceback (most recent call last):\n"
    "  File \"torch/cuda/__init__.py\", line 476, in set_device\n"
    "    torch._C._cuda_setDevice(device)\n"
    "RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable\n";

// NVIDIA/nccl#1438, NVIDIA/nccl#1439 and pytorch/pytorch#130113: torchrun's summary of a worker
// that ended, after the worker's own output.
inline std::string under_torchrun(const std::string& worker, int64_t rank, int64_t local,
                                  int64_t exitcode) {
  const std::string traceback =
      exitcode < 0 ? fmt::format("Signal {} (SIG{}) received by PID 88{}", -exitcode,
                                 exitcode == -6 ? "ABRT" : "KILL", rank)
                   : "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html";
  return worker +
         fmt::format(
             "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 8863{0} "
             "closing signal SIGTERM\n"
             "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: {1}) "
             "local_rank: {2} (pid: 88{0}) of binary: /opt/conda/bin/python\n"
             "Traceback (most recent call last):\n"
             "  File \"/opt/conda/bin/torchrun\", line 33, in <module>\n"
             "    sys.exit(load_entry_point('torch==1.13.1', 'console_scripts', 'torchrun')())\n"
             "  File \"torch/distributed/launcher/api.py\", line 247, in launch_agent\n"
             "    failures=result.failures,\n"
             "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
             "=======================================================\n"
             "train_method.py FAILED\n"
             "-------------------------------------------------------\n"
             "Failures:\n"
             "  <NO_OTHER_FAILURES>\n"
             "-------------------------------------------------------\n"
             "Root Cause (first observed failure):\n"
             "[0]:\n"
             "  time      : 2024-09-11_09:17:37\n"
             "  host      : 9018.idas\n"
             "  rank      : {0} (local_rank: {2})\n"
             "  exitcode  : {1} (pid: 88{0})\n"
             "  error_file: <N/A>\n"
             "  traceback : {3}\n"
             "=======================================================\n",
             rank, exitcode, local, traceback);
}

}  // namespace texts
