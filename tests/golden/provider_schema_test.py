#!/usr/bin/env python3
"""Tests that provider_schema.py finds mistakes."""
import sys, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
from provider_schema import expressions, problems_of, rendered

SCHEMA = {"providers": {
    "google": {
        "google_disk": {"attributes": {"name": {"required": True, "type": "string"}, "size": {"type": "number"},
                                       "fast": {"type": "bool"}, "zones": {"type": "list(string)"},
                                       "labels": {"type": "map(string)"}, "timeouts": {"block": "one", "attributes": {}},
                                       "key": {"block": "one", "attributes": {"id": {"required": True, "type": "string"}}},
                                       "rule": {"block": "many", "required": True,
                                                "attributes": {"port": {"type": "number"}}}},
                        "computed": ["id", "self_link"]},
        "data.google_image": {"attributes": {"family": {"type": "string"}}, "computed": ["id"]}},
    "google-beta": {"google_disk": {"attributes": {"name": {"required": True, "type": "string"},
                                                   "newest": {"type": "string"}}, "computed": []}}}}
RIGHT = {"name": "d", "rule": [{"port": 1}, {"port": "2"}]}


def problems(disk, **more):
    return problems_of({"a.tf.json": {"resource": {"google_disk": {"d": disk}}, **more}}, SCHEMA)


class ProviderSchema(unittest.TestCase):
    def test_takes_what_is_right(self):
        self.assertEqual(problems({**RIGHT, "size": 3, "fast": "true", "zones": ["a", 1], "labels": {"a": "b"},
                                   "key": {"id": "x"}, "depends_on": [], "lifecycle": {"prevent_destroy": True}}), [])
        self.assertEqual(problems({**RIGHT, "size": "${var.n}", "zones": "${var.zones}", "labels": "${var.labels}"}), [])

    def test_knows_the_types(self):
        wrong = {"a.tf.json": {"resource": {"google_disc": {"d": {}}}, "data": {"google_disk": {"d": {}}}}}
        self.assertEqual(problems_of(wrong, SCHEMA), ["google_disc.d: the provider has no such type",
                                                      "data.google_disk.d: the provider has no such type"])

    def test_knows_the_attributes(self):
        self.assertEqual(problems({**RIGHT, "nmae": "d"}), ["google_disk.d: there is no attribute `nmae`"])

    def test_wants_what_is_required(self):
        self.assertEqual(problems({"rule": {}}), ["google_disk.d: `name` is missing"])
        self.assertEqual(problems({"name": "d"}), ["google_disk.d: `rule` is missing"])
        self.assertEqual(problems({"name": "d", "rule": []}), ["google_disk.d.rule: there must be such a block"])

    def test_looks_into_blocks(self):
        self.assertEqual(problems({**RIGHT, "key": {"is": "x"}}),
                         ["google_disk.d.key: there is no attribute `is`", "google_disk.d.key: `id` is missing"])
        self.assertEqual(problems({"name": "d", "rule": [{}, {"prot": 1}]}),
                         ["google_disk.d.rule[1]: there is no attribute `prot`"])

    def test_wants_blocks_where_blocks_belong(self):
        self.assertEqual(problems({**RIGHT, "rule": "${var.rules}"}),
                         ['google_disk.d.rule: a block is a mapping, or a list of mappings, but this is "${var.rules}"'])
        self.assertEqual(problems({**RIGHT, "key": [{"id": "x"}, {"id": "y"}]}),
                         ["google_disk.d.key: there is only one such block, but here are 2"])

    def test_wants_values_where_values_belong(self):
        for name, value in (("name", {"a": 1}), ("name", ["a"]), ("size", "big"), ("size", True), ("fast", 1),
                            ("zones", "a"), ("zones", {"a": 1}), ("labels", ["a"]), ("zones", [["a"]])):
            self.assertEqual(len(problems({**RIGHT, name: value})), 1, (name, value))

    def test_does_not_want_null(self):
        self.assertEqual(problems({**RIGHT, "size": None}), ["google_disk.d.size: null is written"])

    def test_takes_the_provider_that_the_resource_has(self):
        self.assertEqual(problems({"name": "d", "newest": "x", "provider": "google-beta"}), [])
        self.assertEqual(problems({**RIGHT, "newest": "x"}), ["google_disk.d: there is no attribute `newest`"])

    def test_follows_references(self):
        output = {"a": {"value": "x ${google_disk.d.self_link} ${google_disk.d.rule[0].port} ${google_disk.d}"}}
        self.assertEqual(problems(RIGHT, output=output), [])
        output = {"a": {"value": "${google_disk.e.id}"}, "b": {"value": ["${upper(google_disk.d.selflink)}"]},
                  "c": {"value": "${data.google_image.i.id}"}, "d": {"value": "$${google_disk.e.id} google_disk.e.id"}}
        self.assertEqual(problems(RIGHT, output=output),
                         ["a.tf.json: there is no `google_disk.e`", "a.tf.json: `google_disk.d` has no attribute `selflink`",
                          "a.tf.json: there is no `data.google_image.i`"])
        self.assertEqual(problems({**RIGHT, "depends_on": ["google_disk.e"]}),
                         ["google_disk.d: depends on `google_disk.e`, which is not there"])

    def test_knows_our_own_functions(self):
        output = {"a": {"value": "${is_set(google_disk.d.id)} is_null(x) ${upper(\"a\")}"}}
        self.assertEqual(problems(RIGHT, output=output), ["a.tf.json: Terraform has no function is_set()"])

    def test_finds_expressions(self):
        text = "a ${b} $${c} $$${d} ${ {e = 1}.e }f"
        self.assertEqual(expressions(text), ["b", "d", " {e = 1}.e "])
        self.assertEqual(rendered(text, "X"), "a X ${c} $$X Xf")


if __name__ == "__main__":
    unittest.main()
