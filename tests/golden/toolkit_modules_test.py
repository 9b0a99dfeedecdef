#!/usr/bin/env python3
"""Tests that toolkit_modules.py finds mistakes."""
import sys, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
from toolkit_modules import problems

REPOSITORY = "github.com/GoogleCloudPlatform/cluster-toolkit//"
NAMESPACE = {"source": REPOSITORY + "modules/management/kubernetes-namespace?ref=v1.95.0&depth=1", "namespace": "jobs",
             "cluster_id": "${module.cluster.cluster_id}"}
PINNED = {name: {} for name in ("google", "google-beta", "kubernetes")}


def found(call, providers=PINNED, **more):
    cluster = {"source": "./modules/cluster"}
    return list(problems({"versions.tf.json": {"terraform": {"required_providers": providers}},
                          "namespace.tf.json": {"module": {"namespace": call, "cluster": cluster}}, **more}))


class ToolkitModules(unittest.TestCase):
    def test_takes_what_is_right(self):
        self.assertEqual(found(NAMESPACE), [])

    def test_finds_inputs_that_are_not_there(self):
        self.assertEqual(found({**NAMESPACE, "namespase": "x"}), ["module.namespace: there is no input `namespase`"])

    def test_finds_values_of_another_type(self):
        self.assertEqual(found({**NAMESPACE, "namespace": ["jobs"]}), ['module.namespace.namespace: this is a string, but here is ["jobs"]'])

    def test_finds_what_is_missing(self):
        call = {key: value for key, value in NAMESPACE.items() if key != "cluster_id"}
        self.assertEqual(found(call), ["module.namespace: `cluster_id` is missing"])

    def test_finds_a_module_that_cannot_wait(self):
        self.assertEqual(found({**NAMESPACE, "depends_on": ["module.cluster"]}),
                         ["module.namespace: it configures providers, so it cannot have `depends_on`"])

    def test_finds_providers_that_are_not_pinned(self):
        self.assertEqual(found(NAMESPACE, {"google": {}, "google-beta": {}}),
                         ["module.namespace: the group does not require the provider `kubernetes`"])

    def test_finds_a_module_with_resources_of_its_own(self):
        call = {"source": REPOSITORY + "modules/network/vpc?ref=v1.95.0&depth=1"}
        self.assertEqual(found(call), ["module.namespace: the library has resources for it"])

    def test_finds_an_input_that_only_the_library_has(self):
        call = {"source": REPOSITORY + "community/modules/compute/schedmd-slurm-gcp-v6-nodeset-dynamic?ref=v1.95.0&depth=1",
                "metadata_users": [], "project_id": "p", "region": "r", "slurm_cluster_name": "s", "subnetwork_self_link": "n",
                "name": "d", "labels": {}, "slurm_bucket_path": "b"}
        self.assertEqual(found(call), ["module.namespace: there is no input `metadata_users`"])

    def test_takes_a_call_beside_resources(self):
        call = {"source": REPOSITORY + "modules/network/vpc?ref=v1.95.0&depth=1", "project_id": "p", "deployment_name": "d", "region": "r"}
        calls = {"pool.tf.json": {"module": {"pool_vpc": call}}, "versions.tf.json": {}}
        self.assertEqual(list(problems(calls)), [])
        call["depends_on"] = ["x.y"]
        self.assertEqual(list(problems(calls)), ["module.pool_vpc: it configures providers, so it cannot have `depends_on`"])

    def test_finds_references_to_nothing(self):
        output = {"output": {"a": {"value": "${module.namespace.nothing}"}, "b": {"value": "${module.none.x}"}}}
        self.assertEqual(found(NAMESPACE, **{"outputs.tf.json": output}),
                         ["outputs.tf.json: `module.namespace` has no output `nothing`",
                          "outputs.tf.json: there is no `module.none`"])


if __name__ == "__main__":
    unittest.main()
