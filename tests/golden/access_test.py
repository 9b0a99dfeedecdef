#!/usr/bin/env python3
"""Tests that access.py finds definitions that grant too much to users' machines."""
import copy, json, pathlib, sys, tempfile, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
from access import problems_in


def template(role, email):
    return {"metadata": {"slipway-role": role}, "service_account": {"email": email}}


def member(**settings):
    return {"member": "${google_service_account.nodes.member}", **settings}


# A small cluster as written by `slipway create`.
RIGHT = {
    "google_compute_instance_template": {"controller": template("controller", "${google_service_account.controller.email}"),
                                         "nodes": template("compute", "${google_service_account.nodes.email}"),
                                         "login": template("login", "login@site.iam.gserviceaccount.com")},
    "google_service_account": {"controller": {"account_id": "c-controller"}, "nodes": {"account_id": "c-nodes"}},
    "terraform_data": {"nodes_account": {"input": "${google_service_account.nodes.email}"}},
    "google_storage_bucket": {"files": {"name": "p-c-slurm"}, "data": {"name": "data"}},
    "google_storage_bucket_object": {"cluster": {"bucket": "${google_storage_bucket.files.name}", "name": "c/cluster.json"}},
    "google_secret_manager_secret": {"controller_munge_key": {"secret_id": "c-munge-key"}, "other": {"secret_id": "o"}},
    "google_storage_bucket_iam_member": {
        "files": member(bucket="p-c-slurm", role="roles/storage.objectViewer"),
        "data": member(bucket="${google_storage_bucket.data.name}", role="roles/storage.objectUser")},
    "google_secret_manager_secret_iam_member": {
        name: {"secret_id": "${google_secret_manager_secret.controller_munge_key.id}", "member": f"serviceAccount:{email}",
               "role": "roles/secretmanager.secretAccessor"}
        for name, email in {"nodes": "${terraform_data.nodes_account.output}", "login": "login@site.iam.gserviceaccount.com",
                            "controller": "${google_service_account.controller.email}"}.items()},
    "google_project_iam_member": {"power": {"project": "p", "role": "roles/compute.instanceAdmin.v1",
                                            "member": "${google_service_account.controller.member}"}},
}


class Access(unittest.TestCase):
    def problems(self, changes=(), outputs=()):
        resources = copy.deepcopy(RIGHT)
        for kind, name, body in changes:
            resources.setdefault(kind, {})[name] = body
        with tempfile.TemporaryDirectory() as folder:
            group = pathlib.Path(folder) / "d" / "primary"
            group.mkdir(parents=True)
            text = {"resource": resources, "output": dict(outputs)}
            (group / "all.tf.json").write_text(json.dumps(text))
            return list(problems_in(folder))

    def finds(self, words, *changes, **more):
        found = self.problems(changes, **more)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_takes_what_is_right(self):
        self.assertEqual(self.problems(), [])

    def test_the_default_account(self):
        for email in None, "${data.google_compute_default_service_account.controller.email}":
            found = self.problems([("google_compute_instance_template", "more", template("compute", email))])
            self.assertEqual(found, ["google_compute_instance_template.more: its machines have the project's default account"])

    def test_roles_that_write_the_clusters_files(self):
        for role in "objectUser", "objectAdmin", "admin", "legacyBucketWriter", "legacyBucketOwner", "objectCreator":
            self.finds(["more", "google_service_account.nodes gets", "storage."],
                       ("google_storage_bucket_iam_member", "more",
                        member(bucket="${google_storage_bucket.files.name}", role=f"roles/storage.{role}")))

    def test_the_same_bucket_by_its_name_and_the_whole_project(self):
        self.finds(["storage.objects.delete"], ("google_storage_bucket_iam_member", "more",
                                                member(bucket="p-c-slurm", role="roles/storage.objectUser")))
        self.finds(["storage.objects.delete"], ("google_project_iam_member", "more",
                                                member(project="p", role="roles/storage.objectAdmin")))

    def test_an_address_that_comes_from_elsewhere(self):
        by_variable = {"member": "serviceAccount:${var.email_nodes}", "project": "p", "role": "roles/editor"}
        self.finds(["google_service_account.nodes gets"], ("google_project_iam_member", "more", by_variable),
                   outputs={"email_nodes": {"value": "${terraform_data.nodes_account.output}"}})
        by_text = {"member": "serviceAccount:login@site.iam.gserviceaccount.com", "project": "p", "role": "roles/owner"}
        self.finds(["login@site.iam.gserviceaccount.com gets"], ("google_project_iam_member", "more", by_text))

    def test_a_bucket_that_comes_from_another_group(self):
        mounted = member(bucket="${var.network_storage_data.remote_mount}", role="roles/storage.objectUser")
        change = "google_storage_bucket_iam_member", "data", mounted
        for bucket, problems in ("data", 0), ("files", 1):
            storage = {"remote_mount": "${google_storage_bucket.%s.name}" % bucket, "server_ip": ""}
            self.assertEqual(len(self.problems([change], {"network_storage_data": {"value": storage}})), problems)

    def test_secrets_that_are_not_theirs(self):
        role = "roles/secretmanager.secretAccessor"
        self.finds(["secretmanager.versions.access"], ("google_project_iam_member", "more", member(project="p", role=role)))
        self.finds(["secretmanager.versions.access"], ("google_secret_manager_secret_iam_member", "more",
                                                       member(secret_id="${google_secret_manager_secret.other.id}", role=role)))
        self.finds(["secretmanager.versions.add"],
                   ("google_secret_manager_secret_iam_member", "more",
                    member(secret_id="${google_secret_manager_secret.controller_munge_key.id}",
                           role="roles/secretmanager.secretVersionAdder")))

    def test_ways_to_become_another_account(self):
        for role in "iam.serviceAccountUser", "iam.serviceAccountTokenCreator", "compute.instanceAdmin.v1":
            self.finds(["google_service_account.nodes gets"],
                       ("google_project_iam_member", "more", member(project="p", role=f"roles/{role}")))
        self.finds(["iam.serviceAccounts.actAs"],
                   ("google_service_account_iam_member", "more",
                    member(service_account_id="${google_service_account.controller.name}", role="roles/iam.serviceAccountUser")))

    def test_everybody(self):
        for who in "allUsers", "allAuthenticatedUsers", "projectEditor:p":
            self.finds(["everybody gets"], ("google_storage_bucket_iam_binding", "more",
                                            {"bucket": "${google_storage_bucket.files.name}", "members": [who],
                                             "role": "roles/storage.objectAdmin"}))

    def test_one_account_for_all_roles(self):
        found = self.problems([("google_compute_instance_template", "more",
                                template("compute", "${google_service_account.controller.email}"))])
        self.assertTrue(any("the controller has an account that users' machines have" in one for one in found), found)

    def test_two_resources_that_grant_the_same(self):
        again = {"member": "serviceAccount:${terraform_data.nodes_account.output}", "role": "roles/storage.objectViewer",
                 "bucket": "${google_storage_bucket.files.name}"}
        self.finds(["grants the same as google_storage_bucket_iam_member.files"],
                   ("google_storage_bucket_iam_member", "more", again))

    def test_a_role_that_is_not_in_the_table(self):
        self.finds(["access_roles.json does not know roles/new"],
                   ("google_project_iam_member", "more", member(project="p", role="roles/new")))

    def test_who_reads_the_key_without_need_and_who_cannot(self):
        key = {"secret_id": "${google_secret_manager_secret.controller_munge_key.id}",
               "role": "roles/secretmanager.secretAccessor"}
        self.finds(["x@y", "no machine has it"],
                   ("google_secret_manager_secret_iam_member", "more", {**key, "member": "serviceAccount:x@y"}))
        self.finds(["z@y", "cannot boot"], ("google_compute_instance_template", "more", template("compute", "z@y")))


if __name__ == "__main__":
    unittest.main()
