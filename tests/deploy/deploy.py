#!/usr/bin/env python3
"""Tests deployments with the real Terraform or Packer, with modules that need no cloud.

usage: deploy.py SLIPWAY terraform|interrupted|packer PROGRAM [CASE...]      interrupted: Terraform, at many points

Each case runs in its own folder. The `terraform` there is a shell script that counts the calls and runs the real one; it
can pause at a given call, so that slipway can be killed at any point.
"""
import concurrent.futures, os, pathlib, subprocess, sys, tempfile, time

import jsonschema

sys.dont_write_bytecode = True  # keep the source tree clean
from case import ROOT, Case, Failed
from packer_cases import PACKER
from terraform_cases import INTERRUPTED, TERRAFORM

sys.path.insert(0, str(ROOT / "tests/golden"))
from run import installed


def main():
    program, kind, real, names = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    known = {"terraform": TERRAFORM, "interrupted": INTERRUPTED, "packer": PACKER}[kind]
    cases = [case for case in known if not names or case.__name__ in names]
    kind = {"interrupted": "terraform"}.get(kind, kind)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(program, folder / "prefix")

        def check(case):
            begin = time.monotonic()
            try:
                case(lambda blueprint: Case(slipway, kind, real, folder / case.__name__, blueprint))
                problem = ""
            except (Failed, KeyError, IndexError, subprocess.TimeoutExpired, jsonschema.ValidationError) as error:
                problem = f"{type(error).__name__}: {error}\n"
            return problem, time.monotonic() - begin

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, (problem, seconds) in zip(cases, pool.map(check, cases)):
                failed += bool(problem)
                print(f"{'FAIL' if problem else 'ok  '} {case.__name__.replace('_', ' ')} ({seconds:.1f} s)\n{problem}", end="")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
