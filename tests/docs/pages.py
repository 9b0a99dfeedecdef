"""The pages of the documentation, and the fenced blocks in them."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pages():
    """Every page that people read, in a stable order: those at the top, then those of docs."""
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
    return [page for page in top if page.exists()] + sorted((ROOT / "docs").rglob("*.md"))


def is_generated(page):
    """Whether scripts/reference.py has made the page, from what the programs print."""
    return page.read_text().startswith("<!-- Made by ")


def name_of(page):
    return str(page.relative_to(ROOT))


def blocks(page):
    """(line, info, body) of each fenced block. `info` is what follows the three backticks."""
    text = page.read_text()
    for found in re.finditer(r"^( *)```([^`\n]*)\n(.*?)^\1```$", text, re.M | re.S):
        yield text[: found.start()].count("\n") + 1, found[2].strip(), found[3]


def before(page, line):
    """The commands that a comment before the block at `line` has: `<!-- before: cp … -->`. A test runs them first; readers do not see them."""
    above = page.read_text().splitlines()[: line - 1]
    while above and not above[-1].strip():
        above.pop()
    found = re.fullmatch(r"\s*<!-- before: (.*) -->", above[-1]) if above else None
    return found[1] if found else ""


def inline_code(page):
    """(line, text) of each `text` outside of fenced blocks."""
    text = re.sub(r"^( *)```.*?^\1```$", lambda found: "\n" * found[0].count("\n"), page.read_text(), flags=re.M | re.S)
    for found in re.finditer(r"`([^`\n]+)`", text):
        yield text[: found.start()].count("\n") + 1, found[1].replace("\\|", "|")


def prose(page):
    """The text without fenced blocks and code in backticks, where nothing is a link."""
    text = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "``", text)
