"""Inputs that are made to hurt, or are no text at all. Each is a Case: what stands in the files, and what is said."""

import dataclasses
import itertools
import os

MIB = 1 << 20


@dataclasses.dataclass
class Case:
    name: str
    text: bytes | str = b""                # of the blueprint
    module: bytes | str | None = None      # of ./module/module.yaml, which the blueprint then uses
    deployment_file: bytes | str | None = None
    make: object = None                    # a function that makes the blueprint at a path instead
    says: str = ""                         # stands in what is printed
    status: int = 1


def blueprint(variable):
    """A sound blueprint with one more variable, on the last line."""
    return f"""blueprint_name: b
deployment_groups:
- group: g
  modules:
  - {{id: n, source: modules/network/vpc}}
vars:
  deployment_name: d
  project_id: p
  region: r
  zone: z
  x: {variable}
"""


WITH_MODULE = """blueprint_name: b
vars: {deployment_name: d}
deployment_groups:
- group: g
  modules:
  - {id: m, source: ./module}
"""
WITH_FILE = blueprint("1")


def laughs(levels, join):
    """Each line is nine times the one before."""
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} " + join(f"*a{n - 1}") for n in range(1, levels)]
    return "\n".join(lines) + "\n"


def doubling(first, double):
    """Forty variables, each twice as large as the one before."""
    return blueprint(first) + "".join(f"  x{n}: {double.replace('@', f'x{n - 1}' if n else 'x')}\n" for n in range(40))


DEEP = 10_000
LIMIT = MIB  # the largest file that is read


def fill(start, unit, size=LIMIT):
    """`start`, and as many `unit`s (a text, or a function of their number) as make a file of `size` bytes at most."""
    if isinstance(unit, str):
        return start + unit * ((size - 8 - len(start)) // len(unit))
    parts, length = [start], len(start)
    for number in itertools.count():
        part = unit(number)
        length += len(part)
        if length > size - 8:
            return "".join(parts)
        parts.append(part)


# Of each kind a file as large as may be, and one of 10 MB.
LARGE = {
    "one long text": lambda size: fill(blueprint("") [:-1], "x", size) + "\n",
    "one long quoted text": lambda size: fill(blueprint('"')[:-1], "x", size) + '"\n',
    "many lines of a text": lambda size: fill(blueprint("|"), "    line\n", size),
    "a list of numbers": lambda size: fill(blueprint(""), "  - 7\n", size),
    "a list in brackets": lambda size: fill(blueprint("[")[:-1], "7,", size) + "7]\n",
    "many variables": lambda size: fill(blueprint("1"), lambda n: f"  k{n}: 1\n", size),
    "many keys of one mapping": lambda size: fill(blueprint(""), lambda n: f"    k{n}: 1\n", size),
    "many unknown keys": lambda size: fill(blueprint("1"), lambda n: f"k{n}: 1\n", size),
    "one key many times": lambda size: fill(blueprint("1"), "  x: 1\n", size),
    "many modules": lambda size: fill("deployment_groups:\n- group: g\n  modules:\n",
                                      lambda n: f"  - {{id: n{n}, source: modules/network/vpc}}\n", size),
    "many groups": lambda size: fill("deployment_groups:\n",
                                     lambda n: f"- {{group: g{n}, modules: []}}\n", size),
    "many expressions": lambda size: fill(blueprint(""), "  - $(vars.y)\n", size),
    "many anchors": lambda size: fill(blueprint(""), lambda n: f"  - &a{n} 1\n", size),
    "many settings": lambda size: fill(WITH_FILE.replace("vpc}", "vpc, settings: {") .split("vars:")[0].rstrip() + "\n",
                                       lambda n: f"    k{n}: 1,\n", size) + "  }}\n",
    "a long comment": lambda size: fill("# ", "x", size) + "\n",
    "many comments": lambda size: fill("", "# x\n", size),
    "many empty lines": lambda size: fill("", "\n", size),
    "many spaces": lambda size: fill("", " ", size),
    "many opening brackets": lambda size: fill("a: ", "[", size),
    "many dashes": lambda size: fill("a:\n", "- ", size),
    "many question marks": lambda size: fill("", "? ", size),
    "many bangs": lambda size: fill("a: ", "!", size),
    "many ampersands": lambda size: fill("a: ", "&", size),
    "many anchors in a row": lambda size: fill("a: ", "&a ", size),
    "a long line with an error at its end": lambda size: fill("a: [", "7,", size) + "}\n",
    "a long line of errors": lambda size: fill("vars: {", "a:1,a: 1,", size) + "}\n",
    "an expression of one long name": lambda size: fill(blueprint('"$(')[:-1], "x", size) + ')"\n',
    "an expression of many operators": lambda size: fill(blueprint('"((1')[:-1], "+1", size) + '))"\n',
    "an expression of many items": lambda size: fill(blueprint('"(([')[:-1], "1,", size) + ']))"\n',
    "a text of many expressions": lambda size: fill(blueprint('"')[:-1], "$(vars.y)", size) + '"\n',
    "a text of many backslashes": lambda size: fill(blueprint("'")[:-1], "\\", size) + "$(vars.x)'\n",
    "a text of many dollars": lambda size: fill(blueprint("'")[:-1], "$(", size) + "'\n",
    "a template of many steps": lambda size: fill(blueprint("((var.a")[:-1], ".a", size) + "))\n",
}

DEEP_EXPRESSIONS = {
    "parentheses": "(" * DEEP + "1" + ")" * DEEP,
    "brackets": "[" * DEEP + "]" * DEEP,
    "braces": "{a=" * DEEP + "1" + "}" * DEEP,
    "negations": "!" * DEEP + "true",
    "minus signs": "- " * DEEP + "1",
    "templates": '"${' * DEEP + "1" + '}"' * DEEP,
    "calls": "upper(" * DEEP + '"a"' + ")" * DEEP,
    "conditionals": "true ? 1 : " * DEEP + "1",
    "conditions": "true ? " * DEEP + "1" + " : 1" * DEEP,
    "sums": "1 + " * DEEP + "1",
    "steps": "var.x" + ".a" * DEEP,
    "indexes": "var.x" + "[0]" * DEEP,
    "indexes of indexes": "var.x[" * DEEP + "0" + "]" * DEEP,
    "splats": "var.x" + "[*]" * DEEP,
    "loops": "[for a in " * DEEP + "[]" + " : a]" * DEEP,
}


def cases():
    yield from bytes_that_are_no_text()
    yield from things_that_are_no_files()
    yield from bombs()
    for name, make in LARGE.items():
        yield Case(f"{name}, 1 MiB", make(LIMIT))
        yield Case(f"{name}, 10 MB", make(10_000_000), says="more than 1048576 bytes")
    yield from deep()


def bytes_that_are_no_text():
    sound = WITH_FILE.encode()
    yield Case("a program", open("/bin/true", "rb").read(), says="is not allowed in a YAML file")
    yield Case("random bytes", bytes((n * 197 + n // 7 * 31) % 256 for n in range(100_000)), says="is not allowed")
    yield Case("bytes of zero", bytes(100_000), says="is not allowed in a YAML file")
    yield Case("a byte of zero", sound + b"\0", says="the byte 0x00 is not allowed in a YAML file")
    for name, encoding in (("16, little end first", "utf-16-le"), ("16, big end first", "utf-16-be"), ("32", "utf-32-le")):
        yield Case(f"UTF-{name}", WITH_FILE.encode(encoding), says="UTF-8")
        yield Case(f"UTF-{name}, with a byte order mark", ("\ufeff" + WITH_FILE).encode(encoding), says="UTF-8")
    yield Case("Latin-1", blueprint("Zürich").encode("latin-1"), says="the byte 0xFC is not allowed in a YAML file")
    yield Case("overlong UTF-8", sound + b"# \xc0\xaf\n", says="the byte 0xC0 is not allowed")
    yield Case("a surrogate in UTF-8", sound + b"# \xed\xa0\x80\n", says="the byte 0xED is not allowed")
    yield Case("an escape of the terminal", sound + b"# \x1b[31m\n", says="the byte 0x1B is not allowed")
    yield Case("CRLF", sound.replace(b"\n", b"\r\n"), says="the variable `x`")
    yield Case("CR alone", sound.replace(b"\n", b"\r"), says="a carriage return but no line feed")
    yield Case("a byte order mark", b"\xef\xbb\xbf" + sound, says="the variable `x`")
    yield Case("two byte order marks", b"\xef\xbb\xbf" * 2 + sound, says="byte order mark")
    yield Case("a byte order mark on the second line", sound.replace(b"\n", b"\n\xef\xbb\xbf", 1), says="error[")
    yield Case("no line feed at the end", sound[:-1], says="the variable `x`")
    yield Case("nothing", b"", says="error[")
    yield Case("a line feed", b"\n", says="error[")
    yield Case("comments only", b"# a\n# b", says="error[")
    yield Case("a byte order mark only", b"\xef\xbb\xbf", says="error[")
    yield Case("document marks only", b"---\n...\n", says="error[")
    yield Case("directives only", b"%YAML 1.2\n", says="error[")
    yield Case("a tab", b"\t", says="error[")
    for bad in (b"\xff", b"a\0", b"[", b"&a [*a]"):
        yield Case(f"a deployment file with {bad!r}", WITH_FILE, deployment_file=bad, says="error[")
        yield Case(f"a module file with {bad!r}", WITH_MODULE, module=bad, says="error[")


def things_that_are_no_files():
    yield Case("a folder", make=os.mkdir, says="Is a directory")
    yield Case("a named pipe", make=os.mkfifo, says="not a regular file")
    yield Case("/dev/zero", make=lambda path: os.symlink("/dev/zero", path), says="not a regular file")
    yield Case("/dev/full", make=lambda path: os.symlink("/dev/full", path), says="not a regular file")
    yield Case("a terminal", make=lambda path: os.symlink("/dev/ptmx", path), says="not a regular file")
    yield Case("a link to itself", make=lambda path: os.symlink(path, path), says="Too many levels of symbolic links")
    yield Case("a link to nowhere", make=lambda path: os.symlink("nowhere", path), says="No such file or directory")
    if os.getuid() != 0:
        yield Case("a file that is not for us", make=lambda path: os.close(os.open(path, os.O_CREAT, 0)),
                   says="Permission denied")
    yield Case("a name that is too long", make=lambda path: None, says="No such file or directory")


def bombs():
    twice = lambda name: f"[{', '.join([name] * 9)}]"
    yield Case("a billion laughs", laughs(12, twice), says="aliases expand to more than")
    yield Case("a billion laughs in mappings", laughs(12, lambda a: f"{{{', '.join(f'k{n}: {a}' for n in range(9))}}}"),
               says="aliases expand to more than")
    merged = laughs(12, lambda a: f"{{k: {twice(a)}, <<: {{b: {twice(a)}}}}}")
    yield Case("a billion laughs in merged mappings", merged, says="aliases expand to more than")
    keys = "a0: &a0 {" + ", ".join(f"k{n}: 1" for n in range(1000)) + "}\n"
    yield Case("many merges of one mapping", keys + "b: {<<: [" + ", ".join(["*a0"] * 100_000) + "]}\n",
               says="aliases expand to more than")
    yield Case("merges of merges", keys + "".join(f"a{n}: &a{n} {{<<: *a{n - 1}, m{n}: 1}}\n" for n in range(1, 2000)),
               says="aliases expand to more than")
    yield Case("many aliases of a long text", f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 100_000)}]\n",
               says="aliases expand to more than")
    yield Case("a long list in many anchors", "a: " + "".join(f"&a{n} [" for n in range(150)) + "1," * 90_000 + "]" * 150,
               says="aliases expand to more than")
    yield Case("an anchor in itself", "a: &a [*a]\n", says="error[")
    chain = ["a0: &a0 " + "[" * 400 + "]" * 400]
    chain += [f"a{n}: &a{n} " + "[" * 400 + f"*a{n - 1}" + "]" * 400 for n in range(1, 40)]
    yield Case("aliases that nest", blueprint("1") + "\n".join("  " + line for line in chain) + "\n", says="nested")
    yield Case("texts that double", doubling("aaaaaaaa", '"$(vars.@)$(vars.@)"'), says="error[")
    yield Case("lists that double", doubling("[1, 2]", "((concat(var.@, var.@)))"), says="error[")
    yield Case("lists of lists that double", doubling("[1, 2]", "(([var.@, var.@]))"), says="error[")
    yield Case("objects that double", doubling("{a: 1}", "(({a = var.@, b = var.@}))"), says="error[")
    yield Case("joined texts that double", doubling("aaaa", '((join("", [var.@, var.@])))'), says="error[")
    yield Case("replaced texts that double", doubling("aaaa", '((replace(var.@, "a", "aa")))'), says="error[")
    yield Case("YAML lists that double", doubling("[1, 2]", "[$(vars.@), $(vars.@)]"), says="error[")
    later = doubling("((timestamp()))", '"$(vars.@)$(vars.@)"')
    yield Case("texts of the deployment that double", later, says="error[")
    yield Case("a setting of a text that doubled",
               later.replace("vpc}", "vpc, settings: {network_name: $(vars.x39)}}"), says="error[")
    ten = "[" + ",".join("0123456789") + "]"
    loops = ten
    for n in range(9):
        loops = f"flatten([for a{n} in {ten} : {loops}])"
    yield Case("loops in loops", blueprint(f"(({loops}))"), says="error[")
    yield Case("a long range", blueprint("((range(1000000000)))"), says="error[")
    yield Case("a wide format", blueprint('((format("%999999999d", 1)))'), says="error[")
    yield Case("a large product", blueprint(f"((setproduct({', '.join([ten] * 12)})))"), says="error[")
    yield Case("a hard pattern", blueprint(f'((regexall("(a*)*b", "{"a" * 5000}")))'), says="error[")
    yield Case("a long pattern", blueprint(f'((regex("{"(" * 5000 + ")" * 5000}", "a")))'), says="error[")
    yield Case("a large number", blueprint("((1e99999))"), says="error[")
    yield Case("a large number in YAML", blueprint("1e99999"), says="error[")
    yield Case("many instances", blueprint("1").replace("vpc}", "vpc, for_each: ((range(100000)))}"), says="error[")


def deep():
    yield Case("deep blocks", "".join(" " * n + "a:\n" for n in range(1000)), says="nested")
    yield Case("deep lists", "- " * DEEP, says="nested")
    yield Case("deep brackets", "a: " + "[" * DEEP + "]" * DEEP, says="nested")
    yield Case("deep braces", "a: " + "{a: " * DEEP + "}" * DEEP, says="nested")
    yield Case("deep keys", "? " * DEEP + "a", says="nested")
    for name, text in DEEP_EXPRESSIONS.items():
        quoted = text.replace("'", "''")
        yield Case(f"deep {name} in (( ))", blueprint(f"'(({quoted}))'"), says="error[")
        yield Case(f"deep {name} in $( )", blueprint(f"'$({quoted.replace('var.x', 'vars.x')})'"), says="error[")
    kinds = {"list(": ")", "object({a = ": "})", "tuple([": "])", "optional(": ")"}
    for begin, end in kinds.items():
        yield Case(f"deep types of {begin}", WITH_MODULE,
                   module=f"inputs: {{a: {{type: '{begin * DEEP}string{end * DEEP}'}}}}\n", says="nested too deeply")
    yield Case("a deep default", WITH_MODULE, module=f"inputs: {{a: {{type: any, default: {'[' * DEEP}{']' * DEEP}}}}}\n",
               says="nested")
    rules = f"inputs: {{a: {{type: any, default: 1}}}}\nrules: [{{that: '$({'!' * DEEP}true)', at: a, else: x}}]\n"
    yield Case("a deep rule", WITH_MODULE, module=rules, says="nested")
    locals_in_a_row = "inputs: {a: {type: any, default: 1}}\nrules: [{that: $(local.l0 == 1), at: a, else: x}]\nlocals:\n"
    yield Case("ten thousand locals in a row", WITH_MODULE,
               module=locals_in_a_row + "".join(f"  l{n}: $(local.l{n + 1})\n" for n in range(DEEP)), says="error[")
    yield Case("ten thousand variables in a row", blueprint("1") + "".join(f"  x{n}: $(vars.x{n + 1})\n" for n in range(DEEP)),
               says="a chain of more than 200 variables")
    modules = "".join(f"  - {{id: n{n}, source: modules/network/vpc, settings: {{network_name: $(n{n + 1}.network_name)}}}}\n"
                      for n in range(1000))
    yield Case("a thousand modules in a row", blueprint("1").replace("vars:\n", modules + "vars:\n"), says="error[")
