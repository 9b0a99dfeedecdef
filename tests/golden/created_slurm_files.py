#!/usr/bin/env python3
"""Writes Slurm's files with `slipway create` for a slurmctld on this machine: created_slurm_files.py SLIPWAY BLUEPRINT FOLDER

Uses the deployment file next to the blueprint, if it exists. Changes only what this machine does not have: paths, the user
slurm, and the programs that start and stop machines.
"""
import pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import installed

program, blueprint, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
deployment = blueprint.with_name(f"{blueprint.stem}-deployment.yaml")
with tempfile.TemporaryDirectory() as name:
    slipway = installed(program, pathlib.Path(name) / "prefix")
    words = ["-d", deployment] if deployment.exists() else []
    subprocess.run([slipway, "create", blueprint, *words, "-o", name], check=True, capture_output=True)
    [written] = pathlib.Path(name).glob("*/*/*/slurm")
    for path in written.iterdir():
        text = path.read_text()
        for key, value in {"SlurmUser": "root", "StateSaveLocation": folder / "state", "SlurmdSpoolDir": folder / "spool",
                           "SlurmctldLogFile": folder / "slurmctld.log", "SlurmdLogFile": folder / "slurmd.log",
                           "SlurmctldPidFile": folder / "slurmctld.pid", "SlurmdPidFile": folder / "slurmd.pid",
                           "PlugStackConfig": folder / "plugstack.conf", r"(?:Resume|Suspend|ResumeFail)Program": "/bin/true",
                           }.items():
            text = re.sub(rf"^({key})=.*", rf"\1={value}", text, flags=re.M)
        # There is no slurmdbd beside it.
        text = re.sub(r"^(AccountingStor|JobAcct).*\n", "", text, flags=re.M)
        # Newer than Debian's 22.05.
        text = text.replace(" PowerDownOnIdle=YES", "")
        (folder / path.name).write_text(text)
