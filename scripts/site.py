#!/usr/bin/env python3
"""Makes the documentation's site with mkdocs.

The pages of docs and those at the top of the tree are copied, their links are made to fit, and mkdocs builds them. The navigation comes from
the lists of docs/README.md. The search of mkdocs needs a web server; ours reads its index from a script, so it also works from disk.

Without FOLDER, `meson install` runs it after it has installed docs: it makes the links of the pages fit, and with mkdocs builds the site in
share/doc/slipway/html.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOP_PAGES = ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
INSTALLED = ("examples", "blueprints")  # in share/slipway, beside share/doc/slipway
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
SEARCH = ROOT / "scripts/site_search.js"


def rewritten(text, page, new_place, to_share):
    """`text` of the page, with links that fit its new place. `to_share` leads from the folder of all pages to share. What is not installed
    is linked to the front page."""

    def fit(found):
        link = found[2]
        if re.match(r"[a-z][a-z0-9+.-]*:|#", link):
            return found[0]
        path, mark, anchor = link.partition("#")
        target = (page.parent / path).resolve()
        if target.is_dir() and (target / "README.md").exists():
            target /= "README.md"
        name = str(target.relative_to(ROOT))
        depth = len(new_place.parts) - 1
        if name.startswith("docs/"):
            return f"{found[1]}{'../' * depth}{name.removeprefix('docs/')}{mark}{anchor}{found[3]}"
        if name in TOP_PAGES:
            return f"{found[1]}{'../' * depth}{name}{mark}{anchor}{found[3]}"
        if name.split("/")[0] in INSTALLED:
            return f"{found[1]}{'../' * depth}{to_share}slipway/{name}{found[3]}"
        return f"{found[1]}{'../' * depth}README.md{found[3]}"

    return LINK.sub(fit, text)


def fences(text):
    """Python-Markdown takes one word after ```: the language."""
    return re.sub(r"^( *```)(\w+)[^\n]*$", r"\1\2", text, flags=re.M)


def copy_pages(docs, to_share, change=lambda text: text):
    for page in sorted((ROOT / "docs").rglob("*")):
        place = docs / page.relative_to(ROOT / "docs")
        if page.is_dir() or page.name == "meson.build":
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".md":
            place.write_text(change(rewritten(page.read_text(), page, place.relative_to(docs), to_share)))
        else:
            shutil.copy(page, place)
    for name in TOP_PAGES:
        (docs / name).write_text(change(rewritten((ROOT / name).read_text(), ROOT / name, pathlib.Path(name), to_share)))


def title_of(page):
    heading = next(line for line in page.read_text().splitlines() if line.startswith("# "))
    return heading.removeprefix("# ").replace("`", "")


def navigation(docs):
    """The lists of README.md, a section for each heading; the decisions and diagnostics in full."""
    nav, section = [{"Home": "README.md"}], None
    for line in (docs / "README.md").read_text().splitlines():
        if line.startswith("## "):
            section = []
            nav.append({line.removeprefix("## "): section})
        elif line.startswith("- ") and section is not None:
            section += [{title_of(docs / path): path} for path in re.findall(r"\]\(([\w/.-]+\.md)\)", line)]
    for place, folder, title in ((-1, "decisions", "Decisions"), (-2, "diagnostics", "Diagnostics")):
        pages = sorted(page for page in (docs / folder).glob("*.md") if page.name != "README.md")
        next(iter(nav[place].values())).append({title: [{title_of(page): str(page.relative_to(docs))} for page in pages]})
    nav.append({"Project": [{title_of(docs / name): name} for name in TOP_PAGES]})
    return nav


def make_search_work_from_disk(site):
    index = (site / "search/search_index.json").read_text()
    (site / "search/search_index.js").write_text(f"var searchIndex = {index};\n")
    shutil.copy(SEARCH, site / "search/main.js")
    for unused in ("worker.js", "search_index.json"):
        (site / "search" / unused).unlink(missing_ok=True)


def build(folder):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        copy_pages(scratch / "docs", "../../../", fences)
        settings = (ROOT / "mkdocs.yml").read_text() + "nav: " + json.dumps(navigation(scratch / "docs")) + "\n"
        (scratch / "mkdocs.yml").write_text(settings)
        done = subprocess.run(["mkdocs", "build", "--quiet", "--site-dir", scratch / "site"], cwd=scratch, capture_output=True, text=True)
        print(done.stderr, end="", file=sys.stderr)
        if done.returncode != 0:
            raise SystemExit("mkdocs failed")
        make_search_work_from_disk(scratch / "site")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(scratch / "site", folder)


def newest_source():
    files = [path for path in (ROOT / "docs").rglob("*") if path.is_file()]
    files += [ROOT / name for name in (*TOP_PAGES, "mkdocs.yml", "scripts/site.py", "scripts/site_search.js")]
    return max(path.stat().st_mtime for path in files)


def install():
    """Makes the links of the installed pages fit, and builds the site. Nothing is done when no page has changed since the last time."""
    folder = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"]) / "share/doc/slipway"
    stamp = folder / ".pages"
    has_site = (folder / "html/index.html").exists() or shutil.which("mkdocs") is None
    if stamp.exists() and stamp.stat().st_mtime >= newest_source() and has_site:
        return
    copy_pages(folder, "../../")
    if shutil.which("mkdocs"):
        build(folder / "html")
    stamp.touch()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="FOLDER", type=pathlib.Path)
    folder = parser.parse_args().folder
    if folder is None:
        install()
        return
    build(folder.resolve())
    print(f"{folder.resolve()}/index.html")


if __name__ == "__main__":
    main()
