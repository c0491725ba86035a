#!/usr/bin/env python3
"""Every token of source maps that JavaScript's tools write, against what @jridgewell/trace-mapping reads.

usage: NODE_PATH=node_modules sourcemaps.py [MAP...]       SYMGATE: the program

Without MAP they are made by bundlers.mjs, with whatever of swc, TypeScript 5, Babel, terser, esbuild, webpack (all
its kinds of devtool), Metro and Hermes is in NODE_PATH. Without node or trace-mapping there it ends with 77: skipped.
"""
import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SYMGATE = os.path.abspath(os.environ.get("SYMGATE", os.path.join(TOP, "build", "symgate")))
MODULES = os.environ.get("NODE_PATH", "")
TRACE = os.path.join(MODULES, "@jridgewell", "trace-mapping", "dist", "trace-mapping.mjs")
SECONDS = 1800
THEIRS = """
import fs from 'fs';
const { TraceMap, decodedMappings } = await import(process.argv[2]);
const map = JSON.parse(fs.readFileSync(process.argv[3], 'utf8'));
const trace = new TraceMap(map), root = map.sourceRoot ? map.sourceRoot.replace(/\\/$/, '') + '/' : '';
const all = [];
decodedMappings(trace).forEach((line, i) => line.forEach((s) => all.push([i + 1, s[0] + 1,
    s.length > 1 ? root + (trace.sources[s[1]] ?? '') : null, s.length > 1 ? s[2] + 1 : null, s.length > 1 ? s[3] + 1 : null,
    s.length > 4 ? trace.names[s[4]] : null])));
console.log(JSON.stringify(all));
"""


def tokens_of_theirs(script, path):
    return json.loads(subprocess.run(["node", script, os.path.abspath(TRACE), path], check=True, capture_output=True, text=True,
                                     timeout=SECONDS).stdout)


def tokens_of_ours(path):
    told = subprocess.run([SYMGATE, "sourcemap", "dump", "--json", path], capture_output=True, text=True, timeout=SECONDS)
    if told.returncode != 0:
        return told.stderr.strip()
    return [[t["line"], t["column"], t.get("source"), t.get("original_line"), t.get("original_column"), t.get("name")]
            for t in json.loads(told.stdout)]


def differ(path, ours, theirs):
    """The first token that is not the same, for people."""
    if isinstance(ours, str):
        return f"{path}: {ours}"
    for one, other in zip(ours, theirs):
        if one != other:
            return f"{path}: {one}, not {other}"
    return f"{path}: {len(ours)} tokens, not {len(theirs)}"


def compare(paths, folder):
    script = os.path.join(folder, "tokens.mjs")
    with open(script, "w", encoding="ascii") as file:
        file.write(THEIRS)
    seen, tokens, bad = collections.Counter(), 0, 0
    for path in paths:
        theirs, ours = tokens_of_theirs(script, path), tokens_of_ours(path)
        seen[os.path.basename(path).split("-")[0]] += 1
        tokens += len(theirs)
        if ours != theirs:
            bad += 1
            print("FAIL", differ(path, ours, theirs))
    print(f"{len(paths) - bad} passed, {bad} failed; {tokens} tokens of {dict(seen)}")
    return 0 if paths and not bad else 1


def main():
    if not shutil.which("node") or not os.path.exists(TRACE):
        print("skipped: no node, or no @jridgewell/trace-mapping in NODE_PATH")
        return 77
    with tempfile.TemporaryDirectory(prefix="symgate-maps-") as folder:
        paths = sys.argv[1:]
        if not paths:
            subprocess.run(["node", os.path.join(TOP, "tests", "agree", "bundlers.mjs"), folder], check=True, timeout=SECONDS,
                           env={**os.environ, "NODE_PATH": os.path.abspath(MODULES)})
            paths = sorted(glob.glob(os.path.join(folder, "*.map")))
        return compare(paths, folder)


if __name__ == "__main__":
    sys.exit(main())
