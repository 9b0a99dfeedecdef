"""Refusals in the format of Google's services: https://cloud.google.com/apis/design/errors"""


class Refusal(Exception):
    """An answer with another status than 200. `reason` is what clients look at: "rateLimitExceeded", "notFound", …"""

    def __init__(self, status, message, reason="", word=""):
        super().__init__(message)
        self.status, self.message, self.reason, self.word = status, message, reason, word or WORDS.get(status, "")

    def body(self):
        error = {"code": self.status, "message": self.message}
        if self.reason:
            error["errors"] = [{"message": self.message, "domain": "global", "reason": self.reason}]
        if self.word:
            error["status"] = self.word
        return {"error": error}


WORDS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ALREADY_EXISTS",
         412: "FAILED_PRECONDITION", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}


def invalid(field, value, why=""):
    return Refusal(400, f"Invalid value for field '{field}': '{value}'. {why}".strip(), "invalid")


def missing(field):
    return Refusal(400, f"Invalid value for field '{field}': ''. Required field cannot be empty.", "required")


def not_found(path):
    return Refusal(404, f"The resource '{path}' was not found", "notFound")


def exists(path):
    return Refusal(409, f"The resource '{path}' already exists", "alreadyExists")


def in_use(path, by):
    return Refusal(400, f"The {path.split('/')[-2].removesuffix('s')} resource '{path}' is already being used by '{by}'",
                   "resourceInUseByAnotherResource")
