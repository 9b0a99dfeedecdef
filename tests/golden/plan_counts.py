#!/usr/bin/env python3
"""Checks what `slipway plan` says without Terraform: usage: plan_counts.py SLIPWAY

A cluster is created, and its definitions are taken as deployed. Each case changes the blueprint as people do, and names what
Terraform and the provider do about it: what they add, change in place, replace because of an attribute, and destroy.
"""
import hashlib, json, os, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import installed

BLUEPRINT = """
blueprint_name: plan
vars: {deployment_name: plan, project_id: my-project, region: us-central1, zone: us-central1-a, labels: {team: one}}
deployment_groups:
- group: primary
  modules:
  - {id: network, source: modules/network/vpc, settings: {mtu: 1500}}
  - {id: files, source: modules/file-system/filestore, use: [network], settings: {local_mount: /home}}
  - id: nodes
    source: community/modules/compute/schedmd-slurm-gcp-v6-nodeset
    use: [network]
    settings: {machine_type: n2-standard-4, node_count_static: 4}
  - {id: cpu, source: community/modules/compute/schedmd-slurm-gcp-v6-partition, use: [nodes], settings: {partition_name: cpu}}
  - {id: login, source: community/modules/scheduler/schedmd-slurm-gcp-v6-login, use: [network]}
  - {id: controller, source: community/modules/scheduler/schedmd-slurm-gcp-v6-controller, use: [network, files, cpu, login]}
  - {id: machine, source: modules/compute/vm-instance, use: [network], settings: {name_prefix: other}}
  - {id: gke, source: modules/scheduler/gke-cluster, use: [network]}
  - {id: pool, source: modules/compute/gke-node-pool, use: [gke], settings: {name: cpu, machine_type: c3-standard-8}}
"""
TEMPLATE = "google_compute_instance_template.{}"
NODES, LOGIN, CONTROLLER = (TEMPLATE.format(name) for name in ("nodes", "login", "controller"))

# What changes in the blueprint: the text and its replacement; then what must happen, by action. Addresses may be patterns.
CASES = {
    "more nodes": (("node_count_static: 4", "node_count_static: 8"), {}),
    "another machine type of the nodes": (("n2-standard-4", "n2-standard-8"), {NODES: "machine_type"}),
    "another image of the nodes": (
        ("n2-standard-4,", "n2-standard-4, instance_image: {project: my-project, family: mine},"),
        {NODES: "disk"}),
    "a label of everything": (("team: one", "team: two"), {
        NODES: "disk, labels", LOGIN: "disk, labels", CONTROLLER: "disk, labels",
        r"google_compute_instance_from_template.login_node_plan-login-001": "source_instance_template",
        r"google_compute_instance_from_template.controller": "source_instance_template"}),
    "a network's MTU": (("mtu: 1500", "mtu: 8896"), {}),
    "a network's name": (("mtu: 1500", "mtu: 1500, network_name: other"), {
        "google_compute_network.network": "name", "google_compute_subnetwork.*": "network", "google_compute_router.*": ".*network.*",
        "google_compute_router_nat.*": ".*", "google_compute_firewall.*": ".*name.*", "google_compute_address.*": ".*",
        "google_filestore_instance.files": "networks", NODES: "network_interface", LOGIN: "network_interface",
        CONTROLLER: "network_interface", "google_compute_instance_from_template.*": "source_instance_template",
        "google_container_cluster.gke": "network, subnetwork", "google_container_node_pool.*": "cluster",
        }),
    "another machine type of a pool": (("c3-standard-8", "c3-standard-22"), {}),
    "Spot VMs in a pool": (("c3-standard-8", "c3-standard-8, spot: true"), {"google_container_node_pool.pool_0": "node_config.spot"}),
    "more pods on a node": (("c3-standard-8", "c3-standard-8, max_pods_per_node: 64"), {
        "google_container_node_pool.pool_0": "max_pods_per_node"}),
    "a cluster's data plane": (("use: [network]}\n  - {id: pool", "use: [network], settings: {enable_dataplane_v2: true}}\n  - {id: pool"), {
        "google_container_cluster.gke": "datapath_provider", "google_container_node_pool.*": "cluster"}),
    "a larger share": (("local_mount: /home", "local_mount: /home, size_gb: 5120"), {}),
    "another tier": (("local_mount: /home", "local_mount: /home, filestore_tier: ZONAL"), {"google_filestore_instance.files": "tier"}),
    "another machine type of a machine": (("name_prefix: other", "name_prefix: other, machine_type: n2-standard-8"), {}),
    "another reservation of a machine": (
        ("name_prefix: other", "name_prefix: other, reservation_name: mine"), {"google_compute_instance.machine.*": "reservation_affinity"}),
    "a machine's faster network": (
        ("name_prefix: other", "name_prefix: other, machine_type: n2-standard-32, bandwidth_tier: tier_1_enabled"), {
            "google_compute_instance.machine.*": "network_interface.nic_type, network_performance_config"}),
    "another boot disk of a machine": (
        ("name_prefix: other", "name_prefix: other, disk_size_gb: 300"), {
            "google_compute_instance.machine.*": "boot_disk"}),
}


class Plans:
    def __init__(self, slipway, folder):
        self.slipway, self.folder = slipway, folder
        (folder / "blueprint.yaml").write_text(BLUEPRINT)
        self.run("create", "blueprint.yaml")
        self.take_as_deployed()

    def run(self, *words):
        done = subprocess.run([self.slipway, *words], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "NO_COLOR": "1"})
        if done.returncode != 0:
            raise SystemExit(f"{words}: {done.stderr}")
        return done.stdout

    def take_as_deployed(self):
        """Writes what a deploy keeps of the definitions."""
        group = self.folder / "plan/primary"
        files = [path for path in sorted(group.rglob("*")) if path.is_file()]
        (self.folder / "plan/.slipway/applied").mkdir()
        (self.folder / "plan/.slipway/applied/primary.json").write_text(json.dumps({
            "schema": "slipway/applied/1", "group": "primary", "kind": "terraform",
            "documents": {path.name: json.loads(path.read_text()) for path in files if path.name.endswith(".tf.json")},
            "digests": {str(path.relative_to(group)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}}))

    def changes(self, old, new):
        if old not in BLUEPRINT:
            raise SystemExit(f"{old!r} is not in the blueprint")
        (self.folder / "blueprint.yaml").write_text(BLUEPRINT.replace(old, new))
        document = json.loads(self.run("plan", "blueprint.yaml", "--json"))
        return {change["address"]: change for group in document["groups"] for change in group["changes"]}


def problems(plans, edit, replaced):
    changes = plans.changes(*edit)
    if not changes:
        yield "nothing changes"
    got = {address: change.get("because_of", "") for address, change in changes.items() if change["action"] == "replace"}
    for address, because in got.items():
        if not any(re.fullmatch(name, address) and re.fullmatch(why, because) for name, why in replaced.items()):
            yield f"{address} is replaced because of {because}"
    for name in replaced:
        if not any(re.fullmatch(name, address) for address in got):
            yield f"{name} is not replaced: {json.dumps(changes.get(name, 'no change'))}"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plans = Plans(installed(sys.argv[1], folder / "prefix"), folder)
        if plans.changes("", "") != {}:
            failed += 1
            print(f"FAIL no change: {plans.changes('', '')}")
        for case, (edit, replaced) in CASES.items():
            found = list(problems(plans, edit, replaced))
            failed += bool(found)
            print(f"{'FAIL' if found else 'ok  '} {case}", *found, sep="\n     ")
    print(f"{len(CASES)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
