#!/usr/bin/env python3
"""Checks definitions against what the cloud and its Terraform provider refuse or lose: usage: cloud_rules.py FOLDER...

A FOLDER is a deployment written by `slipway create`. These rules need no provider: each was seen to fail, or to lose
something without a word, with the real one. cloud_rules_test.py tests this program with wrong definitions.
"""
import json, pathlib, re, sys

# Attributes within which a name is unique, besides the type.
SCOPES = ("project", "region", "zone", "location", "bucket", "router", "instance")
# Attributes that only the provider google-beta has.
ONLY_BETA = {"google_compute_resource_policy": ("max_distance", "gpu_topology", "accelerator_topology_mode"),
             "google_container_cluster": ("slice_controller_config", "managed_machine_learning_diagnostics_config"),
             "google_container_node_pool": ("accelerator_network_profile", "topology_manager", "memory_manager")}


def blocks(value):
    """The blocks of an attribute: Terraform's JSON has a mapping for one, and a list for several."""
    return [value] if isinstance(value, dict) else value if isinstance(value, list) else []


def keys_of(value):
    """All keys in a value, at any depth."""
    for block in blocks(value):
        for key, inner in block.items() if isinstance(block, dict) else []:
            yield key
            yield from keys_of(inner)


class Rules:
    def __init__(self, documents):
        self.resources = [(kind, name, body) for document in documents for kind, named in document.get("resource", {}).items()
                          for name, body in named.items()]

    def problems(self):
        for rule in (self.names, self.grants, self.scratch_disks, self.labels, self.digests, self.providers, self.machines):
            yield from rule()

    def of_type(self, pattern):
        return [(f"{kind}.{name}", body) for kind, name, body in self.resources if re.fullmatch(pattern, kind)]

    def names(self):
        seen = {}
        for kind, name, body in self.resources:
            own = next((body[key] for key in ("name", "account_id", "secret_id") if key in body), None)
            if own is None or "_iam_" in kind or not kind.startswith("google_"):
                continue
            key = (kind, own, *(json.dumps(body.get(scope)) for scope in SCOPES))
            if key in seen:
                yield f"{kind}.{name}: has the name `{own}`, and so does {kind}.{seen[key]}"
            seen[key] = name

    def grants(self):
        seen = {}
        for name, body in self.of_type(".*_iam_member"):
            grant = json.dumps([name.split(".")[0], {k: v for k, v in body.items() if k != "depends_on"}], sort_keys=True)
            if grant in seen:
                yield f"{name}: is the same grant as {seen[grant]}: removing one revokes it for both"
            seen[grant] = name

    def scratch_disks(self):
        for name, body in self.of_type("google_compute_instance_template"):
            for disk in blocks(body.get("disk")):
                if (disk.get("type") == "SCRATCH") != (disk.get("disk_type") == "local-ssd"):
                    yield f"{name}: a disk of type SCRATCH has the disk type local-ssd, but here are " \
                          f"{disk.get('type')} and {disk.get('disk_type')}"

    def labels(self):
        templates = dict(self.of_type("google_compute_instance_template"))
        for name, body in self.of_type("google_compute_instance_from_template"):
            if "labels" not in body:
                yield f"{name}: has no labels, so its machine loses the template's"
            link = re.search(r"google_compute_instance_template\.[\w-]+", str(body.get("source_instance_template")))
            wanted = templates.get(link[0], {}).get("labels") if link else None
            if wanted is not None and body.get("labels", wanted) != wanted:
                yield f"{name}: its labels differ from the template's"

    def digests(self):
        for name, body in self.of_type("google_storage_bucket_object"):
            content = body.get("content", "")
            if "${" in content.replace("$${", "") and body.get("source_md5hash") != digest_of(content):
                yield f"{name}: its content is known later, so it needs source_md5hash of this content"

    def providers(self):
        for name, body in self.of_type("google_.*"):
            needed = set(ONLY_BETA.get(name.split(".")[0], ())) & set(keys_of(body))
            if body.get("provider") == "google-beta" and not needed:
                yield f"{name}: uses google-beta without need"
            if body.get("provider") != "google-beta" and needed:
                yield f"{name}: needs google-beta for {', '.join(sorted(needed))}"

    def machines(self):
        """Nodes are made by the controller: a change of their template would replace all of them at once."""
        templates = {name: body["metadata"] for name, body in self.of_type("google_compute_instance_template")
                     if body.get("metadata", {}).get("slipway-role") == "compute"}
        for name, body in self.of_type("google_compute_instance_from_template"):
            link = re.search(r"google_compute_instance_template\.[\w-]+", str(body.get("source_instance_template")))
            if link and link[0] in templates:
                yield f"{name}: is a compute node in Terraform's state"
        for name in templates:
            labels = dict(self.of_type("google_compute_instance_template"))[name].get("labels", {})
            if not labels.get("slipway-cluster") or not labels.get("slipway-nodeset"):
                yield f"{name}: its machines cannot be found: the labels slipway-cluster and slipway-nodeset are missing"


def digest_of(content):
    """Terraform's expression for the digest of a content that is one expression, `${…}`, or a template."""
    if re.fullmatch(r"\$\{.*\}", content, re.S):
        return "${md5(" + content[2:-1] + ")}"
    return '${md5("' + content.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '")}'


def problems_of(documents):
    """The problems in the documents of a deployment."""
    return list(Rules(documents).problems())


def check_deployment(folder):
    return problems_of([json.loads(file.read_text()) for file in sorted(pathlib.Path(folder).rglob("*.tf.json"))])


if __name__ == "__main__":
    found = [f"{folder}: {problem}" for folder in sys.argv[1:] for problem in check_deployment(folder)]
    print(*found, sep="\n")
    sys.exit(1 if found else 0)
