#!/usr/bin/env python3
"""Tests that cloud_rules.py finds mistakes."""
import sys, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
from cloud_rules import problems_of

NET = {"name": "n", "project": "p"}
GRANT = {"bucket": "b", "role": "roles/storage.objectViewer", "member": "serviceAccount:a"}
TEMPLATE = {"labels": {"a": "b", "slipway-cluster": "c", "slipway-nodeset": "n"}, "metadata": {"slipway-role": "compute"}}


def problems(**resources):
    return problems_of([{"resource": resources}])


class CloudRules(unittest.TestCase):
    def test_names_are_unique_in_their_scope(self):
        self.assertEqual(problems(google_compute_network={"a": NET, "b": {**NET, "project": "q"}}), [])
        self.assertEqual(problems(google_compute_subnetwork={"a": {**NET, "region": "x"}, "b": {**NET, "region": "y"}}), [])
        self.assertEqual(problems(google_compute_network={"a": NET}, google_compute_address={"a": NET}), [])
        self.assertEqual(problems(google_compute_network={"a": NET, "b": dict(NET)}),
                         ["google_compute_network.b: has the name `n`, and so does google_compute_network.a"])

    def test_modules_are_compared_with_each_other(self):
        one = {"resource": {"google_compute_network": {"a": NET}}}
        other = {"resource": {"google_compute_network": {"b": NET}}}
        self.assertEqual(len(problems_of([one, other])), 1)

    def test_a_grant_is_made_once(self):
        self.assertEqual(problems(google_storage_bucket_iam_member={"a": GRANT, "b": {**GRANT, "member": "user:b"}}), [])
        self.assertEqual(problems(google_storage_bucket_iam_member={"a": GRANT, "b": {**GRANT, "depends_on": ["x.y"]}}),
                         ["google_storage_bucket_iam_member.b: is the same grant as google_storage_bucket_iam_member.a: "
                          "removing one revokes it for both"])

    def test_local_ssds_have_both_types(self):
        right = {"type": "SCRATCH", "disk_type": "local-ssd"}
        self.assertEqual(problems(google_compute_instance_template={"t": {"disk": [right, {"disk_type": "pd-ssd"}]}}), [])
        for wrong in ({"type": "SCRATCH"}, {"disk_type": "local-ssd"}):
            self.assertEqual(len(problems(google_compute_instance_template={"t": {"disk": [right, wrong]}})), 1)
            self.assertEqual(len(problems(google_compute_instance_template={"t": {"disk": wrong}})), 1)

    def test_machines_keep_the_labels_of_their_template(self):
        link = {"source_instance_template": "${google_compute_instance_template.t.self_link_unique}"}
        login = {"labels": {"a": "b"}, "metadata": {"slipway-role": "login"}}

        def of(machine):
            return problems(google_compute_instance_template={"t": login}, google_compute_instance_from_template={"m": machine})
        self.assertEqual(of({**link, "labels": {"a": "b"}}), [])
        self.assertEqual(of(link), ["google_compute_instance_from_template.m: has no labels, so its machine loses the template's"])
        self.assertEqual(of({**link, "labels": {"a": "c"}}),
                         ["google_compute_instance_from_template.m: its labels differ from the template's"])

    def test_contents_that_are_known_later_have_a_digest(self):
        def of(**body):
            return problems(google_storage_bucket_object={"o": body})
        self.assertEqual(of(content="${f(a.b)}", source_md5hash="${md5(f(a.b))}"), [])
        self.assertEqual(of(content='a "${b.c}"\n', source_md5hash='${md5("a \\"${b.c}\\"\\n")}'), [])
        self.assertEqual(of(content="known $${not}"), [])
        self.assertEqual(of(source="file"), [])
        for wrong in ({}, {"source_md5hash": "${md5(other)}"}):
            self.assertEqual(len(of(content="${f(a.b)}", **wrong)), 1)

    def test_google_beta_is_used_where_it_is_needed(self):
        def of(**body):
            return problems(google_compute_resource_policy={"p": body})
        self.assertEqual(of(group_placement_policy={"collocation": "COLLOCATED"}), [])
        self.assertEqual(of(provider="google-beta", group_placement_policy={"max_distance": 1}), [])
        self.assertEqual(of(provider="google-beta", group_placement_policy={"collocation": "COLLOCATED"}),
                         ["google_compute_resource_policy.p: uses google-beta without need"])
        self.assertEqual(of(group_placement_policy=[{"max_distance": 1}]),
                         ["google_compute_resource_policy.p: needs google-beta for max_distance"])

    def test_compute_nodes_are_not_terraforms(self):
        machine = {"labels": TEMPLATE["labels"], "source_instance_template": "${google_compute_instance_template.t.self_link}"}
        self.assertEqual(problems(google_compute_instance_template={"t": TEMPLATE}), [])
        self.assertEqual(problems(google_compute_instance_template={"t": TEMPLATE},
                                  google_compute_instance_from_template={"m": machine}),
                         ["google_compute_instance_from_template.m: is a compute node in Terraform's state"])
        self.assertEqual(problems(google_compute_instance_template={"t": {**TEMPLATE, "labels": {"slipway-cluster": "c"}}}),
                         ["google_compute_instance_template.t: its machines cannot be found: the labels slipway-cluster and "
                          "slipway-nodeset are missing"])


if __name__ == "__main__":
    unittest.main()
