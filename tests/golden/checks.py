"""Counts what a test compares: its last line is `N checks, N failed`."""
count = failed = 0


def same(what, got, expected):
    global count, failed
    count += 1
    if got != expected:
        failed += 1
        print(f"FAIL {what}\n  expected {expected!r}\n  got      {got!r}")


def exit_status():
    """For the end of main(). A test that compared nothing has failed."""
    print(f"{count} checks, {failed} failed")
    return 1 if failed or not count else 0
