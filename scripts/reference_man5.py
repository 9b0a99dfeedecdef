"""Makes the manual pages about files (section 5) from pages of docs/reference that people write."""
import pathlib, re

from reference_man import literal, roff

PAGES = pathlib.Path(__file__).resolve().parents[1] / "docs/reference"
BULLET = r"\(bu"  # as roff spells it, which terminals without UTF-8 show, too
# The page, what it is called, its line under NAME, and where to look next.
FILES = {
    "slipway-blueprint": ("blueprint-language.md", "the language of blueprints and deployment files",
                          ["slipway-check(1)", "slipway-explain(1)", "slipway-modules(1)"]),
    "slipway-node-profile": ("node-profile.md", "what a node knows about itself",
                             ["slipway-health(1)", "nccl_env(8)", "node_health(8)"]),
    "slipway-health-policy": ("policy.md", "what health findings mean on your nodes",
                              ["slipway-health-policy(1)", "slipway-health(1)", "node_health(8)"]),
    "slipway-ledger": ("ledgers.md", "what happened to a training job", ["slipway-ledger(1)", "slipway-launch(1)"]),
}


def spans(text):
    """Code and what is important in bold, links as their text."""
    text = re.sub(r"\[((?:`[^`]*`|[^\]`])*)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"(\*\*.+?\*\*|`[^`]*`)", text)
    out = ""
    for part in parts:
        if part.startswith("**"):
            out += "\\fB" + roff(part.strip("*").replace("`", "")) + "\\fR"
        else:
            out += roff(re.sub(r"(?<![\w*])\*([^*]+)\*(?![\w*])", r"\1", part) if not part.startswith("`") else part)
    return out


def cells(line):
    """Those of a row; `|` within code is written as \\|."""
    return [one.strip().replace("\\|", "|") for one in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def table(lines):
    """The first cell as a heading, the others below it, by the names of their columns where there are several."""
    heads, rows = cells(lines[0]), [cells(line) for line in lines[2:]]
    # A column without a name: the table has one by its first cell, such as "in a group".
    out = [f".SS {spans(heads[0][0].upper() + heads[0][1:])}"] if len(heads) == 2 and heads[0] and not heads[1] else []
    for row in rows:
        named = [f"{head}: {one}" if len(row) > 2 and head and n > 1 else one
                 for n, (head, one) in enumerate(zip(heads, row)) if n > 0 and one]
        out += [".TP", spans(row[0]) or "\\ ", *(spans("; ".join(named)).split("\n"))]
    return out + [".PP"]


def verbatim(lines):
    return [".PP", ".RS 2", ".nf", *(literal(line) if line else ".sp" for line in lines), ".fi", ".RE", ".PP"]


def blocks(text):
    """(kind, lines) of each block: code, head, table, list, text."""
    lines = text.split("\n")
    while lines:
        line = lines.pop(0)
        if line.startswith("```"):
            body = []
            while not lines[0].startswith("```"):
                body.append(lines.pop(0))
            lines.pop(0)
            yield "code", body
        elif line.startswith("#"):
            yield "head", [line]
        elif line.strip():
            body = [line]
            while lines and lines[0].strip() and not lines[0].startswith(("```", "#")):
                body.append(lines.pop(0))
            yield ("table" if line.startswith("|") else "list" if re.match(r"(-|\d+\.) ", line) else "text"), body


def items(lines):
    """Those of a list, each with a mark before it."""
    out = []
    for one in re.split(r"\n(?=(?:-|\d+\.) )", "\n".join(lines)):
        mark, text = one.split(" ", 1)
        out += [rf".IP {BULLET if mark == '-' else mark} 4", *spans(re.sub(r"\n\s*", "\n", text)).split("\n")]
    return out + [".PP"]


def body(text):
    out = []
    for kind, lines in blocks(text):
        if kind == "head":
            level, title = lines[0].split(" ", 1)
            out.append(f".SH {roff(title.replace('`', '')).upper()}" if level == "##" else f".SS {roff(title.replace('`', ''))}")
        elif kind == "text":
            out += [".PP", *spans("\n".join(lines)).split("\n")]
        else:
            out += {"code": verbatim, "table": table, "list": items}[kind](lines)
    return out


def page(name, version):
    source, what, also = FILES[name]
    text = (PAGES / source).read_text().split("\n", 1)[1]  # without its title
    text = re.sub(r"^<!-- .* -->$", "", text, flags=re.M)
    text = re.sub(r"\n\nNext: .*$", "\n", text, flags=re.S)
    lines = [".\\\" -*- coding: UTF-8 -*-", f'.TH {name.upper()} 5 "" "Slipway {version}" "Slipway Manual"', ".nh", ".ad l",
             ".SH NAME", f"{roff(name)} \\- {roff(what)}", ".SH DESCRIPTION", *body(text), ".SH SEE ALSO",
             ", ".join(f"\\fB{roff(one[:-3])}\\fR{one[-3:]}" for one in also)]
    return "\n".join(lines) + "\n"


def format_pages(version):
    return {f"{name}.5": page(name, version) for name in FILES}
