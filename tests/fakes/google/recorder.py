"""Writes the requests down: `log` has a line for each, `traffic.jsonl` has them with their answers, as replay.py reads them (README.md)."""
import json, urllib.parse

HIDDEN = ("payload", "privateKeyData", "access_token", "rawKey")


def without_secrets(value):
    """The same, with the values of secrets and keys replaced by their length."""
    if isinstance(value, dict):
        return {key: f"hidden, {len(json.dumps(one))} bytes" if key in HIDDEN else without_secrets(one) for key, one in value.items()}
    return [without_secrets(one) for one in value] if isinstance(value, list) else value


def as_json(body):
    """The value in a body, or null if it is not JSON: contents of objects are not recorded."""
    if not isinstance(body, bytes):
        return without_secrets(body)
    try:
        return without_secrets(json.loads(body)) if body else None
    except ValueError:
        return None


class Recorder:
    def __init__(self, folder):
        self.folder = folder

    def write(self, request, answer):
        if not (self.folder / "record").exists():
            return
        query = "?" + urllib.parse.urlencode(request.query, doseq=True) if request.query else ""
        row = {"method": request.verb, "url": f"https://{request.host}{request.path}{query}", "request": as_json(request.body),
               "status": answer.status, "response": as_json(answer.body)}
        with open(self.folder / "traffic.jsonl", "a") as file:
            file.write(json.dumps(row) + "\n")
