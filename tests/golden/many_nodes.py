#!/usr/bin/env python3
"""A blueprint with 16,384 nodes in 64 partitions: many_nodes.py SLIPWAY FOLDER

Writes its Slurm files to FOLDER, as created_slurm_files.py does, for a slurmctld that must accept them. Before, it checks what a
person reads: one line for each nodeset, of any size, and quotas that name 64 modules as one list.
"""
import json, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import installed

PARTITIONS, NODES = 64, 256

PARTITION = """
  - id: nodes{0}
    source: community/modules/compute/schedmd-slurm-gcp-v6-nodeset
    use: [network]
    settings: {{name: set{0}, machine_type: c2-standard-60, node_count_dynamic_max: {1}}}
  - id: partition{0}
    source: community/modules/compute/schedmd-slurm-gcp-v6-partition
    use: [nodes{0}]
    settings: {{partition_name: part{0}, is_default: {2}}}"""

BLUEPRINT = """blueprint_name: many
vars: {deployment_name: many, project_id: my-project, region: us-central1, zone: us-central1-a}
deployment_groups:
- group: primary
  modules:
  - id: network
    source: modules/network/vpc
    settings: {default_primary_subnetwork_size: 4, network_address_range: 10.0.0.0/9}""" + "".join(
    PARTITION.format(i, NODES, str(i == 0).lower()) for i in range(PARTITIONS)) + f"""
  - id: controller
    source: community/modules/scheduler/schedmd-slurm-gcp-v6-controller
    use: [network, {", ".join(f"partition{i}" for i in range(PARTITIONS))}]
"""


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        slipway = installed(program, pathlib.Path(name) / "prefix")
        blueprint = pathlib.Path(name) / "many.yaml"
        blueprint.write_text(BLUEPRINT)
        said = output(slipway, "check", blueprint, "--target=google")
        assert said.endswith(f": {2 * PARTITIONS + 2} modules in 1 group, 0 errors, 0 warnings\n"), said
        amounts = {need["quota"]: need["needed"] for need in json.loads(output(slipway, "quota", blueprint, "--format=json"))["quotas"]}
        assert amounts["INSTANCES"] == PARTITIONS * NODES + 1, amounts
        long = [line for line in output(slipway, "quota", blueprint).splitlines() if len(line) > 120]
        assert not long, long
        output(sys.executable, pathlib.Path(__file__).with_name("created_slurm_files.py"), program, blueprint, folder)
    conf = (folder / "slurm.conf").read_text()
    assert len(re.findall(r"^NodeName=many-set\d+-\[0-255\] ", conf, re.M)) == PARTITIONS, conf
    assert len(conf.splitlines()) < 6 * PARTITIONS, conf


main()
