"""Who may do what: the bindings that were set decide, as in the cloud.

access_roles.json of tests/golden says what a role allows, roles.json adds what only the stand-in asks about ("compute.disks.*" is
all that begin so), and permissions.json what a method needs.
"""
import dataclasses, fnmatch, json, pathlib

from errors import Refusal

HERE = pathlib.Path(__file__).resolve().parent
CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"
# A machine's token is good for a service if it has one of its scopes.
SCOPES = {"storage": ["devstorage.full_control", "devstorage.read_write", "devstorage.read_only"],
          "compute": ["compute", "compute.readonly"], "compute-beta": ["compute", "compute.readonly"]}
READ_ONLY = ("devstorage.read_only", "compute.readonly")


def roles():
    """The permissions of each role."""
    for folder in (HERE, HERE.parent.parent / "golden"):
        if (folder / "access_roles.json").exists():
            found = {role: set(has) for role, has in json.loads((folder / "access_roles.json").read_text())["roles"].items()}
            break
    else:
        raise FileNotFoundError("access_roles.json of tests/golden")
    for role, has in json.loads((HERE / "roles.json").read_text())["roles"].items():
        found.setdefault(role, set()).update(has)
    return found


@dataclasses.dataclass(frozen=True)
class Caller:
    email: str
    scopes: tuple = (CLOUD_PLATFORM,)
    owner: bool = False  # the person who deploys; the project's bindings do not matter


OPERATOR = Caller("operator@example.com", owner=True)


class Rights:
    def __init__(self, cloud):
        self.cloud, self.roles = cloud, roles()
        self.needed = json.loads((HERE / "permissions.json").read_text())["methods"]

    def bindings(self, resources):
        """(role, members) that count at these resources: a binding counts some time after it was set."""
        now = self.cloud.clock() - self.cloud.conditions.get("propagation_seconds", 0)
        for name in resources:
            for binding in self.cloud.policy(name).get("bindings", []):
                yield binding["role"], [member for member in binding.get("members", [])
                                        if self.cloud.bound.get(f"{name} {binding['role']} {member}", 0) <= now]

    def has(self, caller, permission, *resources):
        if caller.owner:
            roles = self.cloud.conditions.get("operator_roles", ["roles/owner"])
            return any(fnmatch.fnmatchcase(permission, has) for role in roles for has in self.roles[role])
        who = {f"serviceAccount:{caller.email}", f"user:{caller.email}", "allUsers", "allAuthenticatedUsers"}
        for role, members in self.bindings(resources):
            if who & set(members):
                if role not in self.roles:
                    raise AssertionError(f"the stand-in does not know {role}: add it to roles.json from its source")
                if any(fnmatch.fnmatchcase(permission, has) for has in self.roles[role]):
                    return True
        return False

    def require(self, caller, permission, *resources):
        """`resources` are those whose bindings count: the resource itself and its project."""
        if not self.has(caller, permission, *resources):
            raise Refusal(403, f"Required '{permission}' permission for '{resources[0]}'", "forbidden")

    def scopes_allow(self, caller, method):
        if caller.owner or CLOUD_PLATFORM in caller.scopes:
            return
        mine = {scope.rsplit("/", 1)[-1] for scope in caller.scopes} & set(SCOPES.get(method.service, []))
        if method.verb != "GET":
            mine -= set(READ_ONLY)
        if not mine:
            raise Refusal(403, "Request had insufficient authentication scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")
