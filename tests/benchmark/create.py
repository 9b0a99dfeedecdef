#!/usr/bin/env python3
"""How long `slipway create` takes: create.py SLIPWAY EXAMPLES_FOLDER

The shipped examples that can be created, A3 Mega with 256 nodes, then blueprints of N networks and N file systems in them. Each row is the median
of several runs of the whole program, with the files on the disk; the memory is the largest of them. A row that is above
its limit makes the program fail.
"""
import pathlib, re, statistics, sys, tempfile

sys.dont_write_bytecode = True  # not into the source tree
from program import examples, run

SIZES = (100, 200, 400)
RUNS = 9
LIMIT_EXAMPLE_S, LIMIT_MEGA_S, LIMIT_LARGEST_S = 0.05, 0.06, 1.5
MEGA, MEGA_NODES = "a3-megagpu", 256


def wide(pairs):
    text = """blueprint_name: wide
vars: {deployment_name: wide, project_id: my-project, region: us-central1, zone: us-central1-a}
deployment_groups:
- group: primary
  modules:
  - {id: network, source: modules/network/vpc}
  - {id: homefs, source: modules/file-system/filestore, use: [network], settings: {local_mount: /home}}
"""
    for i in range(pairs):
        text += f"""  - {{id: net{i}, source: modules/network/vpc, settings: {{network_name: net-{i}, subnetwork_name: sub-{i}}}}}
  - id: fs{i}
    source: modules/file-system/filestore
    use: [net{i}]
    settings: {{name: fs-{i}, local_mount: /fs{i}}}
"""
    return text


def mega(blueprints, folder):
    """The words for the example of A3 Mega, with that many nodes."""
    values = (pathlib.Path(blueprints) / f"{MEGA}-deployment.yaml").read_text()
    larger = re.sub(r"nodes: \d+", f"nodes: {MEGA_NODES}", values)
    if larger == values:
        sys.exit(f"the example {MEGA} has no `nodes: N` to change")
    copy = pathlib.Path(folder) / "mega.yaml"
    copy.write_text(larger)
    return [str(pathlib.Path(blueprints) / f"{MEGA}.yaml"), "-d", str(copy)]


def once(command, folder):
    """Seconds and memory in MB of one run; nothing when it fails. What it wrote stays: ext4 takes its time to make
    files where others were deleted a moment ago."""
    out = tempfile.mkdtemp(dir=folder)
    status, seconds, memory = run([*command, "-o", out])
    return (seconds, memory) if status == 0 else None


def row(name, command, folder, limit, is_example=False):
    """Prints a row; whether it keeps to its limit, as an example that cannot be created yet does."""
    runs = [once(command, folder) for _ in range(RUNS)]
    if None in runs:
        print(f"{name:<34} {'it has modules that cannot be created yet':>9}")
        return is_example
    seconds = statistics.median(run[0] for run in runs)
    memory = max(run[1] for run in runs)
    print(f"{name:<34} {seconds:9.3f} {memory:6.1f} {limit or '':>7}")
    return not limit or seconds <= limit


def main():
    slipway, blueprints = sys.argv[1:]
    kept = True
    print(f"{'blueprint':<34} {'create s':>9} {'MB':>6} {'limit s':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, words in examples(blueprints):
            kept &= row(name, [slipway, "create", *words], folder, LIMIT_EXAMPLE_S, is_example=True)
        kept &= row(f"{MEGA}, {MEGA_NODES} nodes", [slipway, "create", *mega(blueprints, folder)], folder, LIMIT_MEGA_S)
        for pairs in SIZES:
            blueprint = pathlib.Path(folder) / "wide.yaml"
            blueprint.write_text(wide(pairs))
            limit = LIMIT_LARGEST_S if pairs == SIZES[-1] else None
            kept &= row(f"{2 * pairs + 2} modules", [slipway, "create", str(blueprint)], folder, limit)
    return 0 if kept else 1


sys.exit(main())
