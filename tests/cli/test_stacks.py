#!/usr/bin/env python3
"""test_stacks -- printed stacks and folders of symbols, symbolicated.  How it is run: cli_support.py."""
import json
import os
import re
import shutil
import subprocess

from cli_support import DEEP, build, check, deep_address, make, request_of, run_tests, symbols, symgate

CRASH = r"""
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int mode;
static inline __attribute__((always_inline)) int inner(int *at)
{
	return *at + 1; // FAULT
}
static void show(void)
{
	void *frames[64];
	backtrace_symbols_fd(frames, backtrace(frames, 64), 1); // SHOWN
}
static int compare(const void *a, const void *b)
{
	(void)a, (void)b;
	if (mode == 0) {
		show(); // COMPARED
		_exit(0);
	}
	return inner(NULL); // INLINED
}
__attribute__((noinline)) int sorted(int *numbers, size_t count)
{
	qsort(numbers, count, sizeof(*numbers), compare); // SORTED
	return numbers[0];
}
int main(int argc, char **argv)
{
	int numbers[] = { 3, 1, 2 };

	mode = argc > 1;
	if (argc > 2)
		mode = 0;
	if (argc > 2) {
		char line[4096];
		FILE *maps = fopen("/proc/self/maps", "r"), *copy = fopen(argv[2], "w");

		while (fgets(line, sizeof(line), maps))
			fputs(line, copy);
		fclose(copy);
	}
	return sorted(numbers, 3); // MAIN
}
"""


def lines_of_crash():
    return {mark: number for number, line in enumerate(CRASH.splitlines(), 1) if "// " in line
            for mark in [line.split("// ")[1]]}


def names_the_stack(shown, *marks):
    """Each of these lines of the program is told, the innermost first."""
    at, numbers = -1, lines_of_crash()
    for mark in marks:
        at = shown.find("crash.c:%d" % numbers[mark], at + 1)
        if at < 0:
            return False
    return True


def test_stacks(folder):
    with open(os.path.join(folder, "crash.c"), "w") as f:
        f.write(CRASH)
    env = {"TMPDIR": folder}
    def run_program(*command):
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        return run.stdout + run.stderr
    def symbolicate(*arguments, **more):
        run = symgate("symbolicate", *arguments, cwd=folder, env=env, **more)
        check("symbolicate %s ends by itself and leaves nothing behind" % list(arguments), run.returncode >= 0 and
              not [n for n in os.listdir(folder) if n.startswith("symgate-")], run.returncode, run.stdout, run.stderr)
        return run
    builds = [("pie", []), ("fixed", ["-no-pie"]), ("dynamic", ["-rdynamic"]), ("both", ["-rdynamic", "-no-pie"]),
              ("bare", ["-Wl,--build-id=none"])]
    calls = ["SHOWN", "COMPARED", "SORTED", "MAIN"]
    for name, flags in builds:
        make("gcc", "-g", "-O1", *flags, "crash.c", "-o", name, cwd=folder)
        told = run_program("./" + name)
        run = symbolicate("-", stdin=told)
        check("a stack of glibc's, " + name, run.returncode == 0 and names_the_stack(run.stdout, *calls) and
              "qsort" in run.stdout and "in libc.so.6" in run.stdout, told, run.stdout, run.stderr)
        maps = os.path.join(folder, name + ".maps")
        addresses = re.findall(r"\[(0x[0-9a-f]+)\]", run_program("./" + name, "x", maps))
        run = symbolicate("--maps", maps, *addresses)
        # The first is where it stopped, not what called: it lies in the same line here.
        check("--maps FILE ADDRESS..., " + name, run.returncode == 0 and names_the_stack(run.stdout, *calls),
              addresses, run.stdout, run.stderr)
        run = symbolicate(addresses[1], "--maps=" + maps, "--json")
        answer = json.loads(run.stdout)["stacktraces"][0]["frames"]
        check("--maps of one address, " + name, answer[0]["function"] == "compare" and
              answer[0]["instruction_addr"] == addresses[1] and len(answer) == 1, answer)
    with open(os.path.join(folder, "signal.c"), "w") as f:
        f.write(CRASH.replace("mode = argc > 1;", "mode = 1; signal(11, (void (*)(int))handler);").replace(
            "static int compare", "static void handler(int number)\n{\n\tshow();\n\t_exit(number);\n}\nstatic int compare")
            .replace("#include <stdio.h>", "#include <stdio.h>\n#include <signal.h>"))
    make("gcc", "-g", "-O1", "signal.c", "-o", "signal", cwd=folder)
    told = run_program("./signal")
    frames = json.loads(symbolicate("--json", "-", stdin=told).stdout)["stacktraces"][0]["frames"]
    after = re.findall(r"libc\.so[^\n]*\n\./signal[^\n]*\[(0x[0-9a-f]+)\]", told)[0]
    check("glibc: where a signal stopped it", os.uname().machine != "x86_64" or any(f["instruction_addr"] == after and f.get("function") == "inner" for f in frames),
          told, frames)
    told = run_program("gdb", "-batch", "-nx", "-ex", "run 1", "-ex", "bt", "-ex", "info proc mappings", "./pie")
    run = symbolicate("-", stdin=told)
    check("a stack of gdb's with its mappings", names_the_stack(run.stdout, "INLINED", "SORTED", "MAIN") and
          "in libc.so.6" in run.stdout and "received signal SIGSEGV" in run.stdout, told, run.stdout, run.stderr)
    with open(os.path.join(folder, "gdb.maps"), "w") as f:
        f.write(told[told.index("Start Addr"):])
    address = re.search(r"(0x[0-9a-f]+) in sorted", told).group(1)
    run = symbolicate("--maps", "gdb.maps", "0", address)
    check("gdb's mappings as --maps", names_the_stack(run.stdout, "SORTED"), run.stdout, run.stderr)
    run = symbolicate("-", stdin=told[:told.index("process ")])
    check("a stack of gdb's alone says what it says", "main at crash.c:" in run.stdout and "sorted" in run.stdout,
          run.stdout, run.stderr)
    make("gcc", "-g", "-O1", "-fsanitize=address", "crash.c", "-o", "checked", cwd=folder)
    for options in ("symbolize=0", "symbolize=1"):
        told = run_program("env", "ASAN_OPTIONS=" + options, "./checked", "x")
        run = symbolicate("-", stdin=told)
        check("a stack of AddressSanitizer's, " + options, run.returncode == 0 and "SEGV" in run.stdout and
              names_the_stack(run.stdout, "FAULT", "INLINED", "SORTED", "MAIN"), told, run.stdout, run.stderr)
    # The program has gone elsewhere; its debug information lies apart.
    os.makedirs(os.path.join(folder, "parts", "deep"))
    make("objcopy", "--only-keep-debug", "pie", "parts/deep/pie.debug", cwd=folder)
    make("strip", "pie", cwd=folder)
    make("objcopy", "--add-gnu-debuglink=parts/deep/pie.debug", "pie", cwd=folder)
    told = run_program("./pie")
    run = symbolicate("-", "--symbols", "parts", stdin=told)
    check("--symbols: a folder of files", names_the_stack(run.stdout, *calls), run.stdout, run.stderr)
    os.rename(os.path.join(folder, "parts", "deep", "pie.debug"), os.path.join(folder, "pie.debug"))
    run = symbolicate("-", stdin=told)
    check("debug information beside the program", names_the_stack(run.stdout, *calls), run.stdout, run.stderr)
    os.rename(os.path.join(folder, "pie"), os.path.join(folder, "parts", "pie"))
    os.rename(os.path.join(folder, "pie.debug"), os.path.join(folder, "parts", "pie.debug"))
    run = symbolicate("-", "--symbols", "parts", stdin=told)
    check("--symbols: the program itself lies there", names_the_stack(run.stdout, *calls), run.stdout, run.stderr)
    run = symbolicate("-", stdin=told)
    check("a program that is not here", "./pie" in run.stdout and "missing" in run.stdout, run.stdout, run.stderr)
    for text, words in (("nothing of it\n", "neither JSON nor a stack"), ("1000-2000 r-xp 0 0:0 1 /x\n", "no stack")):
        run = symbolicate("-", stdin=text)
        check("symbolicate: refuses %r" % text, run.returncode == 1 and words in run.stderr, run.stderr)
    run = symbolicate("--maps", "crash.c", "1")
    check("--maps: no mappings", run.returncode == 1 and "crash.c has no mappings" in run.stderr, run.stderr)
    run = symbolicate("--maps", "fixed.maps", "1", "x")
    check("--maps: no address", run.returncode == 1 and "`x` is not an address" in run.stderr, run.stderr)


def test_pasted_stacks(folder):
    """The same through `symgate stacktext`, and what else people paste."""
    with open(os.path.join(folder, "crash.c"), "w") as f:
        f.write(CRASH)
    def run_program(*command):
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        return run.stdout + run.stderr
    def stacktext(told, *arguments):
        return symgate("stacktext", *arguments, "-", stdin=told, cwd=folder)
    make("gcc", "-g", "-O1", "crash.c", "-o", "plain", cwd=folder)
    make("clang-19", "-g", "-O0", "-fsanitize=address", "-Wl,--build-id", "crash.c", "-o", "checked", cwd=folder)
    told = run_program("env", "ASAN_OPTIONS=symbolize=0", "./checked", "x")
    for run in (stacktext(told), symgate("symbolicate", "-", stdin=told, cwd=folder)):
        check("clang's sanitizer: names by build id", run.returncode == 0 and
              names_the_stack(run.stdout, "FAULT", "INLINED", "SORTED", "MAIN"), told, run.stdout, run.stderr)
    # The same without addresses, as ThreadSanitizer and Android have them: the offset is enough.
    offsets = re.sub(r"0x[0-9a-f]+  (\(/)", r"f \1", told)
    notes = subprocess.run(["readelf", "-n", "checked"], cwd=folder, capture_output=True, text=True, check=True).stdout
    code_id = notes.split("Build ID: ")[1].split()[0]
    tombstone = "".join("#%02d pc %016x  %s (BuildId: %s)\n" % (i, int(at, 16), os.path.join(folder, "checked"), code_id)
                        for i, at in enumerate(re.findall(r"checked\+(0x[0-9a-f]+)", told)[:6]))
    logged = "".join("01-02 03:04:05.678  1234  1240 F DEBUG   :       %s\n" % line for line in tombstone.splitlines())
    for what, text in (("offsets", offsets), ("a tombstone", tombstone), ("a tombstone in logcat", logged)):
        for run in (stacktext(text), symgate("symbolicate", "-", stdin=text, cwd=folder)):
            check("without addresses: " + what, run.returncode == 0 and names_the_stack(run.stdout, "FAULT", "INLINED", "SORTED"),
                  text, run.stdout, run.stderr)
    told = run_program("gdb", "-batch", "-nx", "-ex", "set width 40", "-ex", "run 1", "-ex", "bt full", "-ex", "info threads",
                       "./plain")
    run = stacktext(told)
    check("gdb's, with all variables", run.returncode == 0 and "SIGSEGV, Segmentation fault" in run.stdout and
          names_the_stack(run.stdout, "INLINED", "SORTED", "MAIN") and run.stdout.count("\nthread ") == 1 and
          "(crashed)" in run.stdout and "plain" in run.stdout, told, run.stdout, run.stderr)
    told = run_program("./plain")
    run = stacktext(told)
    check("glibc's: the text's own names", run.returncode == 0 and "in plain" in run.stdout and "qsort" in run.stdout, told, run.stdout)


def test_folders(folder):
    """--symbols with each layout, without its name."""
    path = build(folder)
    request = request_of(folder, path, deep_address(path))
    request["modules"][0].update(code_file="/x/program", debug_file="program")
    code_id, debug_id = request["modules"][0]["code_id"], request["modules"][0]["debug_id"]
    layouts = {"unified": "%s/%s/debuginfo" % (code_id[:2], code_id[2:]), "native": "%s/%s.debug" % (code_id[:2], code_id[2:]),
               ".build-id": ".build-id/%s/%s.debug" % (code_id[:2], code_id[2:]), "debuginfod": code_id + "/debuginfo",
               "buildid": "buildid/" + code_id + "/debuginfo", "symstore": "_.debug/elf-buildid-sym-%s/_.debug" % code_id,
               "ssqp": "_.debug/elf-buildid-sym-%s/_.debug" % code_id, "slashsymbols": "program/%s/symbols" % code_id,
               "symstore_index2": "_/_.debug/elf-buildid-sym-%s/_.debug" % code_id, "files": "some/where/program.debug"}
    for layout, place in layouts.items():
        there = os.path.join(folder, "of-" + layout, place)
        os.makedirs(os.path.dirname(there))
        shutil.copy(path, there)
        run = symgate("symbolicate", "--symbols", os.path.join(folder, "of-" + layout), "-", stdin=json.dumps(request),
                      cwd=folder)
        check("--symbols recognises " + layout, all(d in run.stdout for d in DEEP), run.stdout, run.stderr)
    os.mkdir(os.path.join(folder, "empty"))
    both = ["--symbols", os.path.join(folder, "empty"), "--symbols", os.path.join(folder, "of-native")]
    run = symgate("symbolicate", "-", *both, stdin=json.dumps(request))
    check("several --symbols add up", run.returncode == 0 and all(d in run.stdout for d in DEEP), run.stdout, run.stderr)
    run = symgate("symbolicate", "-", *both[:2], stdin=json.dumps(request))
    paths = [os.path.join(folder, "empty", place) for layout, place in layouts.items() if "build" not in layout and
             layout not in ("ssqp", "files")]
    check("--symbols: the paths that were tried", run.returncode == 3 and all(path in run.stderr for path in paths),
          run.stderr, paths)
    run = symgate("symbolicate", "-", "--symbols", "native:" + both[1], stdin=json.dumps(request))
    check("--symbols LAYOUT:DIR tries that layout alone", "/empty/.build-id" not in run.stderr and
          "debuginfo" not in run.stderr and code_id[2:] + ".debug" in run.stderr, run.stderr)
    run = symgate("symbolicate", "-", "--symbols", path, stdin=json.dumps(request))
    check("--symbols: a file", run.returncode == 1 and "is not a folder" in run.stderr, run.stderr)
    request["modules"][0]["code_file"] = path
    run = symgate("symbolicate", "-", stdin=json.dumps(request))
    check("a file of this machine, in JSON", run.returncode == 0 and all(d in run.stdout for d in DEEP), run.stdout)
    request["modules"][0].update(debug_id="00000000-0000-4000-8000-00000000000a", code_id="ab" * 20)
    run = symgate("symbolicate", "-", stdin=json.dumps(request))
    check("a file of this machine that is another build", run.returncode == 3, run.stdout)


run_tests([test_stacks, test_pasted_stacks, test_folders])
