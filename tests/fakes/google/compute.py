"""The part of the fake that is Compute Engine: a machine is the file instances/NAME.json."""
import json, re


class Compute:
    def __init__(self, folder, lock, error):
        self.folder, self.lock, self.error = folder, lock, error

    def answer(self, method, path, query, body):
        found = re.fullmatch(r"/compute/v1/projects/([^/]+)/zones/([^/]+)/(\w+)(/(.+))?", path)
        if not found:
            raise self.error(400, f"the fake does not know {path}")
        raise self.error(400, f"the fake does not know {method} {path}")
