#!/usr/bin/env python3
"""Has systemd check the units of images: usage: units_test.py SYSTEMD_ANALYZE

Their programs are stand-ins that can be run, because systemd refuses a unit without its program. Then one unit at a time
is damaged, which systemd has to notice.
"""
import pathlib, re, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# systemd 254 and newer know these; an older one ignores them, as slipway-node.service says.
NEWER = re.compile(r"Unknown key(?: name)? '(RestartSteps|RestartMaxDelaySec)'")
DAMAGES = {"slipway-reconcile.timer": ("OnUnitInactiveSec=60s", "OnUnitInactiveSec=soon"),
           "slipway-follow.timer": ("[Timer]", "[Tymer]"),
           "slipway-follow.service": ("ExecStart=/opt/slipway", "ExecStart=/opt/slipshod"),
           "slipway-reconcile.service": ("ProtectSystem=strict", "ProtectSystem=somewhat"),
           "slipway-export.service": ("ProtectHome=yes", "ProtectHome=perhaps"),
           "slipway-export.timer": ("OnUnitInactiveSec=600s", "OnUnitInactiveSec=often"),
           "slipway-node.service": ("ExecStart=", "ExecBegin=")}


def programs_of(text):
    return re.findall(r"^Exec\w*=[-+!@]*(/\S+)", text, re.M)


def prepare(root):
    units = root / "etc/systemd/system"
    units.mkdir(parents=True)
    for file in sorted((ROOT / "images").glob("*.service")) + sorted((ROOT / "images").glob("*.timer")):
        shutil.copy(file, units)
        for program in programs_of(file.read_text()):
            path = root / program.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("#!/bin/sh\n")
            path.chmod(0o755)
    return units


def complaints(analyze, root, units):
    """What systemd says about these units."""
    done = subprocess.run([analyze, "verify", f"--root={root}", "--man=no", "--recursive-errors=no", *units], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "slipway-" in line and not NEWER.search(line)]


def main():
    analyze, failed = sys.argv[1], []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        units = prepare(root)
        names = sorted(file.name for file in units.iterdir())
        if not names:
            failed.append("there are no units")
        failed += complaints(analyze, root, names)
        # It starts the others while it is starting itself: a unit that waits for it would never start.
        for unit in units.iterdir():
            if re.search(r"^After=.*slipway-node\.service", unit.read_text(), re.M):
                failed.append(f"{unit.name} waits for slipway-node.service, which starts it")
        for timer in units.glob("*.timer"):
            if not timer.with_suffix(".service").exists():
                failed.append(f"{timer.name} starts nothing")
        for name, (old, new) in DAMAGES.items():
            text = (units / name).read_text()
            if old not in text:
                failed.append(f"{name} has no `{old}`")
            (units / name).write_text(text.replace(old, new))
            if not complaints(analyze, root, [name]):
                failed.append(f"{name} with `{new}` was not noticed")
            (units / name).write_text(text)
    print("\n".join(failed) or f"{len(names)} units")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
