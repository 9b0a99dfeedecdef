#!/usr/bin/env python3
"""How long `slipway expand` and `slipway check` take: compiler.py SLIPWAY EXAMPLES_FOLDER

First the shipped examples, then blueprints of N nodesets, N partitions, a network and a controller. Each row is
the median of several runs of the whole program; the memory is the largest of them. `growth` is the time over that of
the row above: twice the modules should take twice the time.
"""
import statistics, sys, tempfile

sys.dont_write_bytecode = True  # not into the source tree
from program import examples, run

SIZES = (100, 200, 400, 800)
RUNS = 9


def wide(pairs):
    text = """blueprint_name: wide
vars: {deployment_name: wide, project_id: my-project, region: us-central1, zone: us-central1-a}
deployment_groups:
- group: primary
  modules:
  - {id: network, source: modules/network/vpc}
"""
    for i in range(pairs):
        text += f"""  - id: nodeset{i}
    source: community/modules/compute/schedmd-slurm-gcp-v6-nodeset
    use: [network]
    settings: {{name: n{i}, machine_type: n2-standard-4, node_count_static: 1, node_count_dynamic_max: 0}}
  - id: partition{i}
    source: community/modules/compute/schedmd-slurm-gcp-v6-partition
    use: [nodeset{i}]
    settings: {{partition_name: p{i}}}
"""
    uses = ", ".join(f"partition{i}" for i in range(pairs))
    return text + f"""  - id: controller
    source: community/modules/scheduler/schedmd-slurm-gcp-v6-controller
    use: [network, {uses}]
"""


def measure(*command):
    """Median seconds, and the most memory in MB, of running a command that must succeed."""
    seconds, memory = [], 0
    for _ in range(RUNS):
        status, took, used = run(command)
        if status != 0:
            sys.exit(f"failed: {' '.join(command)}")
        seconds.append(took)
        memory = max(memory, used)
    return statistics.median(seconds), memory


def main():
    slipway, folder = sys.argv[1:]
    print(f"{'blueprint':<34} {'expand s':>9} {'MB':>6} {'growth':>7} {'check s':>8}")
    for name, words in examples(folder):
        seconds, memory = measure(slipway, "expand", *words)
        checked, _ = measure(slipway, "check", *words, "--vars", "project_id=my-project")
        print(f"{name:<34} {seconds:9.3f} {memory:6.1f} {'':7} {checked:8.3f}")
    before = None
    for pairs in SIZES:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as blueprint:
            blueprint.write(wide(pairs))
            blueprint.flush()
            seconds, memory = measure(slipway, "expand", blueprint.name)
        growth = f"{seconds / before:6.2f}x" if before else ""
        before = seconds
        print(f"{f'{2 * pairs + 2} modules':<34} {seconds:9.3f} {memory:6.1f} {growth:>7}")


main()
