#!/usr/bin/env python3
"""Checks the permissions that the definitions of `slipway create` grant: usage: access.py SLIPWAY [BLUEPRINT...]

Reads the grants in the Terraform files of the named blueprints; by default, of every ok- blueprint in create/, of access/
and of all examples. NAME.out lists all grants of a blueprint in access/; SLIPWAY_ACCEPT=1 rewrites it. The account of a
compute or login node must not be able to write cluster.json, read any secret except the cluster's key, change that key, or
impersonate another account. No account may be the project's default account, and nothing may be public. access_roles.json
lists the permissions of roles. access_test.py tests this program with wrong definitions.
"""
import concurrent.futures, json, os, pathlib, re, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from definitions import create
from run import HERE, ROOT, installed

ROLES = json.loads((HERE / "access_roles.json").read_text())["roles"]

# Permissions that the accounts of users' machines must not have, by resource. Replacing an object deletes the old one: https://docs.cloud.google.com/storage/docs/access-control/iam-permissions
EVERYWHERE = {"iam.serviceAccounts.actAs", "iam.serviceAccounts.getAccessToken", "iam.serviceAccounts.setIamPolicy",
              "iam.serviceAccountKeys.create", "resourcemanager.projects.setIamPolicy", "compute.instances.create",
              "compute.instances.delete", "compute.instances.setMetadata"}
OF_BUCKETS = {"storage.objects.create", "storage.objects.delete", "storage.objects.update", "storage.objects.setIamPolicy",
              "storage.buckets.setIamPolicy", "storage.buckets.update", "storage.buckets.delete"}
OF_SECRETS = {"secretmanager.versions.add", "secretmanager.versions.destroy", "secretmanager.secrets.setIamPolicy"}
READS_SECRETS = {"secretmanager.versions.access"}


class Deployment:
    """The resources of all groups, and the targets of their references."""

    def __init__(self, folder):
        self.resources, self.outputs = {}, {}
        for file in sorted(pathlib.Path(folder).rglob("*.tf.json")):
            text = json.loads(file.read_text())
            for kind, named in text.get("resource", {}).items():
                for name, body in named.items():
                    self.resources[f"{kind}.{name}"] = body
            for name, output in text.get("output", {}).items():
                self.outputs[name] = output["value"]

    def of_type(self, pattern):
        return [(name, body) for name, body in self.resources.items() if re.fullmatch(pattern, name.split(".")[0])]

    def follow(self, text):
        """Resolves a string with references: to a known string, or to `TYPE.NAME` of the resource."""
        for _ in range(20):
            before = text
            text = re.sub(r"\$\{([^{}]+)\}", lambda found: self.step(found[1]), str(text))
            if text == before:
                return text
        return text

    def step(self, reference):
        found = re.fullmatch(r"([\w-]+)\.([\w-]+)(?:\.([\w.-]+))?", reference)
        if not found:
            return f"({reference})"
        kind, name, attribute = found.groups()
        if kind == "var":
            value = self.outputs.get(name, f"({reference})")
            for key in attribute.split(".") if attribute else []:
                value = value[key] if isinstance(value, dict) else f"({reference})"
            return str(value)
        body = self.resources.get(f"{kind}.{name}")
        if body is None:
            return f"({reference})"
        if kind == "terraform_data" and attribute == "output":
            return str(body.get("input"))
        return f"{kind}.{name}"

    def account(self, text):
        """The account of an e-mail address or member: `google_service_account.NAME`, or the address."""
        return re.sub(r"^serviceAccount:", "", self.follow(text))

    def bucket(self, text):
        found = re.fullmatch(r"google_storage_bucket\.[\w-]+", self.follow(text))
        return found[0] if found else self.bucket_named(self.follow(text))

    def bucket_named(self, name):
        """The resource with a name, if it exists, since both are the same bucket."""
        for resource, body in self.of_type("google_storage_bucket"):
            if body["name"] == name:
                return resource
        return name


def grants(deployment):
    """(resource, account, role, target: `project`, or a kind and a name)."""
    for name, body in deployment.of_type(r"google_\w+_iam_(member|binding|policy)"):
        if "_iam_policy" in name or "role" not in body:
            yield name, "everybody", "roles/owner", ("project", "")
            continue
        if name.startswith("google_storage_bucket_iam"):
            on = "bucket", deployment.bucket(body["bucket"])
        elif name.startswith("google_secret_manager_secret_iam"):
            on = "secret", deployment.follow(body["secret_id"])
        elif name.startswith("google_service_account_iam"):
            on = "account", deployment.account(body["service_account_id"].rsplit("/", 1)[-1])
        elif name.startswith("google_bigquery_table_iam"):
            on = "table", deployment.follow(body["table_id"])
        else:
            on = "project", ""
        for member in [body["member"]] if "member" in body else body["members"]:
            public = member in ("allUsers", "allAuthenticatedUsers") or member.startswith("project")
            yield name, "everybody" if public else deployment.account(member), body["role"], on


def machines(deployment):
    """(instance template, role of its machines, their account)."""
    for name, body in deployment.of_type("google_compute_instance_template"):
        role = body.get("metadata", {}).get("slipway-role")
        if role:
            email = body.get("service_account", {}).get("email")
            yield name, role, deployment.account(email) if email else None


def forbidden(role, on, files, key):
    """The permissions of a role that the account of a user's machine must not have there."""
    kind, thing = on
    permissions = set(ROLES[role])
    bad = permissions & EVERYWHERE
    if kind == "project" or thing == files:
        bad |= permissions & OF_BUCKETS
    if kind == "project" or kind == "secret":
        bad |= permissions & OF_SECRETS
        bad |= permissions & READS_SECRETS if kind == "project" or thing != key else set()
    return bad


def problems_in(folder):
    deployment = Deployment(folder)
    files = {deployment.bucket(body["bucket"]) for _, body in deployment.of_type("google_storage_bucket_object")
             if body["name"].endswith("/cluster.json")}
    keys = {name for name, _ in deployment.of_type("google_secret_manager_secret") if name.endswith("_munge_key")}
    if not files:
        return  # no cluster
    (files,), (key,) = files, keys
    users, controllers = {"everybody"}, set()
    for name, role, account in machines(deployment):
        if account is None or "default_service_account" in account:
            yield f"{name}: its machines have the project's default account"
        elif role == "controller":
            controllers.add(account)
        else:
            users.add(account)
    for account in users & controllers:
        if account.startswith("google_service_account."):
            yield f"{account}: the controller has an account that users' machines have"
    readers, seen = set(), {}
    for name, account, role, on in grants(deployment):
        # In the cloud, these are one grant: removing one of the resources removes it for both.
        if (other := seen.setdefault((account, role, on), name)) != name:
            yield f"{name}: it grants the same as {other}"
        if role not in ROLES:
            yield f"{name}: access_roles.json does not know {role}"
        elif account in users and (bad := forbidden(role, on, files, key)):
            yield f"{name}: {account} gets {', '.join(sorted(bad))}"
        if on == ("secret", key) and role == "roles/secretmanager.secretAccessor":
            readers.add(account)
    for account in sorted(readers - users - controllers):
        yield f"{account}: it reads the cluster's key, and no machine has it"
    for account in sorted((users | controllers) - readers - {"everybody"}):
        yield f"{account}: it cannot read the cluster's key, and its machines cannot boot"


def check(slipway, blueprint):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "out"
        done = create(slipway, blueprint, folder)
        if done.returncode != 0:
            # Of other blueprints, definitions.py reports the errors.
            return False, [done.stderr] if blueprint.parent == HERE / "access" else []
        problems = list(problems_in(folder))
        if blueprint.parent == HERE / "access":
            problems += unexpected(blueprint.with_suffix(".out"), folder)
        return any(folder.rglob("slurm.conf")), problems


def unexpected(expectation, folder):
    """The differences between the actual and the expected grants."""
    found = sorted({f"{account}: {role} on {' '.join(on).strip()}" for _, account, role, on in grants(Deployment(folder))})
    if os.environ.get("SLIPWAY_ACCEPT") and not os.environ.get("CI"):
        expectation.write_text("".join(line + "\n" for line in found))
    expected = expectation.read_text().splitlines()
    return [f"granted: {line}" for line in found if line not in expected] + [
        f"not granted: {line}" for line in expected if line not in found]


def main():
    named = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    blueprints = named or sorted((HERE / "create").glob("ok-*.yaml")) + sorted((HERE / "access").glob("*.yaml")) + sorted(
        path for path in (ROOT / "examples").glob("*.yaml") if not path.stem.endswith("-deployment"))
    failed = clusters = 0
    with tempfile.TemporaryDirectory() as folder:
        slipway = installed(sys.argv[1], pathlib.Path(folder) / "prefix")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for blueprint, (cluster, problems) in zip(blueprints, pool.map(lambda b: check(slipway, b), blueprints)):
                clusters += cluster
                failed += bool(problems)
                print(f"{'FAIL' if problems else 'ok  ' if cluster else 'none'} {blueprint.stem}", *problems, sep="\n     ")
    print(f"{clusters} clusters of {len(blueprints)} blueprints, {failed} failed")
    return 1 if failed or not clusters else 0


if __name__ == "__main__":
    sys.exit(main())
