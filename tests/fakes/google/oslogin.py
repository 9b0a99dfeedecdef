"""OS Login at the metadata server: accounts that FOLDER/oslogin.json gives to people, as Google's library for the name service asks for
them. https://github.com/GoogleCloudPlatform/guest-oslogin, src/nss/nss_oslogin.cc and src/oslogin_utils.cc

The file has a list of accounts: {"username": "alice", "uid": "5001"}, and what else an account has.
"""
import json

COMMON = {"primary": True, "shell": "/bin/bash", "operatingSystemType": "LINUX"}


def accounts(folder):
    file = folder / "oslogin.json"
    rows = json.loads(file.read_text()) if file.exists() else []
    return [{"gid": row["uid"], "homeDirectory": f"/home/{row['username']}", **COMMON, **row} for row in rows]


def profile(account):
    return {"name": account["uid"], "posixAccounts": [account]}


def answer(folder, path, query):
    """The status, and the body. Unknown names and numbers are not found. All accounts are on one page; the next one, whose token is 0, has
    none. Nobody has groups."""
    known = accounts(folder)
    if path == "users":
        for key in {"username", "uid"} & query.keys():
            known = [one for one in known if one[key] == query[key]]
            return (200, {"loginProfiles": [profile(one) for one in known]}) if known else (404, b"")
        return 200, {"nextPageToken": "0"} if "pagetoken" in query or not known else {"loginProfiles": [profile(one) for one in known], "nextPageToken": "1"}
    if path == "groups":
        return 200, {"nextPageToken": "0"}
    return 404, b""
