"""cli_support -- what the tests of the command line share: runs of the built program, objects made by recipe.

Each of them is run as   TEST.py [SYMGATE [FUNCTION...]]   (./symgate and all functions, as `make check` runs it in
the build folder); prints one line per failure, and keeps its counts in $SUPPORT_COUNTS as the other tests do.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SYMGATE = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "symgate")
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
from load import stretched  # noqa: E402

LLVM = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")

SOURCE = r"""
#include <cstdio>
namespace deep {
struct Box { int value; };
inline __attribute__((always_inline)) int innermost(Box box) {
	return box.value * 7 + getchar(); // INNERMOST
}
inline __attribute__((always_inline)) int middle(int x) {
	Box box = { x };
	return innermost(box) + 1; // MIDDLE
}
__attribute__((noinline)) int outside(int x, char **) {
	return middle(x) ^ 5; // OUTSIDE
}
template <typename T> __attribute__((noinline)) T twice(T x) { return x + x + getchar(); }
}
int main(int argc, char **argv) {
	return deep::outside(argc, argv) + deep::twice<long>(argc);
}
"""

DEEP = ["deep::innermost(deep::Box)", "deep::middle(int)", "deep::outside(int, char**)"]
passed = failed = 0


def check(what, holds, *seen):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print("FAIL %s" % what, *[repr(s)[:1500] for s in seen], sep="\n     ")


def symgate(*args, stdin="", env=None, cwd=None):
    return subprocess.run([SYMGATE, *args], input=stdin, capture_output=True, text=True, cwd=cwd,
                          env=dict(os.environ, **{"SYMGATE_CONFIG": "", **(env or {})}), timeout=stretched(120))


def make(*command, cwd=None):
    subprocess.run(command, check=True, cwd=cwd, capture_output=True, timeout=stretched(60))


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


def symbols(path):
    table = {}
    for line in subprocess.run(["nm", path], capture_output=True, text=True).stdout.splitlines():
        parts = line.split()
        if len(parts) == 3:
            table[parts[2]] = int(parts[0], 16)
    return table


def text_section(path):
    for line in subprocess.run(["readelf", "-WS", path], capture_output=True, text=True).stdout.splitlines():
        parts = line.replace("[", " ").replace("]", " ").split()
        if ".text" in parts:
            at = parts.index(".text")
            return int(parts[at + 2], 16), int(parts[at + 4], 16)
    raise SystemExit("no .text in " + path)


def line_of(marker):
    return next(n for n, line in enumerate(SOURCE.split("\n"), 1) if "// " + marker in line)


def build(folder, name="program", *flags, compiler="g++"):
    with open(os.path.join(folder, "program.cpp"), "w") as f:
        f.write(SOURCE)
    make(compiler, "-g", "-O2", "-Wl,--build-id", *flags, "program.cpp", "-o", name, cwd=folder)
    return os.path.join(folder, name)


def deep_address(path):
    """An address inside the doubly inlined call, found by another tool's line table."""
    start = symbols(path)["_ZN4deep7outsideEiPPc"]
    asked = "".join("0x%x\n" % (start + i) for i in range(64))
    out = subprocess.run([LLVM, "--obj=" + path, "--output-style=JSON", "--no-demangle"], input=asked,
                         capture_output=True, text=True).stdout
    for answer in json_lines(out):
        names = [f["FunctionName"] for f in answer["Symbol"]]
        if len(names) == 3 and answer["Symbol"][0]["Line"] == line_of("INNERMOST"):
            return int(answer["Address"], 16)
    raise SystemExit("the recipe did not inline")


def chain_is_deep(run):
    try:
        frames = json.loads(run.stdout)["frames"]
    except ValueError:
        return False
    return ([f["function"] for f in frames] == DEEP and
            [f["line"] for f in frames] == [line_of("INNERMOST"), line_of("MIDDLE"), line_of("OUTSIDE")])


def request_of(folder, path, address):
    info = json.loads(symgate("--json", "object", "info", path).stdout)["objects"][0]
    place = os.path.join(folder, "symbols", info["code_id"][:2], info["code_id"][2:])
    os.makedirs(place, exist_ok=True)
    shutil.copy(path, os.path.join(place, "debuginfo"))
    request = {"stacktraces": [{"frames": [{"instruction_addr": hex(0x10000 + address)}]}],
               "modules": [{"type": "elf", "code_id": info["code_id"], "debug_id": info["debug_id"],
                            "code_file": "/x/program", "image_addr": "0x10000", "image_size": 65536},
                           {"type": "elf", "debug_id": "00000000-0000-4000-8000-000000000001",
                            "code_file": "/x/libgone.so", "image_addr": "0x900000", "image_size": 4096}]}
    request["stacktraces"][0]["frames"].append({"instruction_addr": "0x900010"})
    return request


def run_tests(tests):
    """Each in a folder of its own; those named on the command line, or all."""
    name = os.path.basename(sys.argv[0]).removeprefix("test_").removesuffix(".py")
    if not LLVM:
        sys.exit("test_%s: no llvm-symbolizer-19" % name)
    for test in [test for test in tests if test.__name__ in sys.argv[2:] or not sys.argv[2:]]:
        folder = os.path.realpath(tempfile.mkdtemp(prefix="symgate-cli-"))
        try:
            test(folder)
        except Exception as error:      # a test that breaks off is a failure, the others go on
            output = getattr(error, "stderr", "")
            check("%s ran to its end" % test.__name__, False, "%s: %s" % (type(error).__name__, error), output)
        finally:
            shutil.rmtree(folder)
    print("%d passed, %d failed" % (passed, failed))
    if os.environ.get("SUPPORT_COUNTS"):
        with open(os.environ["SUPPORT_COUNTS"], "a") as counts:
            counts.write("%d %d cli-%s\n" % (passed, failed, name))
    sys.exit(1 if failed else 0)
