"""The sources in C++ that are not tests."""
import subprocess


def code_files(root):
    """Their paths below the top folder `root`, with or without git."""
    listed = subprocess.run(["git", "ls-files", "*.cc", "*.h"], cwd=root, capture_output=True, text=True)
    found = [str(path.relative_to(root)) for ending in ("cc", "h") for path in root.rglob(f"*.{ending}")]
    names = listed.stdout.split() if listed.returncode == 0 else found
    return [name for name in names if not name.startswith(("tests/", "build")) and (root / name).exists()]
