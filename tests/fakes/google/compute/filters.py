"""The parameter `filter` of lists, and `fields`: https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances/list

Both ways of writing are known: `status = RUNNING AND labels.a:b*`, and `name eq "regular expression"`.
"""
import fnmatch, re

from errors import Refusal

TOKEN = re.compile(r"""\s*(?:(?P<paren>[()])|(?P<op>!=|>=|<=|=|:|<|>)|"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)'|(?P<word>[^\s()=!<>:"']+))""")


def tokens(text):
    at, found = 0, []
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        if not match:
            raise refused(text)
        quoted = match["double"] if match["double"] is not None else match["single"]
        found.append(("text", quoted) if quoted is not None else ("op", match["op"]) if match["op"] else ("paren", match["paren"])
                     if match["paren"] else ("word", match["word"]))
        at = match.end()
    return found


def refused(text):
    return Refusal(400, f"Invalid value for field 'filter': '{text}'. Invalid list filter expression.", "invalid")


class Filter:
    """Called with a resource, says whether it is wanted."""

    def __init__(self, text):
        self.text, self.tokens, self.at = text, tokens(text), 0
        self.test = self.any_of() if self.tokens else lambda resource: True
        if self.at != len(self.tokens):
            raise refused(text)

    def __call__(self, resource):
        return self.test(resource)

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def any_of(self):
        parts = [self.all_of()]
        while self.peek() == ("word", "OR"):
            self.next()
            parts.append(self.all_of())
        return lambda resource: any(part(resource) for part in parts)

    def all_of(self):
        parts = [self.one()]
        while self.peek()[0] != "end" and self.peek() not in (("word", "OR"), ("paren", ")")):
            if self.peek() == ("word", "AND"):
                self.next()
            parts.append(self.one())
        return lambda resource: all(part(resource) for part in parts)

    def one(self):
        kind, word = self.next()
        if (kind, word) == ("word", "NOT"):
            inner = self.one()
            return lambda resource: not inner(resource)
        if (kind, word) == ("paren", "("):
            inner = self.any_of()
            if self.next() != ("paren", ")"):
                raise refused(self.text)
            return inner
        (what, operator), (value_kind, value) = self.next(), self.next()
        if kind not in ("word", "text") or value_kind not in ("word", "text") or (what, operator) not in OPERATORS:
            raise refused(self.text)
        return lambda resource: OPERATORS[what, operator](values_at(resource, word), value)


def values_at(resource, path):
    """The values of a field: "labels.a", "networkInterfaces.networkIP"."""
    found = [resource]
    for key in re.findall(r'[^."]+|"[^"]*"', path):
        inside = []
        for one in found:
            for part in one if isinstance(one, list) else [one]:
                if isinstance(part, dict) and key.strip('"') in part:
                    inside.append(part[key.strip('"')])
        found = inside
    flat = []
    for one in found:
        flat.extend(one if isinstance(one, list) else [one])
    return [str(one).lower() if isinstance(one, bool) else str(one) for one in flat]


def equal(values, wanted):
    return any(fnmatch.fnmatchcase(value, wanted) if "*" in wanted else value == wanted or value.endswith("/" + wanted) for value in values)


def matches(values, wanted):
    """RE2, for the whole value."""
    return any(re.fullmatch(wanted, value) for value in values)


def has(values, wanted):
    return bool(values) if wanted == "*" else any(fnmatch.fnmatchcase(value, wanted) or wanted in value for value in values)


OPERATORS = {("op", "="): equal, ("op", "!="): lambda values, wanted: not equal(values, wanted), ("op", ":"): has,
             ("word", "eq"): matches, ("word", "ne"): lambda values, wanted: not matches(values, wanted),
             ("op", ">"): lambda values, wanted: any(value > wanted for value in values),
             ("op", "<"): lambda values, wanted: any(value < wanted for value in values),
             ("op", ">="): lambda values, wanted: any(value >= wanted for value in values),
             ("op", "<="): lambda values, wanted: any(value <= wanted for value in values)}


def partial(answer, fields):
    """What `fields` leaves of an answer: "items(name,status),nextPageToken", "items/*/instances/name"."""
    return keep(answer, parsed_fields(fields)) if fields and isinstance(answer, dict) else answer


def parsed_fields(text):
    """The fields as nested objects; {} keeps all."""
    found, depth, start, parts = {}, 0, 0, []
    for at, letter in enumerate(text + ","):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    for part in parts:
        path, _, inside = part.strip().partition("(")
        at = found
        for key in path.split("/"):
            at = at.setdefault(key, {})
        if inside:
            at.update(parsed_fields(inside.rstrip()[:-1]))
    return found


def keep(value, fields):
    if not fields:
        return value
    if isinstance(value, list):
        return [keep(one, fields) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: keep(one, fields[key if key in fields else "*"]) for key, one in value.items() if key in fields or "*" in fields}
