"""Types of inputs as `slipway modules` prints them, and values of them that differ from the defaults."""
import json, re

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[A-Za-z_][\w-]*|-?\d[\d.]*|[(){}\[\]=,])')
SIMPLE = ("string", "number", "bool", "any")


class Parser:
    """Reads `list(object({name = string, size = optional(number, 1)}))`.

    The result is a simple type's name, ("list", of), ("set", of), ("map", of) or ("object", {name: type}).
    """

    def __init__(self, text):
        self.words = [match.group(1) for match in TOKEN.finditer(text)]
        self.at = 0

    def take(self, expected=None):
        word = self.words[self.at]
        if expected not in (None, word):
            raise ValueError(f"{expected!r} expected, not {word!r}")
        self.at += 1
        return word

    def type(self):
        word = self.take()
        if word in SIMPLE:
            return word
        self.take("(")
        result = self.optional() if word == "optional" else self.object() if word == "object" else (word, self.type())
        self.take(")")
        return result

    def optional(self):
        result, depth = self.type(), 0
        while depth or self.words[self.at] != ")":  # the default
            depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(self.take(), 0)
        return result

    def object(self):
        attributes = {}
        self.take("{")
        while self.words[self.at] != "}":
            name = self.take()
            self.take("=")
            attributes[name] = self.type()
            if self.words[self.at] == ",":
                self.take()
        self.take("}")
        return "object", attributes


def parsed(text):
    return Parser(text).type()


def value_of(kind, path, default, known):
    """A value that differs from the default. `known` has tuples of values by name or path of an input or attribute."""
    name = path.rsplit(".", 1)[-1]
    values = known.get(path, known.get(name))
    if values is not None:
        return next((value for value in values if value != default), None)
    if kind == "bool":
        return default is not True
    if kind == "number":
        return 4 if default is None else default + 1
    if kind == "string":
        return "another" if default == "other" else "other"
    if kind == "any":
        return {"key": "another" if default == {"key": "other"} else "other"}
    outer, of = kind
    if outer == "object":
        default = default if isinstance(default, dict) else {}
        return {key: value_of(inner, f"{path}.{key}", default.get(key), known) for key, inner in of.items()}
    if outer == "map":
        return {"key": value_of(of, path, (default or {}).get("key"), known)}
    return [value_of(of, path, default[0] if default else None, known)]


def attributes(kind):
    """The attributes of an object or of a list of objects, by name; none for other types."""
    if isinstance(kind, tuple) and kind[0] in ("list", "set"):
        kind = kind[1]
    return kind[1] if isinstance(kind, tuple) and kind[0] == "object" else {}


def with_attribute(value, name, other):
    """A copy of an object, or of a list with one, in which an attribute has another value; null leaves it out."""
    value = json.loads(json.dumps(value))
    place = value[0] if isinstance(value, list) else value
    place[name] = other
    return value
