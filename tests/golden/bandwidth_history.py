#!/usr/bin/env python3
"""Checks `slipway bandwidth`: usage: bandwidth_history.py SLIPWAY

Reports of 14 runs, of which the last five have a new driver and are slower. The table, the JSON and the page must agree.
"""
import json, os, pathlib, random, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from page import Page
from run import breaks_schema, installed

TABLE = """\
all_gather on 2 nodes of <b>blue</b>, 16 ranks, a3-megagpu-8g, nccl, NET/FasTrak, pipelined
  14 runs from 2026-11-01 08:15 to 2026-11-14 08:15
                                           GB/s      now   change  since             with
  large sizes together                   187.99   172.84   -8.1 %  2026-11-10 08:15  driver 550.90.07 -> 560.35.03
  1 GiB, float, in place                 187.99   172.84   -8.1 %  2026-11-10 08:15  driver 550.90.07 -> 560.35.03
  1 GiB, float, out of place             187.99   172.84   -8.1 %  2026-11-10 08:15  driver 550.90.07 -> 560.35.03
"""


def report(day, busbw, driver):
    def row(size, busbw):
        placement = {"busbw_gb_per_s": busbw}
        return {"size_bytes": size, "datatype": "float", "reduction": None, "root": None, "out_of_place": placement, "in_place": placement}
    return {"schema": "slipway/bandwidth/1", "version": "0.1.0", "started_utc": f"2026-11-{day:02}T08:15:29Z", "collective": "all_gather",
            "backend": "nccl", "library": "NCCL 2.28.9", "transport": "NET/FasTrak", "node_count": 2, "rank_count": 16,
            "node_profile": {"cluster": "<b>blue</b>", "machine_type": "a3-megagpu-8g"}, "environment": {},
            "settings": {"timing": "pipelined", "operations_per_iteration": 1}, "software": {"driver": driver},
            "results": [row(1 << 20, 5 + day % 3), row(1 << 30, busbw)]}


def main():
    problems = []

    def require(what, fine, seen=""):
        if not fine:
            problems.append(f"{what}\n{seen}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(sys.argv[1], folder / "prefix")
        noise = random.Random(1)
        reports = []
        for day in range(1, 15):
            file = folder / f"{day}.json"
            speed = 188 * (1 + noise.uniform(-0.005, 0.005)) * (0.92 if day >= 10 else 1)
            file.write_text(json.dumps(report(day, speed, "560.35.03" if day >= 10 else "550.90.07")))
            reports.append(file)

        def run(*words, **environment):
            environment = {**os.environ, "NO_COLOR": "1", **environment}
            return subprocess.run([slipway, "bandwidth", *words], capture_output=True, text=True, timeout=60, cwd=folder, env=environment)

        database = ("--database", folder / "state/b.db")
        done = run("record", *database, *reports[:9])
        require("record", done.stdout == f"recorded 9 reports in {folder}/state/b.db\n", done.stdout + done.stderr)
        require("nothing slower", run("history", *database, "--check").returncode == 0)
        writers = [subprocess.Popen([slipway, "bandwidth", "record", *database, *reports[5:]], stdout=subprocess.PIPE, text=True)
                   for _ in range(4)]
        said = sorted(writer.communicate()[0].split(" in ")[0] for writer in writers)
        require("four at once add each once", said == ["recorded 0 reports"] * 3 + ["recorded 5 reports"], said)

        table = run("history", *database)
        require("the table", table.stdout == TABLE, table.stdout + table.stderr)
        require("--check", run("history", *database, "--check").returncode == 3)
        require("--allow", "no regression" in run("history", *database, "--allow", "20").stdout)
        require("--cluster", run("history", *database, "--cluster", "green").stdout == "no runs\n")
        printed = run("history", *database, "--json")
        require("the schema", not breaks_schema(printed.stdout), breaks_schema(printed.stdout))
        trend, = json.loads(printed.stdout)["trends"]
        slower = [one["size_bytes"] for one in trend["series"] if one["regression"]]
        require("what is slower", slower == [None, 1 << 30, 1 << 30], slower)

        page = run("history", *database, "--html", "-").stdout
        parsed = Page(page)
        require("a page that is closed and fetches nothing", parsed.open == [] and parsed.fetched == [], parsed.fetched)
        require("a plot", parsed.count.get("svg") == 1 and parsed.count.get("circle") == 28, parsed.count)
        require("escaped", "<b>" not in page and "&lt;b&gt;blue" in page)
        require("times as in the table", "<td>2026-11-10 08:15</td>" in page and "<li>2026-11-10 08:15: driver" in page, page)
        require("the change", "driver 550.90.07 -&gt; 560.35.03" in page)

        many = []
        for day in range(1, 29):
            many.append(folder / f"many-{day}.json")
            many[-1].write_text(json.dumps(report(day, 188, "550" if day < 10 else "560" if day < 11 else "570" if day < 20 else "580")))
        run("record", "--database", "many.db", *many)
        page = run("history", "--database", "many.db", "--html", "-").stdout
        require("numbers that would touch are one range", ">1-2</text>" in page and ">3</text>" in page, page)

        home = {"HOME": str(folder / "home"), "XDG_STATE_HOME": str(folder / "xdg")}
        if os.geteuid() != 0:
            run("record", reports[0], **home)
            require("XDG_STATE_HOME", (folder / "xdg/slipway/bandwidth.db").exists())
        (folder / "bad.json").write_text("{}")
        bad = run("record", "--database", "new.db", reports[0], "bad.json")
        require("a bad report", bad.returncode == 1 and "bad.json is not a bandwidth report: " in bad.stderr, bad.stderr)
        require("then none is added", not (folder / "new.db").exists())
        (folder / "text.db").write_text("hello " * 1000)
        broken = run("history", "--database", "text.db")
        require("a damaged database", broken.stderr == "slipway bandwidth history: text.db is damaged, or is not a database of "
                "`slipway bandwidth record`: move it away, and record the reports again\n", broken.stderr)
        require("no database", "there is no history at none.db" in run("history", "--database", "none.db").stderr)
        require("no reports", run("record").returncode == 2)

    print("\n".join(problems))
    return len(problems) > 0


sys.exit(main())
