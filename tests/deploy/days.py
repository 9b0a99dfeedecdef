"""Twelve changes of days.yaml, each on top of those before, as people make them after the first day."""

NODESET = """  - id: more
    source: community/modules/compute/schedmd-slurm-gcp-v6-nodeset
    use: [network]
    settings: {machine_type: c2-standard-8, node_count_static: 1, instance_image: $(vars.node_image)}
"""
PARTITION = """  - id: big
    source: community/modules/compute/schedmd-slurm-gcp-v6-partition
    use: [nodes]
    settings: {partition_name: big, exclusive: false}
"""
LOGIN = "  - id: login\n"

# What is done, and the texts in the blueprint with the texts in their place.
DAYS = [
    ("another image", [("family: slipway-socket", "family: slipway-next")]),
    ("other labels", [("labels: {team: one}", "labels: {team: two, purpose: tests}")]),
    ("a nodeset is added", [(LOGIN, NODESET + LOGIN), ("use: [nodes]", "use: [nodes, more]")]),
    ("a partition is added", [(LOGIN, PARTITION + LOGIN), ("[network, home, cpu, login]", "[network, home, cpu, big, login]")]),
    ("a nodeset grows", [("node_count_static: 2", "node_count_static: 6")]),
    ("it shrinks", [("node_count_static: 6", "node_count_static: 1")]),
    ("another machine type", [("machine_type: n2-standard-4, node_count", "machine_type: n2-standard-8, node_count")]),
    ("a door in the network", [("enable_iap_rdp_ingress: false", "enable_iap_rdp_ingress: true")]),
    ("another file in the bucket", [("echo one", "echo two")]),
    ("a reservation", [("machine_type: n2-standard-8, ", "machine_type: n2-standard-8, reservation_name: ours, ")]),
    ("another prolog", [("sh\\ntrue", "sh\\nexit 0")]),
    ("a nodeset and a partition are removed", [
        (NODESET, ""), (PARTITION, ""), ("use: [nodes, more]", "use: [nodes]"),
        ("[network, home, cpu, big, login]", "[network, home, cpu, login]")]),
]


def changed(text, edits):
    """The blueprint after a day; each text must be in it."""
    for old, new in edits:
        if old not in text:
            raise ValueError(f"{old!r} is not in the blueprint")
        text = text.replace(old, new)
    return text
