#!/usr/bin/env python3
"""Says what the stand-in would have answered differently from the cloud: replay.py FILE

FILE has recorded traffic (README.md). A request counts as treated differently if the stand-in knows no such method, refuses what the
cloud took or takes what it refused, does not know a field of an answer, or gives another reason. The state before the recording is
not known: `not found` here is ignored where the cloud found the resource. Exit status 1 if there is a difference.
"""
import json, pathlib, sys, tempfile, urllib.parse

from cloud import OPERATOR_TOKEN, Cloud, Request
from errors import Refusal


def reason_of(body):
    error = (body or {}).get("error", {}) if isinstance(body, dict) else {}
    return error.get("errors", [{}])[0].get("reason", error.get("status", "")) if isinstance(error, dict) else ""


def differences(cloud, row):
    """What is different about one request: lines of text."""
    url = urllib.parse.urlsplit(row["url"])
    query = {key: values if len(values) > 1 else values[0] for key, values in urllib.parse.parse_qs(url.query).items()}
    if row["status"] < 300 and isinstance(row.get("response"), dict):
        yield from unknown_fields(cloud, row, url)
    body = json.dumps(row["request"]).encode() if row.get("request") is not None else b""
    answer = cloud.handle(Request(row["method"], url.hostname, url.path, query, body, {"Authorization": f"Bearer {OPERATOR_TOKEN}"}))
    same = (answer.status < 300) == (row["status"] < 300)
    if same and (answer.status < 300 or reason_of(answer.body) == reason_of(row.get("response"))):
        return
    if answer.status == 404 and reason_of(answer.body) in ("notFound", "NOT_FOUND"):
        return
    said = answer.body.get("error", {}).get("message", "") if isinstance(answer.body, dict) else ""
    yield f"the cloud answered {row['status']} {reason_of(row.get('response'))}, the stand-in {answer.status} {reason_of(answer.body)} {said}".rstrip()


def unknown_fields(cloud, row, url):
    try:
        method, _ = cloud.description.find(url.hostname, row["method"], url.path)
        cloud.description.check_value(cloud.description.tables[method.service], method.answer, row["response"], "response")
    except Refusal as refusal:
        yield refusal.message


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: replay.py FILE")
    found = requests = 0
    with tempfile.TemporaryDirectory() as folder:
        cloud = Cloud(pathlib.Path(folder))
        for number, line in enumerate(pathlib.Path(sys.argv[1]).read_text().splitlines(), 1):
            if not line.strip():
                continue
            row, requests = json.loads(line), requests + 1
            for text in differences(cloud, row):
                found += 1
                print(f"{sys.argv[1]}:{number}: {row['method']} {row['url']}: {text}")
    print(f"{requests} requests, {found} differences")
    return 1 if found or not requests else 0


if __name__ == "__main__":
    sys.exit(main())
