#!/usr/bin/env python3
"""Tests `slipway doctor`: usage: doctor.py SLIPWAY

Every target is looked at in full, whatever is missing. A program that is not in PATH, or that is too old, is named with what
needs it and how to get it. The packages that `doctor` names are in packages.debian, and its JSON matches the schema.
"""
import json, pathlib, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same
from run import ROOT, breaks_schema, installed


def known_packages():
    lines = (line.split("#")[0] for line in (ROOT / "packages.debian").read_text().splitlines())
    return {word for line in lines for word in line.split() if word not in "|?"}


class Doctor:
    def __init__(self, slipway, folder):
        self.slipway, self.programs = slipway, folder / "programs"
        self.programs.mkdir()

    def program(self, name, output):
        path = self.programs / name
        path.write_text(f"#!/bin/sh\necho '{output}'\n")
        path.chmod(0o755)

    def run(self, *words):
        environment = {"PATH": str(self.programs), "HOME": str(self.programs)}
        return subprocess.run([self.slipway, "doctor", *words], capture_output=True, text=True, timeout=60, env=environment)

    def findings(self, target):
        """Exit status and {name: requirement}."""
        done = self.run(target, "--json")
        same(f"{target}: schema", breaks_schema(done.stdout), "")
        document = json.loads(done.stdout)
        found = {one["name"]: one for one in document["requirements"]}
        states = [one["state"] for one in found.values()]
        same(f"{target}: missing", document["missing"], states.count("missing"))
        same(f"{target}: warnings", document["warnings"], states.count("warning"))
        same(f"{target}: exit status", done.returncode, 1 if document["missing"] else 0)
        for one in found.values():
            same(f"{target}: {one['name']} names a package of packages.debian, or none",
                 one.get("package") in known_packages() | {None}, True)
            is_helped = one["state"] == "ok" or any(key in one for key in ("package", "remedy", "found"))
            same(f"{target}: {one['name']} says what to do", is_helped, True)
        return done.returncode, found


def text_names_everything(doctor, target):
    done, (_, found) = doctor.run(target), doctor.findings(target)
    words = " ".join(done.stdout.split())
    for one in found.values():
        same(f"{target}: the text has {one['name']}", f"{one['state']} {one['name']}" in words, True)
    same(f"{target}: no color outside a terminal", "\x1b" in done.stdout, False)
    same(f"{target}: nothing on stderr", done.stderr, "")


def google(doctor):
    status, found = doctor.findings("google")
    same("google without Terraform", (status, found["Terraform or OpenTofu"]["state"]), (1, "missing"))
    same("google without Packer", found["Packer"]["state"], "warning")
    doctor.program("terraform", json.dumps({"terraform_version": "0.14.1"}))
    status, found = doctor.findings("google")
    same("google with an old Terraform", (status, found["Terraform or OpenTofu"]["state"]), (1, "missing"))
    same("it says which is needed", "1.5.0 or newer" in found["Terraform or OpenTofu"]["found"], True)
    doctor.program("terraform", json.dumps({"terraform_version": "1.9.2"}))
    doctor.program("packer", "Packer v1.11.0")
    status, found = doctor.findings("google")
    same("google with both", (status, found["Packer"]["state"]), (0, "ok"))
    same("their versions", [found[name]["found"].split()[-1] for name in ("Terraform or OpenTofu", "Packer")],
         ["1.9.2", "1.11.0"])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        doctor = Doctor(installed(sys.argv[1], folder / "prefix"), folder)
        for target in ("local", "google", "node"):
            text_names_everything(doctor, target)
        google(doctor)
        _, found = doctor.findings("local")
        same("local: all programs", {"/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/bin/srun", "/usr/sbin/munged", "/sbin/ip"}
             - set(found), set())
        same("local is the default", doctor.run("--json").stdout, doctor.run("local", "--json").stdout)
        same("an unknown target", (doctor.run("moon").returncode, "known: local" in doctor.run("moon").stderr), (2, True))
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
