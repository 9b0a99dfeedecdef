"""What Terraform's provider sends for buckets, secrets, accounts and their bindings."""
import base64, urllib.parse

from links import name_of
from provider_machines import camel, one
from provider_words import STORAGE, camels, labels_of, picked


class StorageResources:
    """A part of Provider."""

    def make_storage_bucket(self, body):
        made = {**picked(body, "name", "location", "storage_class"), "labels": labels_of(body), "iamConfiguration": {}}
        if body.get("uniform_bucket_level_access") is not None:
            made["iamConfiguration"]["uniformBucketLevelAccess"] = {"enabled": body["uniform_bucket_level_access"]}
        if body.get("public_access_prevention"):
            made["iamConfiguration"]["publicAccessPrevention"] = body["public_access_prevention"]
        for key in ("versioning", "autoclass", "hierarchical_namespace", "custom_placement_config", "retention_policy", "soft_delete_policy"):
            if one(body.get(key)):
                made[camel(key)] = camels(one(body[key]))
        self.send("POST", STORAGE + "b", made, project=body["project"])
        return {"id": body["name"], "name": body["name"], "url": f"gs://{body['name']}", "//bucket": [body["name"], bool(body.get("force_destroy"))],
                "self_link": f"https://www.googleapis.com/storage/v1/b/{body['name']}"}

    def make_storage_bucket_object(self, body):
        data = body["content"].encode() if body.get("content") is not None else body["//read"](body["source"])
        found = self.send("POST", f"storage.googleapis.com/upload/storage/v1/b/{body['bucket']}/o", data, uploadType="media", name=body["name"])
        return {"id": f"{body['bucket']}-{body['name']}", "name": body["name"], "bucket": body["bucket"], "output_name": body["name"],
                "self_link": found["selfLink"], "md5hash": found["md5Hash"], "generation": found["generation"],
                "//url": f"{STORAGE}b/{body['bucket']}/o/{urllib.parse.quote(body['name'], safe='')}"}

    def make_storage_anywhere_cache(self, body):
        self.send("POST", f"{STORAGE}b/{body['bucket']}/anywhereCaches", picked(body, "zone", "ttl", "admission_policy"))
        return {"id": f"{body['bucket']}/{body['zone']}", "anywhere_cache_id": body["zone"],
                "//post": f"{STORAGE}b/{body['bucket']}/anywhereCaches/{body['zone']}/disable"}

    def make_secret_manager_secret(self, body):
        replication = one(body["replication"]) or {}
        made = {"replication": {"automatic": {}} if "auto" in replication else {"userManaged": camels(one(replication["user_managed"]))},
                "labels": labels_of(body)}
        found = self.send("POST", f"secretmanager.googleapis.com/v1/projects/{body['project']}/secrets", made, secretId=body["secret_id"])
        return {"id": found["name"], "name": found["name"], "secret_id": body["secret_id"], "//url": f"secretmanager.googleapis.com/v1/{found['name']}"}

    # rights


    def make_secret_manager_secret_version(self, body):
        data = base64.b64encode(body.get("secret_data_wo", body.get("secret_data")).encode()).decode()
        found = self.send("POST", f"secretmanager.googleapis.com/v1/{body['secret']}:addVersion", {"payload": {"data": data}})
        return {"id": found["name"], "name": found["name"], "version": name_of(found["name"]),
                "//post": f"secretmanager.googleapis.com/v1/{found['name']}:destroy"}
    def make_service_account(self, body):
        made = {"accountId": body["account_id"], "serviceAccount": picked(body, "display_name", "description")}
        found = self.send("POST", f"iam.googleapis.com/v1/projects/{body['project']}/serviceAccounts", made)
        return {"id": found["name"], "name": found["name"], "email": found["email"], "member": f"serviceAccount:{found['email']}",
                "unique_id": found["uniqueId"], "account_id": body["account_id"], "//url": f"iam.googleapis.com/v1/{found['name']}"}

    def bind(self, read, write, role, members, add=True):
        """Adds members to a role, or removes them, as the provider does: it reads the policy, changes and writes it."""
        policy = self.send(*read)
        bindings = {row["role"]: row for row in policy.get("bindings", [])}
        row = bindings.setdefault(role, {"role": role, "members": []})
        row["members"] = sorted(set(row["members"]) | set(members)) if add else [member for member in row["members"] if member not in members]
        policy["bindings"] = [row for row in bindings.values() if row["members"]]
        verb, url, whole = write
        self.send(verb, url, policy if whole else {"policy": policy})

    def binding(self, on, name, body):
        """A binding's requests, and what undoes it."""
        members = [body["member"]] if "member" in body else list(body["members"])
        self.bind(*policy_of(on, name), body["role"], members)
        return {"id": f"{name}/{body['role']}/{','.join(members)}", "//bound": [on, name, body["role"], members]}

    def make_project_iam_member(self, body):
        return self.binding("project", body["project"], body)

    def make_storage_bucket_iam_member(self, body):
        return self.binding("bucket", body["bucket"].removeprefix("b/"), body)

    make_storage_bucket_iam_binding = make_storage_bucket_iam_member

    def make_secret_manager_secret_iam_member(self, body):
        secret = body["secret_id"] if "/" in body["secret_id"] else f"projects/{body['project']}/secrets/{body['secret_id']}"
        return self.binding("secret", secret, body)

    def make_service_account_iam_member(self, body):
        return self.binding("account", body["service_account_id"], body)

    def unbind(self, on, name, role, members):
        self.bind(*policy_of(on, name), role, members, add=False)

    def remove_bucket(self, name, force):
        if force:
            for found in self.send("GET", f"{STORAGE}b/{name}/o").get("items", []):
                self.send("DELETE", f"{STORAGE}b/{name}/o/{urllib.parse.quote(found['name'], safe='')}")
        self.send("DELETE", f"{STORAGE}b/{name}")


def policy_of(on, name):
    """How to read the policy of something, and how to write it: (verb, URL), (verb, URL, whether the body is the policy)."""
    if on == "bucket":
        url = f"{STORAGE}b/{name}/iam"
        return ("GET", url), ("PUT", url, True)
    url = {"project": f"cloudresourcemanager.googleapis.com/v1/projects/{name}", "secret": f"secretmanager.googleapis.com/v1/{name}",
           "account": f"iam.googleapis.com/v1/{name}", "table": f"bigquery.googleapis.com/bigquery/v2/{name}"}[on]
    return ("GET" if on == "secret" else "POST", f"{url}:getIamPolicy"), ("POST", f"{url}:setIamPolicy", False)
