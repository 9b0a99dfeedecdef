#!/usr/bin/env python3
"""What tests do to a stand-in that runs: control.py FOLDER COMMAND [NAME [VALUE [PROPERTIES]]]

    start NAME [ZONE [PROPERTIES]]   makes a node's machine as the cluster's controller would, with other properties if they are given
                         (JSON, as in bulkInsert), or lets one start that waits in to-start/
    from-template NAME PART   a user makes a machine from the template with PART in its name
    copy-template PART   makes a copy, with its own name and time, of the template with PART in its name; prints its link
    status NAME STATUS   a user changes a machine: TERMINATED, RUNNING, SUSPENDED
    delete NAME          a user deletes a machine
    preempt NAME         the cloud takes a Spot machine away
    maintenance NAME [SECONDS]  the cloud announces maintenance of a machine's host, by default in a day
    maintained NAME      that maintenance is over
    machines             prints the machines: name, zone, status
    show NAME            prints a machine as Compute Engine shows it, in one line
    left                 prints the resources and bindings that a destroy left
    put PATH JSON        has a resource of Compute Engine's that only the service makes, or that other people change
    settle               waits until nothing is under way
"""
import json, pathlib, sys, time, urllib.parse

from links import link, name_of, part, path_of

# What stays in a project: it costs nothing, or is not the deployment's.
STAYS = ("operations/", "serviceusage/", "sqladmin/taken/", "uploads/")


def machine_named(cloud, name):
    found = [path for path, _ in cloud.under("compute", "projects/") if "/instances/" in path and name_of(path) == name]
    return found[0] if found else None


def control(cloud, command, query):
    """The status and the body of the answer."""
    name, value = query.get("name", ""), query.get("value", "")
    commands = {"start": lambda: start(cloud, name, value, json.loads(query.get("properties", "{}"))), "from-template": lambda: from_template(cloud, name, value),
                "copy-template": lambda: copy_template(cloud, name),
                "status": lambda: cloud.services["compute"].instances.set_status(machine_named(cloud, name), value),
                "delete": lambda: cloud.services["compute"].instances.vanished(machine_named(cloud, name)),
                "preempt": lambda: cloud.services["compute"].preempt([name]),
                "maintenance": lambda: cloud.services["compute"].instances.announce(machine_named(cloud, name), cloud.clock() + float(value or 86400)),
                "maintained": lambda: cloud.services["compute"].instances.maintained(machine_named(cloud, name)),
                "machines": lambda: machines(cloud), "show": lambda: [json.dumps(cloud.get("compute", machine_named(cloud, name)))], "left": lambda: left(cloud), "settle": lambda: bool(cloud.later),
                "put": lambda: put(cloud, name, json.loads(value))}
    try:
        return 200, {"result": commands[command]()}
    except (KeyError, RuntimeError) as error:
        return 400, {"result": str(error)}


def start(cloud, name, zone, properties):
    """A machine from the template of its nodeset, in that zone or the nodeset's first, like those of a bulkInsert."""
    waiting = cloud.folder / "to-start" / f"{name}.json"
    if waiting.exists() and not zone:
        waiting.rename(cloud.folder / "instances" / waiting.name)
        return name
    if waiting.exists():
        cloud.services["compute"].instances.vanished(machine_named(cloud, name))
    for file in (cloud.folder / "buckets").glob("*/*/cluster.json"):
        cluster = json.loads(file.read_text())
        for key, nodeset in cluster["nodesets"].items():
            if name.startswith(f"{cluster['cluster']}-{key}-") and nodeset.get("template"):
                template = nodeset["template"]
                return make(cloud, name, nodeset["project"], zone or nodeset["zones"][0], template[template.index("projects/"):].split("?")[0],
                            {**(nodeset.get("instance_properties") or {}), **properties})
    raise KeyError(f"no nodeset has the node {name}")


def from_template(cloud, name, part_of_name):
    for path, one in cloud.under("compute", "projects/"):
        if "/instanceTemplates/" in path and part_of_name in name_of(path):
            return make(cloud, name, part(path, "projects"), "us-central1-a", path, None)
    raise KeyError(f"no template has {part_of_name} in its name")


def copy_template(cloud, part_of_name):
    for path, one in list(cloud.under("compute", "projects/")):
        if "/instanceTemplates/" in path and part_of_name in name_of(path):
            copy, now = name_of(path) + "-2", time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(cloud.clock()))
            link = one["selfLink"].replace(name_of(path), copy)
            cloud.put("compute", path.replace(name_of(path), copy), {**one, "name": copy, "id": cloud.new_id(), "creationTimestamp": now, "selfLink": link})
            return [link]
    raise KeyError(f"no template has {part_of_name} in its name")


def make(cloud, name, project, zone, template, properties):
    from cloud import OPERATOR_TOKEN, Request
    body = {"count": "1", "perInstanceProperties": {name: {}}, "sourceInstanceTemplate": template}
    if properties:
        body["instanceProperties"] = properties
    answer = cloud.handle(Request("POST", "compute.googleapis.com", f"/compute/v1/projects/{project}/zones/{zone}/instances/bulkInsert", {},
                                  json.dumps(body).encode(), {"Authorization": f"Bearer {OPERATOR_TOKEN}"}))
    operation = cloud.get("compute", path_of(answer.body["selfLink"])) if answer.status == 200 else answer.body
    if "error" in operation:
        raise RuntimeError(f"cannot make {name}: {operation['error']}")
    return name


def put(cloud, path, resource):
    cloud.put("compute", path, {"name": name_of(path), "selfLink": link(path), "id": cloud.new_id(), **resource})


def machines(cloud):
    return [f"{name_of(path)} {part(path, 'zones')} {one['status']}" for path, one in cloud.under("compute", "projects/") if "/instances/" in path]


def left(cloud):
    """What was made and is still there, and bindings of accounts that are gone."""
    found = [key for key in cloud.resources if not key.startswith(STAYS) and "/operations/" not in key and "/versions/" not in key]
    for name, policy in cloud.policies.items():
        found += [f"{name} {row['role']} {member}" for row in policy["bindings"] for member in row["members"] if not member.startswith("deleted:")]
    return sorted(found)


def main():
    from client import UnixConnection
    folder, command, rest = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    query = urllib.parse.urlencode(dict(zip(("name", "value", "properties"), rest)))
    connection = UnixConnection(folder / "api.sock")
    while True:
        connection.request("POST", f"/{command}?{query}", headers={"Host": "control"})
        answer = connection.getresponse()
        result = json.loads(answer.read())["result"]
        if answer.status != 200:
            sys.exit(f"control.py: {result}")
        if command != "settle" or not result:
            break
        time.sleep(0.1)
    if isinstance(result, list):
        print("".join(f"{row}\n" for row in result), end="")


if __name__ == "__main__":
    main()
