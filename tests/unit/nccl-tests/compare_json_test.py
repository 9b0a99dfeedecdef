#!/usr/bin/env python3
"""bandwidth_compare prints the same for programs as for people.

Usage: compare_json_test.py FOLDER_OF_PROGRAMS SCHEMA VALIDATOR
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, SCHEMA, VALIDATOR = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]


def simulate(folder, name, gb_per_s, seed, profile=None):
    """A report of the simulated world, whose time is virtual."""
    world = folder / "world.yaml"
    world.write_text(f"nodes: 2\ngb_per_s: {gb_per_s}\nnoise: 0.01\nseed: {seed}\n")
    subprocess.run([PROGRAMS / "bandwidth_perf", "all_gather", "--backend", "sim", "--world", world, "-b", "1M", "-e", "16M", "-f", "4",
                    "-I", "1", "-c", "0", "--report", folder / name, "--node-profile", profile or "/nonexistent"],
                   check=True, capture_output=True)
    return str(folder / name)


class CompareJson(unittest.TestCase):
    def compare(self, *args, status):
        done = subprocess.run([PROGRAMS / "bandwidth_compare", *args], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def valid(self, text):
        checked = subprocess.run([sys.executable, VALIDATOR, SCHEMA, "-"], input=text, capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        return json.loads(text)

    def test_slower_and_equal_sides(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            old = ",".join(simulate(folder, f"old{i}.json", 25, 1 + i) for i in range(6))
            same = ",".join(simulate(folder, f"same{i}.json", 25, 10 + i) for i in range(6))
            slow = ",".join(simulate(folder, f"slow{i}.json", 15, 20 + i) for i in range(6))
            for new, status in ((same, 0), (slow, 1)):
                text = self.compare(old, new, status=status)
                found = self.valid(self.compare(old, new, "--json", status=status))["comparison"]
                self.assertIn(f"\n{found['slower_rows']} of {len(found['rows'])} slower by more than 2 %\n", text)
                self.assertEqual(found["slower_rows"] > 0, status == 1)
                self.assertEqual(found["slower_rows"], sum(row["finding"] == "slower_too_much" for row in found["rows"]))
                self.assertEqual((len(found["old_reports"]), len(found["new_reports"]), found["runs_are"]), (6, 6, "groups"))
                for row in found["rows"]:
                    self.assertLessEqual(row["slower_low"], row["slower"])
                    self.assertLessEqual(row["slower"], row["slower_high"])
                for note in found["notes"]:
                    self.assertIn(f"note: {note}\n", text)
            self.assertEqual(json.loads(self.compare(old, slow, "--json", "--allow", "90", status=0))["comparison"]["allowed"], 0.9)

    def test_a_size_that_one_side_lacks_is_not_compared(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            old, new = simulate(folder, "old.json", 25, 1), simulate(folder, "new.json", 25, 2)
            report = json.loads(pathlib.Path(new).read_text())
            del report["results"][0]
            pathlib.Path(new).write_text(json.dumps(report))
            rows = self.valid(self.compare(old, new, "--json", status=0))["comparison"]["rows"]
            self.assertEqual([row["finding"] for row in rows[:2]], ["not_compared"] * 2)
            self.assertIn("new report", rows[0]["why_not"])

    def test_reports_that_are_judged_together(self):
        with tempfile.TemporaryDirectory() as name:
            report = simulate(pathlib.Path(name), "one.json", 25, 1)
            figures = self.valid(self.compare("--figures", report, "--json", status=0))["figures"]
            self.assertEqual((figures["reports"], figures["outcome"]), ([report], "not judged"))
            self.assertIn(f"# Verdict: not judged ({figures['reasons'][0]}", self.compare("--figures", report, status=0))

    def test_reports_of_different_tests_print_no_json(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            old, new = simulate(folder, "old.json", 25, 1), simulate(folder, "new.json", 25, 2)
            report = json.loads(pathlib.Path(new).read_text())
            report["rank_count"] += 1
            pathlib.Path(new).write_text(json.dumps(report))
            self.assertEqual(self.compare(old, new, "--json", status=3), "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
