#!/usr/bin/env python3
"""Checks the blueprints in examples/ against their descriptions: usage: examples.py SLIPWAY YAML_TO_JSON

Each blueprint for GPU machines must check with its deployment file and describe the expected cluster. Without the file,
exactly the values that the file sets must be missing.
"""
import json, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import ROOT, installed

# The networks of a GPU machine, in the order of its interfaces.
GPU_CLUSTERS = {
    "a3-highgpu": dict(machine="a3-highgpu-8g", partition="a3high", pool="high", mtu=8244,
                       networks=["hosts"] + [f"gpunets[{i}]" for i in range(4)]),
    "a3-megagpu": dict(machine="a3-megagpu-8g", partition="a3mega", pool="mega", mtu=8244,
                       networks=["hosts"] + [f"gpunets[{i}]" for i in range(8)]),
    "a3-ultragpu": dict(machine="a3-ultragpu-8g", partition="a3ultra", pool="ultra", mtu=8896,
                        networks=["hosts", "second_hosts"] + [f"rdma[{i}]" for i in range(8)]),
    "a4-highgpu": dict(machine="a4-highgpu-8g", partition="a4", pool="high", mtu=8896,
                       networks=["hosts", "second_hosts"] + [f"rdma[{i}]" for i in range(8)]),
    "a4x-highgpu": dict(machine="a4x-highgpu-4g", partition="a4x", pool="domains", mtu=8896, nodes=18,
                        networks=["hosts", "second_hosts"] + [f"rdma[{i}]" for i in range(4)]),
}

SMALL = "first-day"
MODULES = {"first-day": 6, "a3-highgpu": 10, "a3-megagpu": 10, "a3-ultragpu": 11, "a4-highgpu": 11,
           "a4x-highgpu": 11}


class Tests:
    def __init__(self, program, to_json, prefix):
        self.slipway = installed(program, prefix)
        self.machines = json.loads(subprocess.run(
            [to_json, ROOT / "blueprints/catalogue/machines.yaml"], capture_output=True, check=True).stdout)["machines"]
        self.count = self.failed = 0

    def same(self, what, got, expected):
        self.count += 1
        if got != expected:
            self.failed += 1
            print(f"FAIL {what}\n  expected {expected!r}\n  got      {got!r}")

    def run(self, verb, name, *options, deployment_file=True):
        words = [self.slipway, verb, f"examples/{name}.yaml", *options]
        if deployment_file:
            words += ["-d", f"examples/{name}-deployment.yaml"]
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)

    def output(self, verb, name, *options):
        return json.loads(self.run(verb, name, *options).stdout)

    def checked(self, name, modules):
        done = self.run("check", name)
        self.same(f"{name} is fine", (done.returncode, done.stderr), (0, ""))
        self.same(f"{name}: summary", done.stdout.split(": ", 1)[1], f"{modules} modules in 1 group, 0 errors, 0 warnings\n")

        done = self.run("check", name, deployment_file=False)
        unset = re.findall(r"error\[(\w+)\]: the variable `(\w+)` has no value", done.stderr)
        self.same(f"{name} alone: one error a variable", done.stderr.count("error["), len(unset))
        text = (ROOT / f"examples/{name}-deployment.yaml").read_text()
        filled_in = re.findall(r"^  (\w+):", text, re.M)
        self.same(f"{name} alone: missing values", sorted(v for _, v in unset), sorted(filled_in))

    def cluster(self, name, machine, partition, pool, mtu, networks, nodes=2):
        interfaces = self.machines[machine]
        self.same(f"{name}: a network for each interface", len(networks),
                  len(interfaces["host"]["names"]) + len(interfaces["gpu"]["names"]))
        self.same(f"{name}: MTU", [interfaces[kind]["mtu_bytes"] for kind in ("host", "gpu")], [mtu, mtu])
        model = self.output("model", name)
        for network in model["networks"]:
            self.same(f"{name}: MTU of {network['id']}", network["mtu_bytes"], mtu)
        nodesets = {nodeset["name"]: nodeset for nodeset in model["nodesets"]}
        self.same(f"{name}: nodesets", sorted(nodesets), sorted(["debug", pool]))
        gpus = nodesets[pool]
        self.same(f"{name}: GPU machines", (gpus["node_count_static"], gpus["node_count_dynamic_max"]), (nodes, 0))
        self.same(f"{name}: their type", gpus["machine"]["machine_type"], machine)
        self.same(f"{name}: their networks", gpus["machine"]["networks"], networks)
        conf = gpus["node_conf"]
        cpus = interfaces["cpus"]
        self.same(f"{name}: Slurm's CPUs", (int(conf["CoresPerSocket"]), int(conf["ThreadsPerCore"])),
                  (cpus["cores_per_socket"], cpus["threads_per_core"]))
        self.same(f"{name}: partitions", [(p["name"], p["is_default"], p["nodesets"]) for p in model["partitions"]],
                  [(partition, True, [pool]), ("debug", False, ["debug"])])
        self.same(f"{name}: what all mount", [(f["kind"], f["mount"]) for f in model["file_systems"]], [("nfs", "/home")])
        self.same(f"{name}: logins", [login["count"] for login in model["logins"]], [1])

    # For the nodeset of each pool, by id.
    def pools(self, name, pools):
        done = self.output("expand", name, "--format", "json", "--vars", "gpu_pools=" + json.dumps(pools))
        return {m["settings"]["name"]: m["settings"] for g in done["deployment_groups"] for m in g["modules"]
                if m["id"].startswith("gpu_nodeset")}

    def provisioning(self, name):
        # The cloud places flex-start machines of some types only.
        unplaced = {"placement": False} if name == "a4x-highgpu" else {}
        nodesets = self.pools(name, {"held": {"nodes": 4, "reservation": "r", "placement": False},
                                     "spare": {"nodes": 1, "spot": True}, "queue": {"nodes": 2, "flex_start": True, **unplaced}})
        keys = ("node_count_static", "reservation_name", "enable_spot_vm", "dws_flex")
        self.same(f"{name}: pools", {key: [n[k] for k in keys] for key, n in nodesets.items()}, {
            "held": [4, "r", False, {"enabled": False}],
            "spare": [1, "", True, {"enabled": False}],
            "queue": [2, "", False, {"enabled": True}]})
        self.same(f"{name}: placement that a reservation has", nodesets["held"]["enable_placement"], False)
        both = json.dumps({"both": {"nodes": 1, "spot": True, "reservation": "r"}})
        done = self.run("check", name, "--vars", f"gpu_pools={both}")
        self.same(f"{name}: spot and a reservation", re.findall(r"error.*", done.stderr), [
            "error[E0217]: module `gpu_nodeset-both`: Spot VMs cannot use a reservation"])

    def without_debug(self, name, modules):
        done = self.run("check", name, "--vars", "debug_nodes=0")
        self.same(f"{name} without debug nodes", (done.stderr, done.stdout.split(": ")[-1].split(" ")[0]), ("", str(modules - 2)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(sys.argv[1], sys.argv[2], pathlib.Path(folder) / "prefix")
        for name, cluster in GPU_CLUSTERS.items():
            tests.checked(name, MODULES[name])
            tests.cluster(name, **cluster)
            tests.provisioning(name)
            tests.without_debug(name, MODULES[name])
        tests.checked(SMALL, MODULES[SMALL])
        # Those with `machines` are for no cloud; tests/system/hosts.bats deploys such a cluster.
        files = {path.stem for path in (ROOT / "examples").glob("*.yaml") if "\nmachines:" not in path.read_text()}
        tests.same("every example is tested", files,
                   {"quickstart", SMALL} | set(GPU_CLUSTERS) | {f"{name}-deployment" for name in [SMALL, *GPU_CLUSTERS]})
    print(f"{tests.count} checks, {tests.failed} failed")
    return 1 if tests.failed or not tests.count else 0


if __name__ == "__main__":
    sys.exit(main())
