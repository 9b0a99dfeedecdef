#!/usr/bin/env python3
"""Compares the environment of tasks in Slurm with that of the same tasks in pods.

usage: job_environment.py compare SLURM PODS LOGIN [--launch]     folders with a file STEP.RANK of JSON for each task; LOGIN has the names of
                                                                  variables that a login on the cluster has
       job_environment.py scripts COUNT SEED FOLDER         writes random job scripts whose tasks run /home/show

What differs is printed, and the exit status is 1. Names of nodes and pods are different on purpose, and are compared by their order. Variables of
DIFFERENT are left out, each for the reason that is written there. With --launch, what frameworks read has to be the same, too.
"""
import json, pathlib, random, re, sys

DIFFERENT = {
    "of the login, or of the image": r"PATH|HOME|USER|LOGNAME|SHELL|SHLVL|_|LANG|LC_\w+|TERM|MAIL|TMPDIR|ENVIRONMENT|HOSTNAME|PWD|OLDPWD|"
                                     r"SLURM_JOB_(USER|UID|GID|GROUP)|SLURM_SUBMIT_(DIR|HOST)|SLURM_GET_USER_ENV|SLURM_UMASK|XDG_\w+",
    "addresses and files of Slurm's own programs": r"SLURM_(CONF|CLUSTER_NAME|WORKING_CLUSTER|LAUNCH_NODE_IPADDR|SRUN_COMM_\w+|STEP_LAUNCHER_PORT|"
                                                   r"TASK_PID|PRIO_PROCESS|NODE_ALIASES|TOPOLOGY_\w+|EXPORT_ENV|PMIXP?_\w+|MPI_TYPE)|SRUN_DEBUG|PMIX?_\w+|"
                                                   r"SLURM_JOB_(START_TIME|END_TIME|ACCOUNT|QOS)",
    "what a whole machine has, which a pod is not told": r"SLURM_(CPUS_ON_NODE|JOB_CPUS_PER_NODE\w*|MEM_PER_\w+|THREADS_PER_CORE|CPU_BIND\w*|OVERCOMMIT)",
    "how Slurm writes output and ends steps": r"SLURM_OPEN_MODE|SLURMD_DEBUG|SLURM_OOM_KILL_STEP",
    "how Slurm 26.05 numbers jobs, and shares their nodes": r"SLURM_JOB_(SLUID|EXCLUSIVE|OVERSUBSCRIBE)",
    "for mpirun, of Slurm 24.11 and its plugins for MPI": r"(I_MPI_)?HYDRA_\w+|(OMPI|PRTE)_MCA_(plm_slurm_args|orte_precondition_transports)",
    "for GPUs of other vendors": r"GPU_DEVICE_ORDINAL|ROCR_VISIBLE_DEVICES|ZE_AFFINITY_MASK",
    "the key of the bandwidth test, where there is no munge": r"SLIPWAY_RUN_KEY",
    "of the pod itself": r"JOBSET_NAME|JOB_INDEX|SLIPWAY_(JOB_FOLDER|ARRAY|STEPS_FILE|NCCL_(PROFILE|FOLDER)|PROGRESS)",
    "the note of nccl_env on what it has set": r"SLIPWAY_NCCL_ENV|SLURM_SPANK\w*|_?SLURM_SPANK\w*",
}
# What `slipway launch` sets for frameworks; srun in a pod always does, srun of Slurm does not.
FRAMEWORKS = (r"MASTER_(ADDR|PORT)|(LOCAL_|GROUP_|NODE_)?RANK|(LOCAL_|GROUP_)?WORLD_SIZE|NNODES|CROSS_\w+|LOCAL_SIZE|JAX_\w+|TORCHELASTIC_\w+|"
              r"JOB_COMPLETION_INDEX|SLIPWAY_RESTART_COUNT")
# Slurm repeats these only if the script asks for them.
REPEATED = "SLURM_NTASKS_PER_NODE"
# An exclusive job has the GPUs of its nodes in Slurm even if it does not ask for them; a pod has those that it asks for.
GPUS = r"NCCL_(NET|NET_PLUGIN|SOCKET_IFNAME)|SLURM_(JOB|STEP)_GPUS|CUDA_VISIBLE_DEVICES"
LAUNCHER = (r"SLIPWAY_\w+|SLURM_STEP_RESV_PORTS|PYTHONUNBUFFERED|SLURM_(JOB_NAME|DISTRIBUTION|GTIDS)|TORCHELASTIC_ERROR_FILE|"
            r"MASTER_PORT|JAX_COORDINATOR_(PORT|ADDRESS)")  # of its own step; ports are free ones


def with_node_numbers(value):
    """node0,node1 for Slurm's jobs-gpunodes-[0-1] and the pods' x-node-0-0.x,x-node-0-1.x."""
    value = re.sub(r"\b[\w-]+-node-\d+-(\d+)(\.[\w-]+)?\b", r"node\1", value)
    def listed(found):
        numbers = []
        for part in found[1].split(","):
            first, _, last = part.partition("-")
            numbers += range(int(first), int(last or first) + 1)
        return ",".join(f"node{number}" for number in numbers)
    value = re.sub(r"\b\w+-gpunodes-\[([\d,-]+)\]", listed, value)
    return re.sub(r"\b\w+-gpunodes-(\d+)\b", r"node\1", value)


def read(folder):
    return {path.name: json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).iterdir())}


def compare(slurm_folder, pods_folder, login, launch):
    slurm, pods = read(slurm_folder), read(pods_folder)
    lines = [] if sorted(slurm) == sorted(pods) else [f"tasks: {sorted(slurm)} in Slurm, {sorted(pods)} in pods"]
    of_login = [re.escape(name) for name in pathlib.Path(login).read_text().split() if not name.startswith("SLURM")]
    left_out = "|".join([*DIFFERENT.values(), *of_login, *([LAUNCHER] if launch else [])])
    for task in sorted(set(slurm) & set(pods)):
        ours, theirs = pods[task], slurm[task]
        for name in sorted(set(ours) | set(theirs)):
            if re.fullmatch(left_out, name):
                continue
            if name not in theirs and re.fullmatch(REPEATED if launch else f"{REPEATED}|{FRAMEWORKS}", name):
                continue
            if "SLURM_GPUS_ON_NODE" not in ours and re.fullmatch(GPUS, name):
                continue
            values = [None if side.get(name) is None else with_node_numbers(side[name]) for side in (theirs, ours)]
            if values[0] != values[1]:
                lines.append(f"{task} {name}: {values[0]!r} in Slurm, {values[1]!r} in pods")
    print(f"{len(slurm)} tasks", *lines, sep="\n")
    return 1 if lines or not slurm else 0


WORDS = ["plain", "two words", "it's", 'a "quote"', "dollar $HOME", "back\\slash", "star *", "a=b,c", "", "  blanks  ", "$$", "$(hostname)", "é"]


def quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"


def random_script(seed):
    rng = random.Random(seed)
    nodes, tasks = rng.randint(1, 3), rng.randint(1, 3)
    sizes = rng.choice([f"--nodes={nodes} --ntasks-per-node={tasks}", f"-N{nodes} -n {nodes * tasks}", f"--nodes {nodes} --ntasks {nodes * tasks}"])
    lines = ["#!/bin/bash", "#SLIPWAY --image=registry.example/test:1", f"#SBATCH --job-name=random{seed} {sizes}"]
    if rng.random() < 0.7:
        lines.append(rng.choice(["#SBATCH --gpus-per-node=2", "#SBATCH --gres=gpu:2"]))
    if rng.random() < 0.5:
        lines.append(f"#SBATCH --export=ALL,GIVEN={rng.choice(['one', 'a-b', '7'])}")
    if rng.random() < 0.3:
        lines.append(f"#SBATCH --time={rng.choice(['10', '1:00', '0-1'])} --requeue")
    lines.append(rng.choice(["set -euo pipefail", "set -e", ""]))
    for i in range(rng.randint(0, 5)):
        value = rng.choice([quoted(rng.choice(WORDS)), '"$((SLURM_JOB_ID % 7 + SLURM_NNODES))"', '"${GIVEN:-none}"', '"$SLURM_JOB_NAME"',
                            '"$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"', '"$SLURM_NTASKS-$SLURM_JOB_NUM_NODES"'])
        lines.append(rng.choice([f"export X{i}={value}", f"X{i}={value}\nexport X{i}", f"if [ \"$SLURM_NNODES\" -gt 1 ]; then export X{i}={value}; fi"]))
    if rng.random() < 0.4:
        lines.append("export NCCL_DEBUG=" + rng.choice(["WARN", "INFO"]))
    if rng.random() < 0.2:
        lines.append("export NCCL_SOCKET_IFNAME=lo")
    steps = []
    for i in range(rng.randint(1, 3)):
        assigned = rng.choice(["", f"STEP{i}={quoted(rng.choice(WORDS))} "])
        options = rng.choice(["", "--label ", "--kill-on-bad-exit=1 ", f"--ntasks-per-node={tasks} ", "-l ", f"-n {nodes * tasks} "])
        steps.append(f"{assigned}srun --mpi=none {options}{rng.choice(['python3 /home/show', '/home/show'])}")
    for step in steps:
        lines.append(rng.choice([step, f"run() {{\n  {step}\n}}\nrun", f"for i in 1; do\n  export ROUND=$i\n  {step}\ndone", f"( {step} )"]))
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1] == "compare":
        return compare(*sys.argv[2:5], "--launch" in sys.argv)
    folder = pathlib.Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(int(sys.argv[2])):
        (folder / f"random-{number}.sbatch").write_text(random_script(int(sys.argv[3]) * 1000 + number))
    return 0


if __name__ == "__main__":
    sys.exit(main())
