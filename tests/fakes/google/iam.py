"""IAM and Resource Manager: service accounts, and the bindings of projects and accounts."""
import copy, re

from compute.facts import number_of
from errors import Refusal

MEMBER = re.compile(r"(user|group|serviceAccount|domain|principal|principalSet|deleted):.+|allUsers|allAuthenticatedUsers|"
                    r"project(Owner|Editor|Viewer):.+")


class Iam:
    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        verb = method.name.split(".")[1]
        name = params.get("name") or params.get("resource")
        found = re.fullmatch(r"projects/([^/]+)(?:/serviceAccounts(?:/([^/]+))?)?", name)
        project, email = found[1], found[2]
        if project == "-" and email:
            project = self.project_of(email)
            name = f"projects/{project}/serviceAccounts/{email}"
        self.cloud.rights.require(caller, f"iam.serviceAccounts.{verb}", *([name] if email else []), f"projects/{project}")
        if email and self.account(email) is None:
            raise Refusal(404, f"Unknown service account: {email}", word="NOT_FOUND")
        return getattr(self, verb)(project, email, name, body)

    @staticmethod
    def project_of(email):
        found = re.fullmatch(r"[^@]+@([^.]+)\.iam\.gserviceaccount\.com", email)
        return found[1] if found else "-"

    def account(self, email):
        """The account, or null; a new one is not known everywhere for some time."""
        if re.fullmatch(r"\d+-compute@developer\.gserviceaccount\.com", email):
            return {"email": email, "default": True}
        return self.cloud.get("iam", f"projects/{self.project_of(email)}/serviceAccounts/{email}")

    def is_known(self, email):
        """Whether other services know it: an account of a project that is not ours counts as known."""
        account = self.account(email)
        ours = {path.split("/")[1] for path, _ in self.cloud.under("iam", "projects/")}
        if account is None:
            return self.project_of(email) not in ours
        return self.cloud.bound.get(f"account {email}", 0) <= self.cloud.clock() - self.cloud.conditions.get("propagation_seconds", 0)

    def create(self, project, email, name, body):
        account = body.get("accountId", "")
        if not re.fullmatch(r"[a-z]([-a-z0-9]{4,28}[a-z0-9])", account):
            raise Refusal(400, f"Account ID '{account}' must be 6 to 30 lowercase letters, digits and hyphens, and begin with a letter.")
        email = f"{account}@{project}.iam.gserviceaccount.com"
        path = f"projects/{project}/serviceAccounts/{email}"
        if self.cloud.get("iam", path) is not None:
            raise Refusal(409, f"Service account {account} already exists within project projects/{project}.")
        self.cloud.bound[f"account {email}"] = self.cloud.clock()
        return self.cloud.put("iam", path, {"name": path, "projectId": project, "uniqueId": self.cloud.new_id(), "email": email, "etag": "BwA=",
                                            "oauth2ClientId": "1", **(body.get("serviceAccount") or {})})

    def get(self, project, email, name, body):
        return self.account(email)

    def list(self, project, email, name, body):
        return {"accounts": [one for _, one in self.cloud.under("iam", f"projects/{project}/serviceAccounts/")]}

    def patch(self, project, email, name, body):
        account = self.account(email)
        account.update({key: value for key, value in (body.get("serviceAccount") or {}).items() if key in body.get("updateMask", "").split(",")})
        return account

    def delete(self, project, email, name, body):
        self.cloud.remove("iam", f"projects/{project}/serviceAccounts/{email}")
        for policy in self.cloud.policies.values():  # the bindings stay, with the account marked
            for binding in policy["bindings"]:
                binding["members"] = [f"deleted:{one}?uid=1" if one == f"serviceAccount:{email}" else one for one in binding["members"]]
        return {}

    def getIamPolicy(self, project, email, name, body):
        return copy.deepcopy(self.cloud.policy(name))

    def setIamPolicy(self, project, email, name, body):
        return self.set_policy(name, body.get("policy") or {})

    def set_policy(self, name, policy):
        """Replaces the bindings of a resource, if nobody else did since it was read."""
        before = self.cloud.policy(name)
        if policy.get("etag") not in (None, "", before["etag"]):
            raise Refusal(409, "There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff.",
                          "aborted", "ABORTED")
        for binding in policy.get("bindings", []):
            if not re.fullmatch(r"(projects/[^/]+/|organizations/[^/]+/)?roles/[\w.]+", binding.get("role") or ""):
                raise Refusal(400, f"Role '{binding.get('role')}' is not valid.")
            for member in binding.get("members", []):
                self.check_member(member)
                key = f"{name} {binding['role']} {member}"
                if not any(one["role"] == binding["role"] and member in one["members"] for one in before["bindings"]):
                    self.cloud.bound[key] = self.cloud.clock()
        self.cloud.policies[name] = {"version": policy.get("version", 1), "etag": f"BwA{self.cloud.new_id()[-8:]}=",
                                     "bindings": copy.deepcopy([one for one in policy.get("bindings", []) if one.get("members")])}
        return copy.deepcopy(self.cloud.policies[name])

    def check_member(self, member):
        if not MEMBER.fullmatch(member):
            raise Refusal(400, f"Invalid member: '{member}'.")
        if member.startswith("serviceAccount:") and not self.is_known(member.removeprefix("serviceAccount:")):
            raise Refusal(400, f"Service account {member.removeprefix('serviceAccount:')} does not exist.")

    def may_act_as(self, caller, email, project):
        """Giving a machine an account needs the right to act as it."""
        if email == "default":
            email = f"{number_of(project)}-compute@developer.gserviceaccount.com"
        if not self.is_known(email):
            raise Refusal(404, f"The resource 'projects/{project}/serviceAccounts/{email}' was not found", "notFound")
        owner = self.project_of(email)
        owner = project if owner == "-" else owner
        if not self.cloud.rights.has(caller, "iam.serviceAccounts.actAs", f"projects/{owner}/serviceAccounts/{email}", f"projects/{owner}"):
            raise Refusal(403, f"The user does not have access to service account '{email}'.  User: '{caller.email}'.  Ask a project owner to grant "
                               "you the iam.serviceAccountUser role on the service account", "forbidden")


class ResourceManager:
    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        project = params.get("projectId") or params["resource"]
        if project not in self.cloud.conditions.get("projects", [project]):
            raise Refusal(403, "The caller does not have permission", word="PERMISSION_DENIED")
        verb = method.name.split(".")[1]
        if verb == "testIamPermissions":
            return {"permissions": [one for one in body.get("permissions", []) if self.cloud.rights.has(caller, one, f"projects/{project}")]}
        self.cloud.rights.require(caller, self.cloud.rights.needed[f"cloudresourcemanager:{method.name}"], f"projects/{project}")
        if verb == "get":
            return {"projectId": project, "projectNumber": number_of(project), "name": project, "lifecycleState": "ACTIVE",
                    "createTime": "2026-01-01T00:00:00Z"}
        if verb == "getIamPolicy":
            return copy.deepcopy(self.cloud.policy(f"projects/{project}"))
        return self.cloud.services["iam"].set_policy(f"projects/{project}", body.get("policy") or {})
