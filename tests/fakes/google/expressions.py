"""Evaluates the Terraform expressions that our definitions have: strings with ${…}, objects, lists, conditions, functions."""
import base64, hashlib, json, re

TOKEN = re.compile(r"""\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_][\w-]*)|(?P<op>==|!=|<=|>=|&&|\|\||=>|\.\.\.|[-+*/%!<>?:.,=(){}\[\]])|(?P<quote>"))""")
END = ("end", "")


class Evaluator:
    """`look_up(["google_compute_network", "network", "id"])` gives the value of a reference, and how many of the names it took."""

    def __init__(self, look_up):
        self.look_up = look_up

    def value(self, value):
        """A value of a .tf.json, with its expressions evaluated. null stays null."""
        if isinstance(value, dict):
            return {key: self.value(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.value(one) for one in value]
        return self.template(value) if isinstance(value, str) else value

    def template(self, text):
        """A string with interpolations; a single interpolation keeps its type."""
        parts, at, literal = [], 0, ""
        while at < len(text):
            if text.startswith(("$${", "%%{"), at):
                literal, at = literal + text[at + 1:at + 3], at + 3
            elif text.startswith("${", at):
                if literal:
                    parts.append(literal)
                    literal = ""
                parser = Parser(self, text, at + 2)
                parts.append((parser.expression(),))
                parser.expect("}")
                at = parser.at
            else:
                literal, at = literal + text[at], at + 1
        if literal or not parts:
            parts.append(literal)
        if len(parts) == 1 and isinstance(parts[0], tuple):
            return parts[0][0]
        return "".join(as_text(one[0]) if isinstance(one, tuple) else one for one in parts)


def as_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


class Parser:
    def __init__(self, evaluator, text, at, scope=None):
        self.evaluator, self.text, self.at, self.scope = evaluator, text, at, scope or {}

    def peek(self):
        match = TOKEN.match(self.text, self.at)
        if not match:
            return END
        kind = match.lastgroup
        return kind, match[kind]

    def next(self):
        match = TOKEN.match(self.text, self.at)
        if not match:
            raise ValueError(f"an expression that is not understood: {self.text[self.at:self.at + 80]!r}")
        self.at = match.end()
        return match.lastgroup, match[match.lastgroup]

    def take(self, operator):
        if self.peek() == ("op", operator):
            self.next()
            return True
        return False

    def expect(self, operator):
        if not self.take(operator):
            raise ValueError(f"`{operator}` is missing in an expression, before {self.text[self.at:self.at + 80]!r}")

    def expression(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        first = self.expression()
        self.expect(":")
        second = self.expression()
        return first if condition else second

    LEVELS = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))

    def binary(self, level):
        if level == len(self.LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek()[0] == "op" and self.peek()[1] in self.LEVELS[level]:
            operator = self.next()[1]
            right = self.binary(level + 1)
            left = OPERATORS[operator](left, right)
        return left

    def unary(self):
        if self.take("!"):
            return not self.unary()
        if self.take("-"):
            return -self.unary()
        value = self.primary()
        while True:
            if self.take("["):
                key = self.expression()
                self.expect("]")
                value = value[int(key)] if isinstance(value, list) else value[key]
            elif self.take("."):
                value = value[self.next()[1]]
            else:
                return value

    def primary(self):
        kind, word = self.next()
        if kind == "number":
            return float(word) if "." in word else int(word)
        if kind == "quote":
            return self.string()
        if word == "(":
            value = self.expression()
            self.expect(")")
            return value
        if word == "[":
            return self.list()
        if word == "{":
            return self.object()
        if word in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[word]
        if self.peek() == ("op", "("):
            return self.call(word)
        if word in self.scope:
            return self.scope[word]
        return self.reference(word)

    def string(self):
        """The rest of a string in quotes, which may have interpolations itself."""
        parts = []
        while self.text[self.at] != '"':
            if self.text[self.at] == "\\":
                parts.append({"n": "\n", "t": "\t", "r": "\r"}.get(self.text[self.at + 1], self.text[self.at + 1]))
                self.at += 2
            elif self.text.startswith(("$${", "%%{"), self.at):
                parts.append(self.text[self.at + 1:self.at + 3])
                self.at += 3
            elif self.text.startswith("${", self.at):
                inner = Parser(self.evaluator, self.text, self.at + 2, self.scope)
                parts.append(as_text(inner.expression()))
                inner.expect("}")
                self.at = inner.at
            else:
                parts.append(self.text[self.at])
                self.at += 1
        self.at += 1
        return "".join(parts)

    def list(self):
        if self.peek() == ("name", "for"):
            return [value for _, value in self.loop("]", False)]
        found = []
        while not self.take("]"):
            found.append(self.expression())
            self.take(",")
        return found

    def object(self):
        if self.peek() == ("name", "for"):
            return dict(self.loop("}", True))
        found = {}
        while not self.take("}"):
            kind, word = self.next()
            key = self.string() if kind == "quote" else self.key_in_parens() if word == "(" else word
            if not self.take("="):
                self.expect(":")
            found[key] = self.expression()
            self.take(",")
        return found

    def key_in_parens(self):
        value = self.expression()
        self.expect(")")
        return value

    def loop(self, end, pairs):
        """[for one in list : value if condition], {for key, one in map : key => value}."""
        self.next()
        names = [self.next()[1]]
        if self.take(","):
            names.append(self.next()[1])
        self.next()  # in
        source = self.expression()
        self.expect(":")
        start, found, close = self.at, [], self.at
        rows = list(source.items()) if isinstance(source, dict) else list(enumerate(source))
        for key, one in rows or [(None, {})]:
            scope = {**self.scope, **({names[0]: one} if len(names) == 1 else {names[0]: key, names[1]: one})}
            inner = Parser(self.evaluator, self.text, start, scope)
            first = inner.expression()
            value = (inner.expect("=>"), inner.expression())[1] if pairs else first
            wanted = (inner.next(), inner.expression())[1] if inner.peek() == ("name", "if") else True
            inner.expect(end)
            close = inner.at
            if rows and wanted:
                found.append((first, value))
        self.at = close
        return found

    def call(self, name):
        self.expect("(")
        arguments = []
        while not self.take(")"):
            arguments.append(self.expression())
            self.take("...")
            self.take(",")
        if name not in FUNCTIONS:
            raise ValueError(f"the function {name}() is not known: add it to expressions.py")
        return FUNCTIONS[name](*arguments)

    def reference(self, first):
        words, ends = [first], [self.at]
        while self.peek() == ("op", "."):
            self.next()
            words.append(self.next()[1])
            ends.append(self.at)
        value, used = self.evaluator.look_up(words)
        self.at = ends[used - 1]
        return value


OPERATORS = {"||": lambda a, b: a or b, "&&": lambda a, b: a and b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
             "<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
             "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b, "%": lambda a, b: a % b}


def hcl_json(value):
    """As Terraform writes JSON: sorted keys, no spaces, < > & escaped."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


FUNCTIONS = {
    "split": lambda by, text: text.split(by), "join": lambda by, parts: by.join(map(as_text, parts)), "jsonencode": hcl_json,
    "jsondecode": json.loads, "md5": lambda text: hashlib.md5(text.encode()).hexdigest(),
    "sha256": lambda text: hashlib.sha256(text.encode()).hexdigest(), "base64encode": lambda text: base64.b64encode(text.encode()).decode(),
    "base64sha256": lambda text: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode(), "length": len,
    "merge": lambda *maps: {key: value for one in maps if one for key, value in one.items()}, "lookup": lambda map, key, *other: map.get(key, *other),
    "keys": sorted, "values": lambda map: [map[key] for key in sorted(map)], "concat": lambda *lists: [one for row in lists for one in row],
    "element": lambda row, at: row[at % len(row)], "contains": lambda row, one: one in row, "lower": str.lower, "upper": str.upper,
    "coalesce": lambda *all: next(one for one in all if one not in (None, "")), "distinct": lambda row: list(dict.fromkeys(row)),
    "replace": lambda text, old, new: re.sub(old[1:-1], new, text) if old.startswith("/") and old.endswith("/") else text.replace(old, new),
    "trimprefix": lambda text, prefix: text.removeprefix(prefix), "trimsuffix": lambda text, suffix: text.removesuffix(suffix),
    "tostring": as_text, "tolist": list, "toset": lambda row: sorted(set(row)), "tonumber": float, "parseint": int, "tobool": bool, "try": lambda *all: all[0],
    "one": lambda row: row[0] if row else None, "format": lambda text, *all: re.sub("%[vsd]", "%s", text) % all, "sort": sorted,
    "substr": lambda text, at, size: text[at:at + size] if size >= 0 else text[at:], "min": min, "max": max, "compact": lambda row: [one for one in row if one],
    "flatten": lambda row: [one for part in row for one in (part if isinstance(part, list) else [part])], "reverse": lambda row: row[::-1],
    "sensitive": lambda value: value, "nonsensitive": lambda value: value, "basename": lambda text: text.rsplit("/", 1)[-1],
}
