#!/usr/bin/env python3
"""The stand-in for Terraform on this machine: serve.py FOLDER prints `export` lines for the provider, then serves until it is ended.

    GOOGLE_OAUTH_ACCESS_TOKEN and GOOGLE_…_CUSTOM_ENDPOINT lead the real Google provider here; it listens on 127.0.0.1 only.
"""
import pathlib, sys, threading

from cloud import OPERATOR_TOKEN, Cloud
from google_cloud import Handler, Server, tick

# The provider's variable for each service: https://registry.terraform.io/providers/hashicorp/google/latest/docs/guides/provider_reference
ENDPOINTS = {"COMPUTE": "compute.googleapis.com/compute/v1/", "STORAGE": "storage.googleapis.com/storage/v1/",
             "SECRET_MANAGER": "secretmanager.googleapis.com/v1/", "IAM": "iam.googleapis.com/v1/",
             "RESOURCE_MANAGER": "cloudresourcemanager.googleapis.com/v1/", "CLOUD_RESOURCE_MANAGER": "cloudresourcemanager.googleapis.com/v1/",
             "FILESTORE": "file.googleapis.com/v1/", "LUSTRE": "lustre.googleapis.com/v1/", "SERVICE_USAGE": "serviceusage.googleapis.com/v1/",
             "BIG_QUERY": "bigquery.googleapis.com/bigquery/v2/", "BIGQUERY_CONNECTION": "bigqueryconnection.googleapis.com/v1/",
             "DNS": "dns.googleapis.com/dns/v1/", "NETAPP": "netapp.googleapis.com/v1/",
             "PUBSUB": "pubsub.googleapis.com/v1/", "SQL": "sqladmin.googleapis.com/sql/v1beta4/",
             "CLOUD_QUOTAS": "cloudquotas.googleapis.com/v1/", "SERVICE_NETWORKING": "servicenetworking.googleapis.com/v1/"}


class ByPath(Handler):
    """The first part of a path is the service's host."""

    def answer(self, host, path, query, body):
        parts = path.split("/", 2)
        self.headers["X-Prefix"] = f"http://{self.headers['Host']}/{parts[1]}"
        if parts[1] == "upload":  # the provider puts this before the whole path of its endpoint
            return super().answer("storage.googleapis.com", "/upload/" + parts[2].removeprefix("storage.googleapis.com/"), query, body)
        return super().answer(parts[1], "/" + (parts[2] if len(parts) > 2 else ""), query, body)


def start(folder):
    """Serves in the background; gives the server, and the variables that lead the provider to it."""
    ByPath.cloud = Cloud(folder)
    server = Server(("127.0.0.1", 0), ByPath)
    for work in (server.serve_forever, lambda: tick(ByPath.cloud)):
        threading.Thread(target=work, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    return server, {"GOOGLE_OAUTH_ACCESS_TOKEN": OPERATOR_TOKEN,
                    **{f"GOOGLE_{name}_CUSTOM_ENDPOINT": f"{base}/{place}" for name, place in ENDPOINTS.items()}}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: serve.py FOLDER")
    _, variables = start(pathlib.Path(sys.argv[1]))
    print("".join(f"export {name}='{value}'\n" for name, value in variables.items()), end="", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
