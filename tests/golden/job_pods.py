#!/usr/bin/env python3
"""Runs converted jobs without Kubernetes: usage: job_pods.py SLIPWAY BANDWIDTH_PERF

Each pod of a manifest is a process with the pod's environment and files. That is all it takes from Kubernetes: images, volumes, limits and
restarts are not interpreted. Names of pods are in a hosts file of their own, as the headless service of a JobSet would resolve them. Replicas of
Vertex AI have what its documentation says that they have: CLUSTER_SPEC, MASTER_ADDR, RANK and WORLD_SIZE, which count replicas.
"""
import json, os, pathlib, re, subprocess, sys, tempfile

import yaml

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same
from run import ROOT, installed

SECRETS = {"key": "0123456789abcdef" * 4}


class Manifest:
    def __init__(self, text, folder):
        config, self.jobset = yaml.safe_load_all(text)
        self.folder = folder / "job"
        self.folder.mkdir()
        for name, data in config["data"].items():
            (self.folder / name).write_text(data)
            (self.folder / name).chmod(0o555)
        self.name = self.jobset["metadata"]["name"]
        self.job = self.jobset["spec"]["replicatedJobs"][0]
        self.spec = self.job["template"]["spec"]
        self.container = self.spec["template"]["spec"]["containers"][0]

    def names(self):
        return [f"{self.name}-node-{replica}-{index}.{self.name}" for replica in range(self.job["replicas"])
                for index in range(self.spec["completions"])]

    def environment(self, replica, index):
        labels = {"jobset.sigs.k8s.io/jobset-name": self.name, "jobset.sigs.k8s.io/job-index": str(replica),
                  "jobset.sigs.k8s.io/replicatedjob-replicas": str(self.job["replicas"]), "jobset.sigs.k8s.io/restart-attempt": "0",
                  "batch.kubernetes.io/job-completion-index": str(index)}
        found = {"PATH": os.environ["PATH"], "HOME": "/root", "JOB_COMPLETION_INDEX": str(index)}
        for one in self.container["env"]:
            source = one.get("valueFrom", {})
            if "fieldRef" in source:
                found[one["name"]] = labels[source["fieldRef"]["fieldPath"].split("'")[1]]
            elif "secretKeyRef" in source:
                found[one["name"]] = SECRETS[source["secretKeyRef"]["key"]]
            else:
                found[one["name"]] = expand(one["value"], found)
        return found

    def run(self, folder):
        """Starts all pods; (exit status, output) of each."""
        hosts = folder / "hosts"
        hosts.write_text("127.0.0.1 localhost\n" + "".join(f"127.0.0.1 {name}\n" for name in self.names()))
        started = []
        for replica in range(self.job["replicas"]):
            for index in range(self.spec["completions"]):
                here = folder / f"pod-{replica}-{index}"
                here.mkdir()
                environment = {**self.environment(replica, index), "SLIPWAY_JOB_FOLDER": str(self.folder),
                               "SLIPWAY_STEPS_FILE": str(here / "steps")}
                command = [word.replace("/slipway/job", str(self.folder)) for word in self.container["command"]]
                command += [expand(word, environment) for word in self.container.get("args", [])]
                started.append(start_with_hosts(hosts, command, here, environment))
        return [(output, pod.returncode) for pod in started for output in [pod.communicate(timeout=120)[0]]]


def expand(text, environment):
    """Replaces $(NAME) and $$ in an argument, as Kubernetes does."""
    return re.sub(r"\$\$|\$\(([^)]*)\)", lambda found: "$" if found[0] == "$$" else environment.get(found[1], found[0]), text)


class CustomJob:
    """The same interface for a job of Vertex AI."""

    def __init__(self, text, folder):
        self.pools = yaml.safe_load(text)["jobSpec"]["workerPoolSpecs"]
        self.folder = folder / "files"

    def replicas(self):
        return [(pool, index) for pool, spec in enumerate(self.pools) for index in range(int(spec["replicaCount"]))]

    def environment(self, pool, index):
        cluster = {f"workerpool{number}": [f"job-workerpool{number}-x-{each}:2222" for each in range(int(spec["replicaCount"]))]
                   for number, spec in enumerate(self.pools)}
        spec = {"cluster": cluster, "environment": "cloud", "task": {"type": f"workerpool{pool}", "index": index, "trial": ""},
                "job": json.dumps({"worker_pool_specs": [], "task": {"type": "workerpool7", "index": 7}})}
        found = {"PATH": os.environ["PATH"], "HOME": "/root", "CLUSTER_SPEC": json.dumps(spec), "MASTER_ADDR": cluster["workerpool0"][0].split(":")[0],
                 "MASTER_PORT": "2222", "RANK": str(pool + index), "WORLD_SIZE": str(len(self.replicas())), "CLOUD_ML_JOB_ID": "1234"}
        return {**found, **{one["name"]: expand(one["value"], found) for one in self.pools[pool]["containerSpec"]["env"]}}

    def run(self, folder):
        hosts = folder / "hosts"
        hosts.write_text("127.0.0.1 localhost\n" + "".join(
            f"127.0.0.1 job-workerpool{pool}-x-{index}\n" for pool, index in self.replicas()))
        started = []
        for pool, index in self.replicas():
            here = folder / f"replica-{pool}-{index}"
            here.mkdir()
            environment = {**self.environment(pool, index), "SLIPWAY_JOB_FOLDER": str(here / "job"), "SLIPWAY_STEPS_FILE": str(here / "steps")}
            container = self.pools[pool]["containerSpec"]
            words = [expand(word, environment) for word in [*container["command"], *container["args"]]]
            started.append(start_with_hosts(hosts, words, here, environment))
        return [(output, pod.returncode) for pod in started for output in [pod.communicate(timeout=120)[0]]]


def start_with_hosts(hosts, words, folder, environment):
    inside = ["sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', str(hosts), *words]
    maps = [] if os.geteuid() == 0 else ["--map-root-user"]
    return subprocess.Popen(["unshare", *maps, "--mount", *inside], cwd=folder, env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def convert(slipway, script, folder, *options, arguments=(), made=Manifest):
    done = subprocess.run([slipway, "job", "convert", *options, script, *arguments], capture_output=True, text=True, timeout=60)
    same(f"{script.name}: exit status", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
    return made(done.stdout, folder)


TASKS = """#!/bin/bash
#SLIPWAY --image=registry.example/test:1
#SBATCH --job-name=tasks --nodes=3 --ntasks-per-node=2
#SBATCH --export=ALL,FROM_EXPORT=yes
set -euo pipefail
MASTER_PORT=$((29500 + SLURM_JOB_ID % 1000))
FIRST=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT FIRST
exec srun --label --mpi=none --kill-on-bad-exit=1 python3 -c 'import json, os; print(json.dumps(dict(os.environ)))'
"""


def tasks(slipway, folder):
    script = folder / "tasks.sbatch"
    script.write_text(TASKS)
    results = convert(slipway, script, folder).run(folder)
    same("tasks: exit statuses", [code for _, code in results], [0, 0, 0])
    found = {}
    for output, _ in results:
        for line in output.splitlines():
            rank, _, text = line.partition(": ")
            found[int(rank)] = json.loads(text)
    same("tasks: labels", sorted(found), list(range(6)))
    check_tasks(found, [f"tasks-node-0-{node}.tasks" for node in range(3)])


def check_tasks(found, names):
    """The variables of six tasks on three nodes."""
    for rank, environment in found.items():
        expected = {"SLURM_PROCID": rank, "SLURM_LOCALID": rank % 2, "SLURM_NODEID": rank // 2, "SLURM_NTASKS": 6, "SLURM_NNODES": 3,
                    "SLURM_STEP_NUM_TASKS": 6, "SLURM_STEP_ID": 0, "SLURM_TASKS_PER_NODE": "2(x3)", "SLURM_JOB_NAME": "tasks",
                    "RANK": rank, "LOCAL_RANK": rank % 2, "WORLD_SIZE": 6, "MASTER_ADDR": names[0],
                    "MASTER_PORT": 29500 + int(environment["SLURM_JOB_ID"]) % 1000, "FIRST": names[0],
                    "SLURMD_NODENAME": names[rank // 2], "FROM_EXPORT": "yes", "NODE_RANK": rank // 2,
                    "SLURM_JOB_NODELIST": ",".join(names)}
        same(f"rank {rank}", {name: environment.get(name) for name in expected}, {name: str(value) for name, value in expected.items()})


def vertex(slipway, folder):
    script = folder / "tasks.sbatch"
    script.write_text(TASKS)
    results = convert(slipway, script, folder, "--to", "vertex", "--machine-type", "n2-standard-4", made=CustomJob).run(folder)
    same("vertex: exit statuses", [code for _, code in results], [0, 0, 0])
    found = {int(rank): json.loads(text) for output, _ in results for rank, _, text in (line.partition(": ") for line in output.splitlines())}
    same("vertex: ranks", sorted(found), list(range(6)))
    check_tasks(found, ["job-workerpool0-x-0", "job-workerpool1-x-0", "job-workerpool1-x-1"])


DOLLARS = """#!/bin/bash
#SLIPWAY --image=registry.example/test:1
#SBATCH --nodes=2
price='$$ and $(SLURM_JOB_ID) and $(hostname)'
srun echo "$price" "$1" "$([ $$ -gt 0 ] && echo "$(echo a number)")" "$2"
"""


def dollars(slipway, folder):
    """What a platform would replace in arguments stays."""
    script = folder / "dollars.sbatch"
    script.write_text(DOLLARS)
    words = ["$(SLURM_JOB_ID) $$ $(HOME)", "it's $x"]
    expected = f"$$ and $(SLURM_JOB_ID) and $(hostname) {words[0]} a number {words[1]}\n"
    for name, made, options in (("jobset", Manifest, []), ("vertex", CustomJob, ["--to", "vertex", "--machine-type", "n2-standard-4"])):
        here = folder / name
        here.mkdir()
        results = convert(slipway, script, here, *options, arguments=words, made=made).run(here)
        same(f"dollars: {name}", results, [(expected, 0), (expected, 0)])


SLICES = """#!/bin/bash
#SLIPWAY --image=registry.example/test:1 --machine-type=ct5p-hightpu-4t --topology=2x2x2
#SBATCH --job-name=slices --nodes=6
srun python3 -c 'import json, os; print(json.dumps(dict(os.environ)))'
"""


def slices(slipway, folder):
    """Three slices of two machines each: whole, with one coordinator, and ranks in the order of slices and machines."""
    script = folder / "slices.sbatch"
    script.write_text(SLICES)
    results = convert(slipway, script, folder).run(folder)
    same("slices: exit statuses", [code for _, code in results], [0] * 6)
    for rank, (output, _) in enumerate(results):
        environment, number = json.loads(output), rank // 2
        names = [f"slices-node-{number}-{machine}.slices" for machine in range(2)]
        expected = {"SLURM_PROCID": str(rank), "SLURM_NNODES": "6", "MEGASCALE_NUM_SLICES": "3", "MEGASCALE_SLICE_ID": str(number),
                    "MEGASCALE_COORDINATOR_ADDRESS": "slices-node-0-0.slices", "MASTER_ADDR": "slices-node-0-0.slices",
                    "TPU_WORKER_ID": str(rank % 2), "TPU_WORKER_HOSTNAMES": ",".join(names), "SLURMD_NODENAME": names[rank % 2]}
        same(f"slices: rank {rank}", {name: environment.get(name) for name in expected}, expected)


ARRAY = """#!/bin/bash
#SLIPWAY --image=registry.example/test:1
#SBATCH --array=3-9:3
steps=$(srun echo "$SLURM_ARRAY_TASK_ID $SLURM_ARRAY_TASK_COUNT $1")
echo "$steps"
srun sh -c 'exit $((SLURM_ARRAY_TASK_ID / 9 * 7))'
"""


def array(slipway, folder):
    script = folder / "array.sbatch"
    script.write_text(ARRAY)
    done = subprocess.run([slipway, "job", "convert", script, "an argument"], capture_output=True, text=True, timeout=60)
    results = Manifest(done.stdout, folder).run(folder)
    same("array", results, [("3 3 an argument\n", 0), ("6 3 an argument\n", 0), ("9 3 an argument\n", 7)])


def one_task_fails(slipway, folder):
    script = folder / "fails.sbatch"
    script.write_text("#!/bin/bash\n#SLIPWAY --image=a.example/b:1\n#SBATCH --ntasks=3\n"
                      "srun sh -c 'if [ \"$SLURM_PROCID\" = 1 ]; then exit 5; fi; exec sleep 100'\n")
    (output, code), = convert(slipway, script, folder).run(folder)
    same("a failed task ends the others", (output, code), ("", 5))


def bandwidth(slipway, folder, program):
    examples, programs = ROOT / "examples/bandwidth", folder / "programs"
    programs.mkdir()
    for name in ("all_gather_perf", "all_reduce_perf"):
        (programs / name).symlink_to(program)
    manifest = convert(slipway, examples / "cpu.sbatch", folder, "--image", "a.example/slipway:1", "--env", f"BANDWIDTH_PROGRAMS={programs}",
                       "--env", f"BANDWIDTH_EXAMPLES={examples}", "--env", "BANDWIDTH_SIZES=-b 1K -e 16K -f 4 -n 2")
    results = manifest.run(folder)
    same("bandwidth: exit statuses", [code for _, code in results], [0, 0])
    first = results[0][0]
    same("bandwidth: verdicts", first.count("# Verdict: "), 2)
    same("bandwidth: both collectives", ["all_gather" in first, "all_reduce" in first], [True, True])
    report = folder / f"pod-0-0/cpu_all_gather_{manifest.environment(0, 0)['SLURM_JOB_ID']}.json"
    same("bandwidth: ranks of the report", json.loads(report.read_text())["rank_count"] if report.exists() else None, 2)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(sys.argv[1], folder / "prefix")
        for test, arguments in ((tasks, []), (vertex, []), (dollars, []), (slices, []), (array, []), (one_task_fails, []), (bandwidth, [pathlib.Path(sys.argv[2]).resolve()])):
            here = folder / test.__name__
            here.mkdir()
            test(slipway, here, *arguments)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
