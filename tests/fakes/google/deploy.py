#!/usr/bin/env python3
"""Does for the fake cloud what Terraform does for the real one: deploy.py CREATED FOLDER

CREATED is a folder that `slipway create` wrote. Its bucket objects, secrets, instance templates and machines go to FOLDER,
where google_cloud.py and machines find them. Slurm's files are adapted to this machine's Slurm version and lack of cgroups.
"""
import hashlib, json, pathlib, re, sys

from instance import machine

CREATED, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
NFS_SERVER = "10.0.0.1"


def resources():
    """All resources by TYPE.NAME, each with the folder of its group."""
    found = {}
    for file in sorted(CREATED.glob("*/*.tf.json")):
        for kind, named in json.loads(file.read_text()).get("resource", {}).items():
            for name, body in named.items():
                found[f"{kind}.{name}"] = {**body, "group": file.parent}
    return found


ALL = resources()


def link(reference):
    """An instance template's link; the real cloud makes its name random."""
    body = ALL[reference]
    return f"https://www.googleapis.com/compute/v1/projects/{body['project']}/global/instanceTemplates/{body['name_prefix']}0001?uniqueId=1"


def value(reference):
    """The value of a Terraform reference."""
    resource, attribute = re.fullmatch(r"(\w+\.[\w-]+)\.(.+)", reference).groups()
    if attribute == "self_link_unique":
        return link(resource)
    if attribute == "networks[0].ip_addresses[0]":
        return NFS_SERVER
    key = {"output": "input"}.get(attribute, attribute)
    return rendered(ALL[resource][key])


def rendered(text):
    """Evaluates the expressions in `text`. An object in jsonencode(), with HCL's keys and `=`, becomes JSON."""
    known = re.compile(r"\b(?:google_\w+|terraform_data)\.[\w-]+(?:\.\w+|\[\d+\])+")
    encoded = re.fullmatch(r"\$\{jsonencode\((.*)\)\}", text, re.S)
    if encoded:
        body = known.sub(lambda found: json.dumps(value(found[0])), encoded[1])
        body = re.sub(r'([{,]\s*)"?([\w./-]+)"?\s*=\s', r'\1"\2": ', body)
        return json.dumps(json.loads(body))
    return re.sub(r"\$\{([^}]+)\}", lambda found: value(found[1]), text)


def for_this_machine(name, text):
    """Adapts a Slurm file to this machine."""
    if name == "cgroup.conf":
        return "CgroupPlugin=cgroup/v1\n"
    if name != "slurm.conf":
        return text
    for key, other in {"ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none"}.items():
        text, count = re.subn(rf"^{key}=.*$", f"{key}={other}", text, flags=re.M)
        assert count == 1, key
    text = text.replace(" PowerDownOnIdle=YES", "")  # since 23.02
    # Slurm handles idle nodes every second instead of every ten, because tests wait for it.
    text = re.sub(r"^(SlurmctldParameters=.*)$", r"\1,power_save_interval=1", text, flags=re.M)
    return text + "SlurmdParameters=config_overrides\n"


def objects():
    """Writes the objects of all buckets; cluster.json last, with the digests of the adapted files."""
    digests = {}
    for body in (body for name, body in ALL.items() if name.startswith("google_storage_bucket_object.")):
        target = FOLDER / "buckets" / rendered(body["bucket"]) / body["name"]
        target.parent.mkdir(parents=True, exist_ok=True)
        if "content" in body:
            continue
        text = for_this_machine(target.name, (body["group"] / body["source"]).read_text())
        target.write_text(text)
        digests[f"{target.parent.name}/{target.name}"] = hashlib.sha256(text.encode()).hexdigest()
    for body in (body for body in ALL.values() if "content" in body and str(body.get("name")).endswith("/cluster.json")):
        cluster = json.loads(rendered(body["content"]))
        assert set(cluster["files"]) == set(digests)
        cluster["files"] = digests
        (FOLDER / "buckets" / rendered(body["bucket"]) / body["name"]).write_text(json.dumps(cluster))


def templates():
    """The settings of each template's machines, by the template's link."""
    found = {}
    for name, body in ALL.items():
        if not name.startswith("google_compute_instance_template."):
            continue
        group = body["metadata"]["slipway-group"]
        profile = json.loads(next(CREATED.glob(f"*/*/machines/{group}.json")).read_text())
        made = {"project": body["project"], "profile": profile, "attributes": body["metadata"]}
        file = FOLDER / "templates" / body["project"] / f"{body['name_prefix']}0001.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(made))
        found[link(name)] = made
    return found


def main():
    objects()
    for name, body in ALL.items():
        if name.startswith("google_secret_manager_secret."):
            (FOLDER / "secrets" / body["project"] / body["secret_id"]).mkdir(parents=True)
        if name.startswith("google_filestore_instance."):
            (FOLDER / "shares" / body["file_shares"]["name"]).mkdir(parents=True)
    made = templates()
    later = FOLDER / "to-start"  # a test starts a machine by moving it to instances/
    later.mkdir()
    machines = [body for name, body in ALL.items() if name.startswith("google_compute_instance_from_template.")]
    (FOLDER / "next").write_text(str(len(machines)))
    for number, body in enumerate(machines):
        of_template = made[rendered(body["source_instance_template"])]
        (later / f"{body['name']}.json").write_text(json.dumps(machine(body["name"], body["zone"], number, of_template)))


if __name__ == "__main__":
    main()
