#!/usr/bin/env python3
"""Runs the system tests, several files at a time, and counts them.

Without a FILE, all files run but those with the tag `apart`, and all of their tests with --thorough. Each runs in mount, PID, network and IPC namespaces and with
its own /var/lib/slipway, so that it has the machine for itself. If such namespaces cannot be made, one file runs after
another, on the machine itself. At the end the machine must be unchanged, which counts as one test.

Comments in the files say more (`# bats file_tags=TAG`, or test_tags for the next test):

  user        when root runs the tests, this one runs a second time as an ordinary user
  thorough    without --thorough it only runs when its file is named; so do all second runs as an ordinary user
  sanitized   --program runs it
  long        the file starts before the others, of which those with the most tests start first
  alone       the file runs on the machine itself, and no other file beside it
  apart       the file only runs when it is named
  root        only root can run the file; where another user runs the tests, a line says that it is not tested

What a file prints appears when it has ended. The last line is `N passed, N failed`: tests that were skipped or did not
run have failed.
"""
import argparse, concurrent.futures, dataclasses, os, pathlib, pwd, re, secrets, shutil, signal, subprocess, sys
import tempfile, time, typing

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_SECONDS = 1800  # for one file; a test waits two minutes for one thing at most
LIMIT_APART_SECONDS = 4 * 3600  # files that make images compile all of Slipway, twice

# Prints the processor time of a command and of the descendants that it has waited for.
TIMED = ["bash", "-c", 'TIMEFORMAT="processors: %U %S"; time "$@"', "bash"]


@dataclasses.dataclass(frozen=True)
class Test:
    name: str
    tags: frozenset


@dataclasses.dataclass(frozen=True)
class Run:
    """One file, or its tests with a tag, by one user and with one program."""
    file: pathlib.Path
    who: str
    tag: str = ""
    program: str = ""
    without: str = ""  # a tag whose tests are left out
    limit: typing.ClassVar = None  # seconds, for tests of this program

    def title(self):
        return f"{self.file.stem}, {self.who}{', sanitized' if self.program else ''}"

    def tests(self):
        return [test.name for test in tests_of(self.file)
                if (not self.tag or self.tag in test.tags) and self.without not in test.tags]

    def filter(self):
        """The same for bats."""
        tags = [*([self.tag] if self.tag else []), *([f"!{self.without}"] if self.without else [])]
        return ["--filter-tags", ",".join(tags)] if tags else []

    def has(self, tag):
        return any(tag in test.tags for test in tests_of(self.file))

    def limit_seconds(self):
        return Run.limit or (LIMIT_APART_SECONDS if self.has("apart") else LIMIT_SECONDS)


def tests_of(file):
    """The tests of a file with their tags, as bats reads them."""
    found, file_tags, test_tags = [], set(), set()
    for line in file.read_text().splitlines():
        if tags := re.match(r"# bats (file|test)_tags=(.*)", line):
            words = {word.strip() for word in tags[2].split(",")}
            file_tags, test_tags = (words, test_tags) if tags[1] == "file" else (file_tags, test_tags | words)
        elif test := re.match(r'@test "(.*)" {', line):
            found.append(Test(test[1].replace("\\", ""), frozenset(file_tags | test_tags)))
            test_tags = set()
    return found


def runs_of(files, program, thorough):
    caller = "root" if os.geteuid() == 0 else "user"
    if program:
        runs = [Run(file, caller, "sanitized", program) for file in files]
    else:
        runs = [Run(file, caller, without="" if thorough else "thorough") for file in files]
        runs += [Run(file, "user", "user") for file in files] if thorough and caller == "root" else []
    return [run for run in runs if run.tests() and (caller == "root" or not run.has("root"))]


def default_files():
    return [file for file in sorted(HERE.glob("*.bats")) if not Run(file, "root").has("apart")]


class Machine:
    """Runs files, in separate namespaces if possible, and ends running ones on request."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slipway-system-tests.", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.alive = set()
        self.before = self.traces()
        if os.geteuid() == 0:
            pathlib.Path("/var/lib/slipway").mkdir(parents=True, exist_ok=True)
        done = subprocess.run([*self.namespaces("probe"), "true"], capture_output=True, text=True)
        self.has_namespaces = done.returncode == 0
        if not self.has_namespaces:
            print(f"one file after another, as namespaces cannot be made: {done.stderr.strip()}", flush=True)

    def namespaces(self, name):
        state = self.folder / name
        state.mkdir(exist_ok=True)
        return [str(HERE / "own_namespaces.sh"), str(state)]

    @staticmethod
    def traces():
        """What the namespaces of a file cannot take with them: mounts and interfaces of the machine, deployments."""
        state = subprocess.run([HERE / "host_state.py", "/var/lib/slipway/deployments"], capture_output=True, text=True, check=True)
        return {line for line in state.stdout.splitlines() if line.startswith(("mounts:", "interfaces:", "deployments:"))}

    def run(self, run, own_namespaces):
        """Gives what bats printed, its exit status (None: it ran for too long), and how long it took."""
        name = secrets.token_hex(3)
        command = [*TIMED, "bats", "--tap", "--timing", *run.filter(), str(run.file)]
        environment = {**os.environ, "SLIPWAY_TEST_AS": run.who, "SLIPWAY_TEST_PROGRAM": run.program,
                       "SLIPWAY_TEST_NAME": name}
        begin = time.monotonic()
        with tempfile.TemporaryFile(dir=self.folder) as output:
            process = subprocess.Popen([*(self.namespaces(name) if own_namespaces else []), *command], env=environment,
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            self.alive.add(process)
            try:
                status = process.wait(run.limit_seconds())
            except subprocess.TimeoutExpired:
                status = None
            finally:
                end(process)
                self.alive.discard(process)
                remove_what_is_left(name)
            output.seek(0)
            text, processors = without_times(output.read().decode(errors="replace"))
            return text, status, f"{time.monotonic() - begin:.1f} s{processors}"

    def close(self):
        for process in list(self.alive):
            end(process)
        shutil.rmtree(self.folder, ignore_errors=True)


def without_times(output):
    """The output without TIMED's line, and the text of it; nothing if the command was killed."""
    found = re.search(r"^processors: ([0-9.]+) ([0-9.]+)\n", output, re.M)
    if not found:
        return output, ""
    return output.replace(found[0], "", 1), f", {float(found[1]) + float(found[2]):.1f} s of processor time"


def end(process):
    """Ends bats and what its tests left, which namespaces of their own would take with them."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def remove_what_is_left(name):
    """Of a run that was killed: its folder and its user, as setup_suite.bash names them."""
    shutil.rmtree(f"/var/tmp/slipway-test.{name}", ignore_errors=True)
    try:
        pwd.getpwnam(f"slipway-{name}")
    except KeyError:
        return
    subprocess.run(["userdel", "--force", "--remove", f"slipway-{name}"], stderr=subprocess.DEVNULL)


class Count:
    def __init__(self):
        self.passed = 0
        self.wrong = []  # names of what failed, was skipped or did not run

    def add(self, run, output, status):
        """One line about a run that has ended."""
        passed = re.findall(r"^ok \d+ (?!.* # skip)", output, re.M)
        planned = run.tests()
        wrong = re.findall(r"^(?:not ok \d+ (.*?)|ok \d+ (.*?)(?: in \d+ms)? # skip.*?)(?: in \d+ms)?$", output, re.M)
        wrong = [failed or skipped for failed, skipped in wrong]
        wrong += ["a test that did not run"] * (len(planned) - len(passed) - len(wrong))
        if status != 0 and not wrong:
            wrong = ["bats itself"]
        if status is None:
            wrong.append(f"it ran for more than {run.limit_seconds()} s, and was ended")
        self.passed += len(passed)
        self.wrong += [f"{run.title()}: {name}" for name in wrong]
        return f"{len(passed)} passed, {len(wrong)} failed"

    def add_machine(self, left):
        title = "the machine has the mounts, interfaces and deployments that it had before"
        print(f"\n{'not ok' if left else 'ok'} {title}")
        for line in sorted(left):
            print(f"# {line}")
        self.passed += 0 if left else 1
        self.wrong += [title] if left else []

    def finish(self):
        print()
        for name in self.wrong:
            print(f"failed: {name}")
        print(f"{self.passed} passed, {len(self.wrong)} failed", flush=True)
        return 1 if self.wrong else 0


def run_all(runs, jobs):
    """Runs them, prints what each said, and returns the exit status."""
    machine, count = Machine(), Count()
    runs.sort(key=lambda run: (run.tag != "" or not run.has("long"), -len(run.tests())))
    jobs = jobs if machine.has_namespaces else 1
    print(f"{len(runs)} runs, {jobs} at a time", flush=True)

    def ended(run, output, status, time_taken):
        print(f"\n==> {run.title()}: {count.add(run, output, status)}, {time_taken}\n{output}", end="", flush=True)

    alone = [run for run in runs if run.has("alone") or not machine.has_namespaces]
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        for run in alone:
            ended(run, *machine.run(run, own_namespaces=False))
        begun = {pool.submit(machine.run, run, True): run for run in runs if run not in alone}
        for done in concurrent.futures.as_completed(begun):
            ended(begun[done], *done.result())
        count.add_machine(machine.traces() - machine.before)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        machine.close()
    return count.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, metavar="N", default=2 * len(os.sched_getaffinity(0)) + 1,
                        help="so many files at a time (default: two for each processor and one more, as most wait)")
    parser.add_argument("--thorough", action="store_true", help="also tests with the tag `thorough`, and as an ordinary user")
    parser.add_argument("--program", default="", metavar="FILE",
                        help="only tests with the tag `sanitized`, with another build of the program `slipway`")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="print each test after its file and its user, and run nothing")
    parser.add_argument("files", nargs="*", metavar="FILE", type=lambda name: pathlib.Path(name).resolve(),
                        help="a .bats file")
    options = parser.parse_args()
    Run.limit = options.limit
    thorough = options.thorough or bool(options.files)
    files = options.files or default_files()
    runs = runs_of(files, options.program, thorough)
    not_tested = [file.stem for file in files if os.geteuid() != 0 and Run(file, "user").has("root")]
    if not runs and not not_tested:
        parser.error("there is no such test")
    if options.list:
        for run in runs:
            for name in run.tests():
                print(f"{run.title()}\t{name}")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in not_tested:
        print(f"not tested: {name}.bats; only root can run it")
    try:
        return run_all(runs, options.jobs)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
