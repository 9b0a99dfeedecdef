#!/usr/bin/env python3
"""Writes the schema of Terraform's providers for the tests: provider_schema.py JSII... > tests/schemas/google_provider.json

A JSII is the file `.jsii` from one of these npm packages: @cdktf/provider-google, provider-google-beta, provider-random,
provider-local, provider-null, provider-time. Only the resources and data sources that the module library uses (in
`resources` of its module.yaml files) are kept, with these facts:

  attributes   what can be set: "type", "required" if it must be, and "block" for a nested block: "one" or "many", with
               its own attributes
  computed     what can only be read

Run this again when a module uses a new type; unused types are left out to keep the file small.
"""
import json, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Built into Terraform, so not in any package: developer.hashicorp.com/terraform/language/resources/terraform-data
BUILT_IN = {"terraform_data": {"attributes": {"input": {"type": "any"}, "triggers_replace": {"type": "any"}},
                               "computed": ["id", "output"]}}

# Newer than the packages, whose last version is 6.50: taken from the npm package @pulumi/gcp 9.37.0, which follows
# version 7 of the provider (compute/resourcePolicy.d.ts, lustre/instance.d.ts, types/input.d.ts for Kubernetes).
# Of clusters, and large: node pools are resources of their own.
UNUSED_BLOCKS = {"node_pool"}

ENABLED = {"block": "one", "attributes": {"enabled": {"type": "bool"}}}
KUBELET = ("google_container_node_pool", "node_config", "kubelet_config")
NEWER = {("google_lustre_instance", "kms_key"): {"type": "string"},
         ("google_container_cluster", "addons_config", "slice_controller_config"): ENABLED,
         ("google_container_cluster", "managed_machine_learning_diagnostics_config"): ENABLED,
         ("google_container_cluster", "maintenance_policy", "maintenance_exclusion", "exclusion_options", "end_time_behavior"):
             {"type": "string"},
         ("google_container_node_pool", "network_config", "accelerator_network_profile"): {"type": "string"},
         (*KUBELET, "topology_manager"): {"block": "one", "attributes": {"policy": {"type": "string"}, "scope": {"type": "string"}}},
         (*KUBELET, "memory_manager"): {"block": "one", "attributes": {"policy": {"type": "string"}}},
         ("google_compute_resource_policy", "workload_policy", "accelerator_topology_mode"): {"type": "string"}}


def types_in_use():
    """The types that the module library uses, by provider; data sources begin with `data.`."""
    found = {}
    for file in (ROOT / "blueprints").glob("**/module.yaml"):
        for kind, body in re.findall(r"^  ((?:data\.)?[a-z]+_[a-z0-9_]+)\.[\w-]+:(.*\n(?:(?:    .*)?\n)*)", file.read_text(), re.M):
            own = kind.removeprefix("data.").split("_")[0]
            if kind == "toolkit_module":  # a call of another module
                continue
            # A module may choose the provider: $(CONDITION ? "google-beta" : null).
            provider = re.search(r"^    provider:(.*\n(?:      .*\n)*)", body, re.M)
            named = re.findall(r"[\w-]+-beta", provider.group(1)) if provider else []
            for name in {own, *named} if not provider or "$(" in provider.group(1) else named:
                found.setdefault(name, set()).add(kind)
    return found


def snake_case(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def documented_name(member):
    """Terraform's name, from the end of the link to its documentation."""
    docs = member.get("docs", {})
    link = re.search(r"#(\w+) \S+}", docs.get("remarks", "") + docs.get("summary", ""))
    return link.group(1) if link else snake_case(member["name"])


class Package:
    def __init__(self, path):
        document = json.loads(pathlib.Path(path).read_text())
        self.name, self.types = document["name"], document["types"]
        readme = document.get("readme", {}).get("markdown", "") or document.get("description", "")
        version = re.search(r"provider version (\d+\.\d+\.\d+)", readme)
        self.version = version.group(1) if version else "unknown"

    def resources(self):
        """Yields (type, class) for each resource and data source."""
        for fqn, kind in self.types.items():
            link = re.search(r"/docs/(resources|data-sources)/\S+ (\w+)}", kind.get("docs", {}).get("summary", ""))
            if link and kind.get("base") in ("cdktf.TerraformResource", "cdktf.TerraformDataSource"):
                yield ("data." if link.group(1) == "data-sources" else "") + link.group(2), fqn

    def facts(self, fqn):
        attributes = self.attributes(self.types[fqn + "Config"])
        for name in UNUSED_BLOCKS & attributes.keys():
            del attributes[name]
        readable = {member["name"] for member in self.types[fqn]["properties"]
                    if not member.get("static") and not member["name"].endswith("Input")}
        settable = {member["name"] for member in self.types[fqn + "Config"]["properties"]}
        computed = {snake_case(name) for name in readable - settable} | {"id"}
        return {"attributes": attributes, "computed": sorted(computed - set(attributes))}

    def add_newer(self, found):
        for (kind, *path, name), fact in NEWER.items():
            at = found.get(kind)
            for step in path:
                at = at and at["attributes"].get(step)
            if at:
                at["attributes"].setdefault(name, fact)

    def attributes(self, struct):
        # The bindings let every resource take an `id`, but none of Google's resources does.
        return {documented_name(member): self.attribute(member) for member in struct.get("properties", [])
                if "Please be aware that the id field" not in member.get("docs", {}).get("remarks", "")}

    def attribute(self, member):
        fact = self.type_of(member["type"])
        return fact if member.get("optional") else {"required": True, **fact}

    def type_of(self, written):
        if "union" in written:  # the value itself, or a value that is resolved later
            return self.type_of(next(t for t in written["union"]["types"] if t.get("fqn") != "cdktf.IResolvable"))
        if "primitive" in written:
            return {"type": {"boolean": "bool"}.get(written["primitive"], written["primitive"])}
        if "collection" in written:
            of = self.type_of(written["collection"]["elementtype"])
            if "block" in of:
                return {**of, "block": "many"}
            kind = {"array": "list", "map": "map"}[written["collection"]["kind"]]
            return {"type": f"{kind}({of['type']})"}
        return {"block": "one", "attributes": self.attributes(self.types[written["fqn"]])}


def lines(value, indent=""):
    """Formats JSON with small values on one line."""
    flat = json.dumps(value)
    if not isinstance(value, dict) or (not any(isinstance(v, dict) for v in value.values()) and len(flat) < 100):
        return flat
    inner = ",\n".join(f"{indent}  {json.dumps(key)}: {lines(item, indent + '  ')}" for key, item in value.items())
    return "{\n" + inner + "\n" + indent + "}"


def main():
    wanted = types_in_use()
    result = {"source": {}, "providers": {}}
    for path in sys.argv[1:]:
        package = Package(path)
        provider = package.name.removeprefix("@cdktf/provider-")
        found = {name: package.facts(fqn) for name, fqn in package.resources() if name in wanted.get(provider, ())}
        package.add_newer(found)
        result["source"][provider] = f"provider version {package.version}, from the npm package {package.name}"
        result["providers"][provider] = dict(sorted(found.items()))
    result["source"]["terraform"] = "built in"
    result["providers"]["terraform"] = BUILT_IN
    print(lines(result))
    unknown = {f"{name} of {provider}" for provider, names in wanted.items() for name in names
               if name not in result["providers"].get(provider, {})}
    if unknown:
        sys.exit(f"not in any package: {', '.join(sorted(unknown))}")


if __name__ == "__main__":
    main()
