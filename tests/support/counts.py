"""counts.py -- what a program of tests found, for tests/run: "PASSED FAILED NAME", and a line for each skip."""
import os
import sys


def finish(passed, failed, name, skipped=()):
    """Tells the counts, also to the file SUPPORT_COUNTS names, and exits."""
    counts = os.environ.get("SUPPORT_COUNTS")
    if counts:
        with open(counts, "a", encoding="utf-8") as file:
            file.write(f"{passed} {failed} {name}\n")
            file.writelines(f"0 0 {one} skipped\n" for one in skipped)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not (passed or skipped) else 0)
