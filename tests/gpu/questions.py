"""Questions to the GPUs of a machine: see run.sh."""
import argparse
import ctypes
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from machine import Machine, NotHere, Wrong, complaint, kernel_lines, last_line, require_right, rows, size
from two_ranks import ranks_of_one_gpu, require_two_ranks, rows_of_one_gpu

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLLECTIVES = ["all_gather", "all_reduce", "alltoall", "alltoallv", "broadcast", "gather", "hypercube", "reduce",
               "reduce_scatter", "scatter", "sendrecv"]
QUESTIONS = []


def question(function):
    QUESTIONS.append(function)
    return function


@question
def kernels_assemble(machine):
    """Our kernels assemble for every GPU since Turing that ptxas knows"""
    tool = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    if not os.path.exists(tool):
        raise NotHere("no ptxas")
    known = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    gpus = [f"sm_{number}" for number in sorted(map(int, set(re.findall(r"'sm_(\d+)'", known)))) if number >= 75]
    with tempfile.TemporaryDirectory() as folder:
        for kernels in ("check", "burn", "health"):
            file = pathlib.Path(folder) / f"{kernels}.ptx"
            file.write_text(subprocess.run([machine.kernel_program(), "--ptx", kernels], capture_output=True, text=True, check=True,
                                           env=machine.environment).stdout)
            for gpu in gpus:
                done = subprocess.run([tool, "-v", f"-arch={gpu}", str(file), "-o", f"{folder}/out"], capture_output=True, text=True,
                                      check=False)
                spills = set(re.findall(r"(\d+) bytes spill", done.stderr)) - {"0"}
                if done.returncode != 0 or "warning" in done.stderr.lower() or spills:
                    raise Wrong(f"{kernels} for {gpu}: {done.stderr.strip()}")
    return {"value": len(gpus), "unit": "architectures", "note": " ".join(gpus)}


@question
def kernels_are_right(machine):
    """The kernels find exactly the elements that were harmed, in every type"""
    machine.kernels_found = kernel_lines(machine)
    wrong = [line["data"] for line in machine.kernels if not line["right"]]
    if wrong:
        raise Wrong("not in: " + ", ".join(wrong))
    return {"value": len(machine.kernels), "unit": "kinds of data", "details": machine.kernels}


@question
def verification_speed(machine):
    """How fast data is checked, and what that costs the CPU"""
    moved = machine.kernels[0]
    cost = statistics.median(line["check_cpu_s_per_gib"] for line in machine.kernels)
    return {"value": moved["check_gib_per_s"], "unit": "GiB/s", "note": f"{cost} CPU seconds a GiB, this process"}


@question
def verification_does_not_depend_on_ranks(machine):
    """Checking a sum over 4,096 ranks takes as long as over 2"""
    speed = {ranks: line["check_gib_per_s"] for line in machine.kernels for ranks in (2, 4096)
             if line["data"].endswith(f"float over {ranks} ranks")}
    ratio = round(speed[4096] / speed[2], 2)
    if not machine.stand_ins and not 0.7 < ratio < 1.4:
        raise Wrong(f"{ratio} times the speed")
    return {"value": ratio, "unit": "times the speed"}


@question
def gpu_burn(machine):
    """A burn computes every result right"""
    seconds = 1 if machine.stand_ins else 30
    burned = kernel_lines(machine, "--burn", str(seconds))
    if not burned:
        raise Wrong("no GPU has burned")
    for gpu in burned:
        if gpu["failed"] or gpu["lost"] or gpu["wrong_repetitions"] or not gpu["repetitions"]:
            raise Wrong(json.dumps(gpu))
    return {"value": round(min(gpu["tflop_per_s"] for gpu in burned), 3), "unit": "TFLOP/s of FP32", "details": burned,
            "note": f"{min(gpu['repetitions'] for gpu in burned)} repetitions in {seconds} s"}


@question
def every_type_and_reduction(machine):
    """NCCL's results are right in every type and reduction"""
    found, _ = machine.perf("all_reduce", "-b", machine.size(48 << 10), "-e", machine.size(48 << 10), "-n", "1", "-w", "0", "-d", "all", "-o", "all")
    require_right(found)
    return {"value": len(found), "unit": "rows"}


@question
def every_collective(machine):
    """Every collective is right, from 8 bytes on"""
    measured = 0
    for collective in COLLECTIVES:
        if collective == "hypercube" and len(machine.gpus) & (len(machine.gpus) - 1):
            continue
        found, _ = machine.perf(collective, "-b", "8", "-e", machine.size(64 << 20), "-f", "16", "-n", "2")
        require_right(found)
        measured += 1
    return {"value": measured, "unit": "collectives"}


@question
def options_for_gpus(machine):
    """Graphs, registration, groups, unaligned buffers, the null stream and CPU time work"""
    small = ("-b", machine.size(64 << 10), "-e", machine.size(64 << 10), "-n", "2")
    refused = []
    for args in (("-G", "3"), ("-R", "1"), ("-R", "2"), ("-m", "4"), ("-u", "3"), ("-y", "1"), ("-C", "1"), ("-M", "1"), ("-x", "1")):
        try:
            require_right(machine.perf("all_reduce", *small, *args)[0])
        except Wrong as error:
            if "needs NCCL" not in str(error):
                raise
            refused.append(" ".join(args))
    return {"value": 9 - len(refused), "unit": "options", "note": f"this NCCL lacks {', '.join(refused)}" if refused else ""}


@question
def single_iterations(machine):
    """Times of single iterations by the GPU's clock add up to that of all, which they do not slow down"""
    args = ["all_gather", "-b", machine.size(256 << 20), "-e", machine.size(256 << 20), "-n", "50", "-w", "5", "-c", "0"]
    alone = float(machine.perf(*args)[0][0][5])
    file = pathlib.Path(machine.folder) / "iterations.json"
    machine.perf(*args, "-I", "1", "-J", str(file))
    found = json.loads(file.read_text())["results"][0]
    together, each = found["out_of_place"]["time"], found["out_of_place_per_iter"]
    shares = {"of all": round(each["avg_us"] / together, 3), "with and without": round(together / alone, 3)}
    if len(each["times_us"]) != 50 or not machine.stand_ins and not all(0.9 < share < 1.1 for share in shares.values()):
        raise Wrong(json.dumps(shares | {"times": len(each["times_us"])}))
    return {"value": shares["of all"], "unit": "times the time of all", "details": shares}


def stand_in_of_theirs(machine):
    """Ours, under a name that is not a link to it."""
    file = pathlib.Path(machine.folder) / "all_gather_perf"
    file.write_text(f"#!/bin/sh\nexec {shlex.quote(machine.program('bandwidth_perf'))} all_gather \"$@\"\n")
    file.chmod(0o755)
    return str(file)


def theirs(machine):
    """NVIDIA's all_gather_perf: neither ours nor a link to ours."""
    beside = machine.options.beside
    if beside == "none":
        raise NotHere("not asked for")
    if machine.stand_ins and beside is None:
        return stand_in_of_theirs(machine)
    found = shutil.which("all_gather_perf", path=beside) if beside else shutil.which("all_gather_perf")
    if found is None or os.path.basename(os.path.realpath(found)) == "bandwidth_perf":
        raise NotHere("NVIDIA's all_gather_perf is not on this machine: name its folder with --beside")
    return found


@question
def beside_nccl_tests(machine):
    """The bandwidth is that of NVIDIA's all_gather_perf, in turn with it"""
    program = theirs(machine)
    args = ["-b", machine.size(1 << 20), "-e", machine.size(1 << 30), "-f", "4", "-n", "20", "-w", "5"]
    ours_by_size, theirs_by_size = {}, {}
    for _ in range(5):
        for row in machine.perf("all_gather", *args)[0]:
            ours_by_size.setdefault(int(row[0]), []).append(float(row[5]))
        done = subprocess.run([program, "-g", str(len(machine.gpus)), *args], capture_output=True, text=True, check=False,
                              timeout=machine.limit(), env=machine.environment)
        for row in rows(done.stdout):
            theirs_by_size.setdefault(int(row[0]), []).append(float(row[5]))
    ratios = {size: round(statistics.median(theirs_by_size[size]) / statistics.median(ours), 3)
              for size, ours in ours_by_size.items() if size in theirs_by_size}
    if not ratios:
        raise Wrong("no size in common")
    largest = ratios[max(ratios)]
    if not machine.stand_ins and not 0.95 < largest < 1.05:
        raise Wrong(f"at the largest size ours has {largest} times the bandwidth")
    return {"value": largest, "unit": "times the bandwidth", "details": ratios}


@question
def two_ranks_on_one_gpu(machine):
    """Two ranks share a GPU where NCCL allows it: the whole path on a machine with one GPU"""
    found = rows_of_one_gpu(machine, "all_gather", "-b", "1K", "-e", machine.size(1 << 20), "-f", "32", "-n", "2")
    return {"value": len(found), "unit": "sizes"}


@question
def ranks_that_share_a_gpu_compute_right(machine):
    """Two ranks on a GPU compute every type and reduction right, and four every collective"""
    most = machine.size(48 << 10)
    found = rows_of_one_gpu(machine, "all_reduce", "-b", most, "-e", most, "-n", "1", "-w", "0", "-d", "all", "-o", "all")
    for collective in COLLECTIVES:
        found += rows_of_one_gpu(machine, collective, "-b", "8", "-e", most, "-f", "32", "-n", "2", ranks=4)
    return {"value": len(found), "unit": "rows"}


@question
def a_dead_rank_is_named(machine):
    """If a rank is killed, the other one ends and names it"""
    with ranks_of_one_gpu(machine, "all_reduce", "-b", "1K", "-e", "1K", "-n", "5", "-w", "0", "-N", "0") as started:
        for line in started[0].stdout:
            if re.match(r" +\d+ +\d+ ", line):
                break
        begin = time.monotonic()
        started[1].send_signal(signal.SIGKILL)
        _, text = started[0].communicate(timeout=machine.limit())
        seconds = time.monotonic() - begin
    if started[0].returncode == 0 or "rank 1" not in text:
        require_two_ranks(text)
        raise Wrong(f"status {started[0].returncode}: {complaint(text)}")
    require_two_ranks(text)
    return {"value": round(seconds, 1), "unit": "s until the end"}


def health(machine, stage):
    if machine.stand_ins:
        raise NotHere("the stand-ins have no NVML")
    done = subprocess.run([machine.program("slipway"), "health", "--stage", stage, "--json"], capture_output=True, text=True,
                          check=False, timeout=machine.limit(), env=machine.environment)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise Wrong(last_line(done.stderr)) from error


def reasons(found, prefix=""):
    return "; ".join(f"{one['check']}: {one['why']}" for one in found["skipped"] if one["check"].startswith(prefix))


@question
def health_reads_nvml(machine):
    """`slipway health` reads the GPUs through NVML"""
    found = health(machine, "manual")
    checks = [check for check in found["checks"] if check.startswith("gpu_")]
    if not checks:
        raise Wrong("no check of GPUs has run: " + reasons(found, "gpu_"))
    return {"value": len(checks), "unit": "checks", "note": f"{len(found['findings'])} findings", "details": found}


@question
def deep_checks(machine):
    """The deep checks run: a computation, copies, a collective"""
    found = health(machine, "deep")
    return {"value": len(found["findings"]), "unit": "findings", "note": f"skipped: {reasons(found)}", "details": found}


@question
def xids_are_read(machine):
    """The kernel's log with the Xids can be read"""
    found = health(machine, "manual")
    missing = [check for check in ("gpu_xid", "kernel_log") if check not in found["checks"]]
    if missing:
        raise NotHere("; ".join(reasons(found, check) or f"{check}: not made" for check in missing))
    return {"value": sum("xid" in one for one in found["findings"]), "unit": "Xids"}


@question
def energy(machine):
    """The energy counter of NVML moves with the work, as the power times the time"""
    if machine.stand_ins:
        raise NotHere("the stand-ins have no NVML")
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError as error:
        raise NotHere(str(error)) from error
    if nvml.nvmlInit_v2() != 0:
        raise NotHere("NVML does not start")
    many = ctypes.c_uint()
    nvml.nvmlDeviceGetCount_v2(ctypes.byref(many))
    handles = [ctypes.c_void_p() for _ in range(many.value)]
    for index, handle in enumerate(handles):
        nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle))

    def read(name, kind):
        """Of all GPUs together, also those that CUDA does not see."""
        total = 0
        for handle in handles:
            value = kind()
            status = getattr(nvml, name)(handle, ctypes.byref(value))
            if status != 0:
                raise NotHere(f"{name}: NVML status {status}")
            total += value.value
        return total

    machine.require_nccl()
    before, begin = read("nvmlDeviceGetTotalEnergyConsumption", ctypes.c_ulonglong), time.monotonic()
    watts = []
    with subprocess.Popen([machine.program("bandwidth_perf"), "all_reduce", "-g", str(len(machine.gpus)), "-b", "64M",
                           "-e", "64M", "-N", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env=machine.environment) as load:
        while time.monotonic() - begin < 10:
            watts.append(read("nvmlDeviceGetPowerUsage", ctypes.c_uint) / 1000)
            time.sleep(0.1)
        ended = load.poll()
        load.kill()
        if ended is not None:
            raise Wrong(f"the load ended with status {ended}: {complaint(load.stderr.read())}")
    joules = (read("nvmlDeviceGetTotalEnergyConsumption", ctypes.c_ulonglong) - before) / 1000
    seconds = time.monotonic() - begin
    ratio = joules / (statistics.mean(watts) * seconds)
    if not 0.7 < ratio < 1.4:
        raise Wrong(f"{joules:.0f} J in {seconds:.1f} s at {statistics.mean(watts):.0f} W")
    return {"value": round(joules), "unit": "J", "note": f"{ratio:.2f} times the power of {statistics.mean(watts):.0f} W"}


def ask(function, machine):
    begin = time.monotonic()
    answer = {"question": function.__doc__, "name": function.__name__, "outcome": "yes", "value": None, "unit": "", "note": ""}
    late = f"the {machine.options.minutes:g} minutes have passed (--minutes)"
    try:
        if time.monotonic() > machine.deadline:
            raise NotHere(late)
        answer |= function(machine)
    except subprocess.TimeoutExpired as error:
        has_time = time.monotonic() < machine.deadline
        answer |= {"outcome": "no", "note": str(error)} if has_time else {"outcome": "not asked", "note": late}
    except NotHere as error:
        answer |= {"outcome": "not asked", "note": str(error)}
    except Wrong as error:
        answer |= {"outcome": "no", "note": str(error)}
    except Exception as error:  # pylint: disable=broad-exception-caught  # one question must not keep the next from being asked
        answer |= {"outcome": "no", "note": f"{type(error).__name__}: {error}"}
    answer["seconds"] = round(time.monotonic() - begin, 1)
    return answer


def table(answers):
    lines = []
    for one in answers:
        value = "" if one["value"] is None else f"{one['value']} {one['unit']}"
        lines.append(f"{one['outcome']:<9}  {value:<26}  {one['question']}")
        if one["note"]:
            lines.append(f"{'':<9}  {'':<26}  {one['note']}")
    return "\n".join(lines)


def write_result(path, machine, answers):
    result = {"schema": "slipway/gpu-answers/1", "gpu": not machine.stand_ins, "gpus": machine.gpus,
              "nccl": machine.nccl_version,
              "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "answers": answers}
    pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(prog="tests/gpu/run.sh", description=__doc__)
    parser.add_argument("--programs", default=str(ROOT / "build/prefix/bin"), help="the folder of bandwidth_perf and slipway")
    parser.add_argument("--kernels", default=str(ROOT / "build/tests/gpu/gpu_kernels"), help="the program gpu_kernels")
    parser.add_argument("--beside", help="the folder of NVIDIA's all_gather_perf, or `none`; by default, PATH")
    parser.add_argument("--stand-ins", help="without a GPU: the folder of the stand-ins, build/tests/fakes")
    parser.add_argument("--size", type=size, default="1G", help="the largest buffers")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each program")
    parser.add_argument("--minutes", type=float, default=55, help="for all questions: those that are left then are not asked")
    parser.add_argument("--libraries", action="append", default=[], metavar="FOLDER",
                        help="a folder of libnccl.so.2 or libcudart; CUDA's own and those of Python's wheels are found")
    parser.add_argument("--stand-in-gpus", type=int, default=2, help="with --stand-ins, how many GPUs there are")
    parser.add_argument("--result", default="gpu-answers.json", help="the file for the answers as JSON")
    options = parser.parse_args()
    machine = Machine(options)
    if not machine.gpus:
        parser.error("this machine has no GPU that nvidia-smi finds; --stand-ins tests this script without one")
    if machine.hidden:
        print(machine.hidden)
    if why_not := machine.why_not_to_start():
        parser.error(why_not)
    answers = []
    with tempfile.TemporaryDirectory() as machine.folder:
        for function in QUESTIONS:
            answers.append(ask(function, machine))
            print(table(answers[-1:]), flush=True)
            write_result(options.result, machine, answers)  # what is known remains if the machine is taken away
    print(f"\nGPUs: {', '.join(machine.gpus)}; NCCL {machine.nccl_version or 'not found'}")
    if machine.stand_ins:
        print("This was not a GPU: stand-ins of NVIDIA's libraries answered, and no time means anything.")
    passed, failed = (sum(one["outcome"] == outcome for one in answers) for outcome in ("yes", "no"))
    print(f"{len(answers) - passed - failed} not asked; as JSON: {options.result}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
