#!/usr/bin/env python3
"""tests/history.sh on small histories: each rule, the release that it starts from, and clones without history."""
import os, pathlib, shutil, subprocess, tempfile, unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "history.sh"
NOBODY = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
          "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


class History(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name) / "clone"
        (self.top / "tests").mkdir(parents=True)
        shutil.copy(SCRIPT, self.top / "tests")

    def run_in(self, folder, *words):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, env={**environment, **NOBODY})

    def git(self, *words):
        done = self.run_in(self.top, "git", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def commit(self, subject, body="Because."):
        if not (self.top / ".git").exists():
            self.git("init", "--quiet")
        self.git("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--message", f"{subject}\n\n{body}".rstrip())
        return self.git("rev-parse", "--short=7", "HEAD")

    def check(self, *words, top=None):
        done = self.run_in("/", top or self.top / "tests/history.sh", *words)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def wrong(self, subject, body="Because."):
        """What the check says about one commit."""
        self.commit("Begin")
        commit = self.commit(subject, body)
        status, said = self.check("HEAD~1..")
        first, *rules, last = said.splitlines()
        self.assertEqual((status, first, last), (1, f"{commit} {subject}", "history: 1 commits in HEAD~1.., 1 break a rule"))
        return rules

    def test_a_commit_that_keeps_the_rules_passes(self):
        self.commit("Begin")
        for subject in ("Fix the quota of spot nodes", "Bring a node back", "Need less memory", "A" * 50):
            self.commit(subject)
        self.assertEqual(self.check("HEAD~4.."), (0, "history: 4 commits in HEAD~4.., 0 break a rule\n"))

    def test_a_long_subject(self):
        self.assertEqual(self.wrong("A" * 51), ["  the subject has 51 characters; 50 are allowed"])

    def test_a_subject_in_lower_case(self):
        self.assertEqual(self.wrong("fix it"), ["  the subject does not begin with a capital letter"])

    def test_a_full_stop(self):
        self.assertEqual(self.wrong("Fix it."), ["  the subject ends with a full stop"])

    def test_what_was_done_is_not_an_order(self):
        self.assertEqual(self.wrong("Fixed it"), ['  the subject begins with "Fixed", which is not an order'])

    def test_what_is_being_done_is_not_an_order(self):
        self.assertEqual(self.wrong("Fixing it"), ['  the subject begins with "Fixing", which is not an order'])

    def test_a_subject_alone(self):
        self.assertEqual(self.wrong("Fix it", ""), ["  there is no body that says why"])

    def test_every_rule_that_is_broken_is_reported(self):
        self.assertEqual(len(self.wrong("fixed " + "it " * 20 + "now.", "")), 5)

    def test_starts_at_the_last_release(self):
        self.commit("fixed")
        self.git("tag", "v0.1.0")
        self.commit("Fix it")
        self.assertEqual(self.check(), (0, "history: 1 commits in v0.1.0.., 0 break a rule\n"))

    def test_a_history_without_the_commit_to_start_from_fails(self):
        self.commit("Fix it")
        done = self.run_in("/", self.top / "tests/history.sh")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("fatal: Invalid revision range", done.stderr)

    def test_a_tarball_has_nothing_to_check(self):
        self.assertEqual(self.check(), (0, "history: not checked: this is not a git clone\n"))

    def test_a_shallow_clone_has_nothing_to_check(self):
        self.commit("fixed")
        self.commit("fixed")
        shallow = self.top.parent / "shallow"
        self.git("clone", "--quiet", "--depth=1", f"file://{self.top}", str(shallow))
        (shallow / "tests").mkdir()
        shutil.copy(SCRIPT, shallow / "tests")
        self.assertEqual(self.check(top=shallow / "tests/history.sh"), (0, "history: not checked: this clone is shallow\n"))


if __name__ == "__main__":
    unittest.main()
