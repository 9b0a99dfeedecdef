#!/usr/bin/env python3
"""Tests run.py on small files: what it runs, what it counts, and what it leaves."""
import os, pathlib, shutil, subprocess, tempfile, unittest

HERE = pathlib.Path(__file__).resolve().parent
CALLER = "root" if os.geteuid() == 0 else "user"


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o777)
        for name in ("run.py", "own_namespaces.sh", "host_state.py"):
            shutil.copy(HERE / name, self.folder)

    def write(self, name, *tests, tags=""):
        """A file with tests: pairs of a name and a line of shell, or three with a tag."""
        lines = [f"# bats file_tags={tags}"] if tags else []
        for title, line, *tag in tests:
            lines += [*(f"# bats test_tags={each}" for each in tag), f'@test "{title}" {{', f"  {line}", "}"]
        (self.folder / f"{name}.bats").write_text("\n".join(lines) + "\n")

    def run_all(self, *words):
        """The exit status, the lines and the last line."""
        done = subprocess.run([self.folder / "run.py", *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        return done.returncode, lines, lines[-1]

    def failed(self, lines):
        return [line.removeprefix("failed: ") for line in lines if line.startswith("failed: ")]

    def test_what_passes_is_counted_and_the_machine_is_one_more(self):
        self.write("a", ("one", "true"), ("two", "true"))
        self.write("b", ("three", "true"))
        status, lines, last = self.run_all()
        self.assertEqual((status, last), (0, "4 passed, 0 failed"))
        self.assertIn(f"==> a, {CALLER}: 2 passed, 0 failed", "\n".join(lines))

    def test_what_fails_or_is_skipped_is_named_and_its_output_is_there(self):
        self.write("a", ("bad", "echo because; false"), ("good", "true"), ("not today", "skip"))
        status, lines, last = self.run_all()
        self.assertEqual((status, last), (1, "2 passed, 2 failed"))
        self.assertEqual(self.failed(lines), [f"a, {CALLER}: bad", f"a, {CALLER}: not today"])
        self.assertIn("# because", lines)

    def test_what_only_root_can_run_is_named_for_others(self):
        self.write("a", ("one", "true"), tags="root")
        self.write("b", ("two", "true"))
        status, lines, last = self.run_all()
        self.assertEqual((status, last), (0, "3 passed, 0 failed" if CALLER == "root" else "2 passed, 0 failed"))
        self.assertEqual("not tested: a.bats; only root can run it" in lines, CALLER != "root")

    def test_tests_that_did_not_run_have_failed(self):
        self.write("a", ("one", "true"), ("two", "pkill -KILL -f bats-exec"), ("three", "true"))
        status, lines, last = self.run_all()
        self.assertEqual((status, last), (1, "2 passed, 2 failed"))

    def test_a_file_that_cannot_be_read_fails(self):
        (self.folder / "a.bats").write_text('@test "one" {\n')
        self.assertEqual(self.run_all()[0], 1)

    def test_tags_say_who_runs_a_test_and_with_which_program(self):
        self.write("a", ("one", '[ "$SLIPWAY_TEST_AS" = root ] || [ "$SLIPWAY_TEST_AS" = user ]', "user"), ("two", "true"))
        self.write("b", ("three", '[ "$SLIPWAY_TEST_PROGRAM" = build/x ]', "sanitized"), ("four", "true"))
        listed = {line.replace("\t", ": ") for line in self.run_all("--list", "--thorough")[1]}
        self.assertEqual(listed, {f"a, {CALLER}: one", f"a, {CALLER}: two", f"b, {CALLER}: three", f"b, {CALLER}: four",
                                  "a, user: one", *(["a, user: two"] if CALLER == "user" else [])})
        self.assertEqual(self.run_all("--program", "build/x")[2], "2 passed, 0 failed")

    def test_a_file_that_stays_apart_runs_when_it_is_named(self):
        self.write("a", ("one", "true"))
        self.write("b", ("two", "true"), ("three", "true"), tags="apart")
        self.assertEqual(self.run_all()[2], "2 passed, 0 failed")
        self.assertEqual(self.run_all(str(self.folder / "b.bats"))[2], "3 passed, 0 failed")

    def test_a_thorough_test_runs_when_asked_for_or_when_its_file_is_named(self):
        self.write("a", ("one", "true", "user"), ("two", "true", "thorough"))
        self.write("b", ("three", "true"), tags="thorough")
        as_user = 1 if CALLER == "root" else 0
        self.assertEqual(self.run_all()[2], "2 passed, 0 failed")
        self.assertEqual(self.run_all("--thorough")[2], f"{4 + as_user} passed, 0 failed")
        self.assertEqual(self.run_all(str(self.folder / "a.bats"))[2], f"{3 + as_user} passed, 0 failed")

    def test_each_file_has_processes_and_a_network_of_its_own(self):
        alone = '[ "$(pgrep -c -f run_test.py)" = 0 ] && [ "$(ip -brief link | wc -l)" = 1 ]'
        self.write("a", ("one", alone))
        self.write("b", ("two", alone))
        self.assertEqual(self.run_all()[2], "3 passed, 0 failed")

    def test_a_file_that_is_alone_has_the_machine_itself(self):
        self.write("a", ("one", f'[ "$(readlink /proc/self/ns/net)" = "{os.readlink("/proc/self/ns/net")}" ]'), tags="alone")
        self.assertEqual(self.run_all()[2], "2 passed, 0 failed")

    def test_a_file_that_runs_for_too_long_is_ended_with_its_processes(self):
        """A file on the machine itself has no namespaces that would take them."""
        left = self.folder / "left"
        self.write("a", ("one", f"sleep 600 3>&- & echo $! >{left}; wait"), tags="alone")
        status, lines, last = self.run_all("--limit", "5")
        self.assertEqual(status, 1)
        self.assertIn("it ran for more than 5.0 s, and was ended", "\n".join(self.failed(lines)))
        state = pathlib.Path(f"/proc/{left.read_text().strip()}/stat")
        self.assertTrue(not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z")

    def test_nothing_to_run_is_an_error(self):
        done = subprocess.run([self.folder / "run.py"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no such test", done.stderr)

    def test_processes_that_a_test_leaves_end_with_its_file(self):
        self.write("a", ("one", "setsid sleep 86399.5 3>&- &"))
        self.assertEqual(self.run_all()[2], "2 passed, 0 failed")
        self.assertEqual(subprocess.run(["pgrep", "-x", "-f", "sleep 86399.5"], capture_output=True, text=True).stdout, "")


if __name__ == "__main__":
    unittest.main()
