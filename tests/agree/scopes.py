#!/usr/bin/env python3
"""Functions of JavaScript files, their ranges and names, against what acorn's tree says of them.

usage: scopes.py FILE...      SYMGATE_BUILD: the build folder; NODE_PATH: a node_modules with acorn
99.9 % of the functions must be the same; each that is not is shown.
"""
import collections
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SYMGATE_BUILD", os.path.join(TOP, "build"))
LEAST = 0.999


def scopes_of(command):
    """{file: (errors, words, {(start, end, name): how often})}"""
    files = {}
    # Nothing but "\n" ends a line: names hold what their texts hold.
    for line in subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace").split("\n"):
        fields = line.split("\t", 4 if line.startswith("=\t") else 2)
        if fields[0] == "=":
            scopes = collections.Counter()
            files[fields[1]] = (int(fields[2]), fields[4], scopes)
        elif len(fields) == 3:
            scopes[tuple(fields)] += 1
    return files


def main():
    ours = scopes_of([os.path.join(BUILD, "tests", "ecmascript", "dump_scopes"), *sys.argv[1:]])
    theirs = scopes_of(["node", "--stack-size=4000", os.path.join(TOP, "tests", "agree", "scopes_acorn.mjs"), *sys.argv[1:]])
    total = same = failed = 0
    for file, (errors, words, expected) in theirs.items():
        if errors:
            print(f"acorn does not read {file}: {words}")
            continue
        found = ours[file]
        if found[0]:
            print(f"FAIL {file}: {found[0]} errors, the first: no {found[1]}")
            failed += 1
        total += expected.total()
        same += (expected & found[2]).total()
        for what, differing in (("missing", expected - found[2]), ("more", found[2] - expected)):
            for scope in sorted(differing)[:10]:
                print(f"{file}: {what}: {scope}")
    failed += same < total * LEAST
    print(f"{total} functions in {len(theirs)} files, {same} the same; {failed} failed")
    sys.exit(1 if failed or not total else 0)


if __name__ == "__main__":
    main()
