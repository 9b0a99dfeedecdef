"""Operations: what takes time in Compute Engine, and how it ended."""
import copy, datetime, uuid

from links import link, part


def timestamp(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat(timespec="milliseconds")


class Operations:
    def __init__(self, cloud):
        self.cloud = cloud

    def start(self, place, kind, target, caller, work=None, seconds=None, group=None, more=None):
        """Answers with an operation that is running. When it is over, `work` is called; it may give a list of errors (code, message),
        or a dict to add to the operation."""
        name = f"operation-{int(self.cloud.clock() * 1000)}-{uuid.uuid4().hex[:13]}"
        path = f"{place}/operations/{name}"
        now = timestamp(self.cloud.clock())
        operation = {"kind": "compute#operation", "id": self.cloud.new_id(), "name": name, "operationType": kind, "targetLink": link(target),
                     "targetId": (self.cloud.get("compute", target) or {}).get("id", "0"), "status": "RUNNING", "progress": 0,
                     "user": caller.email, "insertTime": now, "startTime": now, "selfLink": link(path), **(more or {})}
        if group:
            operation["operationGroupId"] = group
        for scope, key in (("zones", "zone"), ("regions", "region")):
            if part(place, scope):
                operation[key] = link(place)
        self.cloud.put("compute", path, operation)
        answer = copy.deepcopy(operation)
        if seconds is None:
            seconds = self.cloud.conditions.get("operation_seconds", 0)
        self.cloud.at(seconds, lambda: self.end(operation, work))
        return answer

    def end(self, operation, work):
        result = work() if work else None
        operation.update(status="DONE", progress=100, endTime=timestamp(self.cloud.clock()))
        if isinstance(result, dict):
            operation.update(result)
        elif result:
            operation.update(failed(result))


def failed(errors):
    """What an operation with errors has, from (code, message)."""
    return {"error": {"errors": [{"code": code, "message": message} for code, message in errors]},
            "httpErrorStatusCode": 400, "httpErrorMessage": "BAD REQUEST"}
