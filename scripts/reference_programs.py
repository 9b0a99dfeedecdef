"""What the programs say about themselves (`--help=json`), for manual pages and docs/reference."""
import json, os, subprocess

COLLECTIVES = ["all_gather", "all_reduce", "alltoall", "alltoallv", "broadcast", "gather", "hypercube", "reduce",
               "reduce_scatter", "scatter", "sendrecv"]
# The environment variables of every command.
OF_ALL = [{"name": "NO_COLOR", "text": "if set, nothing is printed in color"},
          {"name": "LC_ALL, LC_CTYPE, LANG", "text": "with a locale without UTF-8, such as C, text is printed in ASCII; data stays UTF-8"}]


def printed(*words):
    # A sanitized program would report what MPI never frees.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(done.stdout)


class Programs:
    """Everything that describes itself."""

    def __init__(self, slipway, perf, *others):
        *programs, plugins = others
        self.version = printed(slipway, "version", "--json")["version"]
        self.slipway = slipway
        self.commands = printed(slipway, "help", "--json")["commands"]
        self.perf = printed(perf, "all_gather", "--help=json")
        self.programs = [printed(program, "--help=json") for program in [perf, *programs]]
        self.plugins = printed(plugins)["plugins"]

    def modules(self):
        for one in printed(self.slipway, "modules", "--json")["modules"]:
            yield printed(self.slipway, "modules", one["path"], "--json")


def spelled(option):
    """`-o, --output FILE`, as (names, value)."""
    names = [f"-{option['letter']}"] if option["letter"] else []
    names += [f"--{option['name']}"] if option["name"] else []
    return names, option["value"]


def with_default(option):
    if not option["default"]:
        return option["help"]
    return f"{option['help']} (default{':' if option['computed'] else ''} {option['default']})"


def sections(description):
    """The shown options by their headings, in order."""
    found = {}
    for option in description["options"]:
        if not option["hidden"]:
            found.setdefault(option["section"] or "Options", []).append(option)
    return found
