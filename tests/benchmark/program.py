"""Runs of a program, measured, and the blueprints of the examples."""
import os, pathlib, subprocess, time


def run(command):
    """Exit status, seconds and memory in MB of one run; what it prints is thrown away."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    return status, time.monotonic() - begin, usage.ru_maxrss / 1024


def examples(folder):
    """Name of each blueprint of a folder, and the words with which a command takes it."""
    for blueprint in sorted(pathlib.Path(folder).glob("*.yaml")):
        if blueprint.name.endswith("-deployment.yaml"):
            continue
        values = blueprint.with_name(blueprint.stem + "-deployment.yaml")
        yield blueprint.name, [str(blueprint), *(["-d", str(values)] if values.exists() else [])]
