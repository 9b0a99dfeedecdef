#!/usr/bin/env python3
"""Custom jobs of Vertex AI against the descriptions of their messages: usage: vertex.py (tests itself)

vertex_messages.yaml has the fields. What it does not know, and Vertex refuses: pool 0 has one replica, a container at most 100 variables.
"""
import pathlib, re, sys

import yaml

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same

MESSAGES = yaml.safe_load((pathlib.Path(__file__).parent / "vertex_messages.yaml").read_text())
SCALARS = {"string": lambda v: isinstance(v, str), "bool": lambda v: isinstance(v, bool),
           "int32": lambda v: isinstance(v, int) and not isinstance(v, bool),
           "int64": lambda v: isinstance(v, str) and re.fullmatch(r"-?\d+", v),
           "Duration": lambda v: isinstance(v, str) and re.fullmatch(r"\d+(\.\d+)?s", v),
           "Timestamp": lambda v: isinstance(v, str)}


def wrong(value, kind="CustomJob", at="job"):
    """What of a value is not of its type, as lines."""
    if kind.startswith("repeated "):
        if not isinstance(value, list):
            return [f"{at}: not a list"]
        return [line for i, each in enumerate(value) for line in wrong(each, kind.removeprefix("repeated "), f"{at}[{i}]")]
    if kind.startswith("map "):
        if not isinstance(value, dict):
            return [f"{at}: not a mapping"]
        return [line for key, each in value.items() for line in wrong(each, kind.removeprefix("map "), f"{at}.{key}")]
    if kind in SCALARS:
        return [] if SCALARS[kind](value) else [f"{at}: {value!r} is not of type {kind}"]
    message = MESSAGES[kind]
    if isinstance(message, list):
        return [] if value in message else [f"{at}: {value!r} is not one of {kind}"]
    if not isinstance(value, dict):
        return [f"{at}: not a {kind}"]
    lines = [f"{at}: {kind} has no field {key}" for key in value if key not in message]
    return lines + [line for key, each in value.items() if key in message for line in wrong(each, message[key], f"{at}.{key}")]


def rules(job):
    """What the messages do not say."""
    pools = job["jobSpec"]["workerPoolSpecs"]
    lines = [] if pools[0]["replicaCount"] == "1" else ["pool 0 has not exactly one replica"]
    for pool in pools:
        if len(pool["containerSpec"].get("env", [])) > 100:
            lines.append("more than 100 variables")
        if not pool["containerSpec"].get("imageUri"):
            lines.append("a container without an image")
    if len({pool["machineSpec"]["machineType"] for pool in pools}) != 1:
        lines.append("machines differ")
    return lines


def main():
    job = {"displayName": "x", "jobSpec": {"workerPoolSpecs": [{"machineSpec": {"machineType": "n2-standard-4", "acceleratorType": "NVIDIA_L4"},
           "replicaCount": "1", "containerSpec": {"imageUri": "a", "env": [{"name": "A", "value": "1"}]}}], "scheduling": {"timeout": "60s"}}}
    same("a right job", wrong(job) + rules(job), [])
    for path, value, expected in (
            (("displayNmae",), "x", "job: CustomJob has no field displayNmae"),
            (("jobSpec", "scheduling", "timeout"), 60, "job.jobSpec.scheduling.timeout: 60 is not of type Duration"),
            (("jobSpec", "scheduling", "strategy"), "CHEAP", "job.jobSpec.scheduling.strategy: 'CHEAP' is not one of Scheduling.Strategy"),
            (("jobSpec", "workerPoolSpecs"), {}, "job.jobSpec.workerPoolSpecs: not a list"),
            (("jobSpec", "workerPoolSpecs"), [{"replicaCount": 1}], "job.jobSpec.workerPoolSpecs[0].replicaCount: 1 is not of type int64"),
            (("jobSpec", "scheduling", "disableRetries"), "yes", "job.jobSpec.scheduling.disableRetries: 'yes' is not of type bool")):
        broken = yaml.safe_load(yaml.safe_dump(job))
        at = broken
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        same(".".join(path), wrong(broken), [expected])
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
