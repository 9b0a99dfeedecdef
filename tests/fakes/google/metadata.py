"""The metadata server: what a machine learns about itself. https://docs.cloud.google.com/compute/docs/metadata/predefined-metadata-keys"""
import json, re

import oslogin
from cloud import MACHINE_TOKEN
from compute.facts import number_of


def dashed(name):
    return re.sub(r"([A-Z])", lambda letter: "-" + letter[1].lower(), name)


def answer(cloud, address, path, query, headers):
    """The status, and the body: bytes, or what becomes JSON."""
    if headers.get("Metadata-Flavor") != "Google" or "X-Forwarded-For" in headers:
        return 403, b"the header Metadata-Flavor is missing"
    with cloud.lock:
        cloud.advance()
        found = next(((machine, record) for machine, record in cloud.instances.records() if record["address"].split("/")[0] == address), None)
        if found is None:
            return 404, b"no machine has this address"
        machine, record = found
        accounts = (cloud.get("compute", machine) or {}).get("serviceAccounts", [])
    if path.startswith("/computeMetadata/v1/instance/service-accounts/"):
        return service_account(machine, accounts, path)
    if path.startswith("/computeMetadata/v1/oslogin/"):
        return oslogin.answer(cloud.folder, path.removeprefix("/computeMetadata/v1/oslogin/"), query)
    tree = {"instance": record["metadata"], "project": {"projectId": record["project"], "numericProjectId": int(number_of(record["project"]))}}
    return walked(tree, path.removeprefix("/computeMetadata/v1/"), query)


def service_account(machine, accounts, path):
    if not accounts:
        return 404, b"this machine has no service account"
    key = path.rstrip("/").rsplit("/", 1)[-1]
    known = {"token": {"access_token": MACHINE_TOKEN + machine, "expires_in": 3599, "token_type": "Bearer"}, "email": accounts[0]["email"].encode(),
             "scopes": "\n".join(accounts[0].get("scopes", [])).encode()}
    return (200, known[key]) if key in known else (404, b"no such key")


def walked(tree, path, query):
    at = tree
    for key in filter(None, path.split("/")):
        if isinstance(at, list):
            at = at[int(key)] if key.isdigit() and int(key) < len(at) else None
        else:
            names = {dashed(name): name for name in at} if isinstance(at, dict) else {}
            name = key if isinstance(at, dict) and key in at else names.get(key)
            at = at.get(name) if name is not None else None
        if at is None:
            return 404, b"no such key"
    if query.get("recursive") == "true" or query.get("alt") == "json":
        return 200, at if isinstance(at, (dict, list)) else json.dumps(at).encode()
    if isinstance(at, dict):
        return 200, "".join(f"{dashed(name)}{'/' if isinstance(inner, (dict, list)) else ''}\n" for name, inner in at.items()).encode()
    return 200, str(at).encode()
