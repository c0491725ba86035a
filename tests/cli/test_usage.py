#!/usr/bin/env python3
"""test_usage -- what the program says of itself: help, completion, pages, configuration.  How it is run: cli_support.py."""
import json
import os
import pty
import re
import subprocess

from cli_support import SYMGATE, TOP, build, check, deep_address, run_tests, symbols, symgate

COMMANDS = ["serve", "fcgi", "config", "backup", "status", "why", "symbolicate", "lookup", "symcache", "js", "retrace", "proguard", "bundle-jvm", "cfi", "object", "cache",
            "cleanup", "apikey", "symbfile", "sourcemap", "push-symbols", "sort", "prefetch", "repair", "minidump", "applecrash", "stacktext", "coredump"]


def test_usage(folder):
    check("no command", symgate().returncode == 2)
    check("unknown command", symgate("frobnicate").returncode == 2)
    check("--version", symgate("--version").stdout.startswith("symgate "))
    run = symgate("--help")
    check("--help names every command", all(" %s " % c in run.stdout for c in COMMANDS), run.stdout)
    for command in COMMANDS:
        run = symgate(command, "--help")
        check(command + " --help", run.returncode == 0 and run.stdout.startswith("usage: symgate " + command)
              and len(run.stdout) > 200, run.stdout)
        page = os.path.join(TOP, "doc", "symgate-%s.1" % command)
        check(command + " has a man page", os.path.exists(page))
        if os.path.exists(page):
            with open(page) as f:
                words = f.read().replace("\\", "")
            options = re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", run.stdout, re.M)
            check(command + ": the page knows every option", all(o in words or "Fl " + o[1:] in words
                                                                for o in options), options)
    for command in ("lookup", "symcache", "object", "symbolicate", "backup", "config", "cache", "prefetch",
                    "minidump", "applecrash", "stacktext", "coredump"):
        run = symgate(command)
        check(command + " without arguments", run.returncode == 2 and "usage: " in run.stderr, run.stderr)
    for wrong in (["--json=yes"], ["--nonsense"], ["-Z"], ["--arch"], ["-e"], ["--", "-x"], ["-e", "x", "-fQ"]):
        run = symgate("lookup", *wrong)
        check("lookup %s is wrong" % wrong, run.returncode in (1, 2) and run.stderr.startswith("symgate"), run.stderr)
    for wrong in (["--nonsense", "status"], ["-c"], ["-Z"], ["help", "nonsense"]):
        check("symgate %s is wrong" % wrong, symgate(*wrong).returncode == 2, wrong)
    check("an option without its value", symgate("lookup", "--arch").returncode == 2)
    check("-c without its value", symgate("status", "-c").returncode == 2)


def completed(script, words, cwd):
    """What bash would offer for the last of the words."""
    run = subprocess.run(["bash", "-c", script + '\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _symgate; '
                          'printf "%s\\n" "${COMPREPLY[@]}"', "bash", *words], capture_output=True, text=True, cwd=cwd,
                         timeout=60)
    return run.stdout.split() if run.returncode == 0 and not run.stderr else [run.stderr]


def test_completion(folder):
    script = symgate("--bash-completion").stdout
    open(os.path.join(folder, "a.yml"), "w").close()
    os.mkdir(os.path.join(folder, "sub"))
    common = ["-c", "--config", "--state-dir", "--json", "-h", "--help"]
    def offered(*words):
        return completed(script, ["symgate", *words], folder)
    check("completion: commands", sorted(offered("")) == sorted(COMMANDS + ["help"]), offered(""))
    check("completion: what begins so", offered("symbo") == ["symbolicate"], offered("symbo"))
    check("completion: help", "lookup" in offered("help", "l"), offered("help", "l"))
    for command in COMMANDS:
        told = set(re.findall(r"^  (?:(-\w), )?(--[a-z0-9-]+)", symgate(command, "--help").stdout, re.M))
        told = {option for pair in told for option in pair if option}
        # Long and short, whatever the cursor's word begins with.
        seen = set(offered(command, "-")) - set(common)
        check("completion: %s has the options its help has" % command, seen == told, seen, told)
        check("completion: %s has the options of all" % command, set(common) <= set(offered(command, "-")))
    check("completion: verbs", offered("cache", "") == ["list", "show", "drop", "retry"], offered("cache", ""))
    check("completion: verbs after options", offered("cache", "--kind", "x", "r") == ["retry"])
    check("completion: a file", offered("-c", "a") == ["a.yml"], offered("-c", "a"))
    check("completion: a folder", offered("lookup", "--debug-dir", "") == ["sub"], offered("lookup", "--debug-dir", ""))
    check("completion: the command after an option's value", offered("-c", "a.yml", "stat") == ["status"])
    check("completion: an operand", offered("lookup", "a") == ["a.yml"])
    built = os.path.join(os.path.dirname(SYMGATE), "completions", "symgate")
    check("completion: what is installed is what is printed", not os.path.exists(built) or open(built).read() == script)


def test_pages(folder):
    pages = [os.path.join(TOP, "doc", n) for n in os.listdir(os.path.join(TOP, "doc")) if n[-2:] in (".1", ".5")]
    run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True)
    check("man pages: mandoc finds nothing", run.returncode == 0 and len(pages) == 2 + len(COMMANDS), run.stdout)
    section, words = [], open(os.path.join(TOP, "doc", "symgate.yml.5")).read()
    for line in symgate("config", "print", cwd=folder).stdout.splitlines():
        found = re.match(r"^( *)([A-Za-z_0-9]+):(.*)$", line)
        if not found:
            continue
        section = section[:len(found.group(1)) // 2] + [found.group(2)]
        if found.group(3):
            check("symgate.yml.5 has " + ".".join(section), ".It Cm %s\n" % ".".join(section) in words)


def test_config(folder):
    def write(name, text):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path
    good = write("good.yml", "logging:\n  level: warn\n")
    check("config check: fine", symgate("config", "check", good).returncode == 0)
    odd = write("odd.yml", "cache_dri: /x\nmetrics:\n  statsd: a:1\n")
    run = symgate("config", "check", odd)
    check("config check: a warning with the nearest name", run.returncode == 0 and "cache_dir" in run.stderr,
          run.stderr)
    check("config check --strict", symgate("config", "check", "--strict", odd).returncode == 1)
    notes = json.loads(symgate("--json", "config", "check", odd).stdout)
    check("config check --json", notes["ok"] and {n["kind"] for n in notes["notes"]} ==
          {"warning", "without_meaning"}, notes)
    bad = write("bad.yml", "max_concurrent_requests: many\n")
    run = symgate("config", "check", bad)
    check("config check: file, line and key", run.returncode == 1 and "bad.yml:1" in run.stderr and
          "max_concurrent_requests" in run.stderr, run.stderr)
    lines = write("lines.yml", "bind: x\nsources:\n  - {id: a, type: http}\n")
    run = symgate("config", "check", lines)
    check("config check: file and line of a bad source",
          run.returncode == 1 and "lines.yml:3: sources[0]: missing member `url`" in run.stderr, run.stderr)
    wrong = write("wrong.yml", """pool:
  threads: 0
sources:
  - id: a
    type: filesystem
    pth: /srv
    layout:
      typ: unified
      casing: x
  - {id: a, type: http, url: "http://x/", headers: {Content-Length: "1"}}
  - id: there
    type: filesystem
    path: /does/not/exist
  - type: http
    id: c
    url: nonsense
    filters:
      filetypes:
        - pdb
        - exe
    is_pubic: true
  - {id: d, type: ftp}
""")
    lines = ["error: wrong.yml:2: pool.threads: `0` is outside", "error: wrong.yml:4: sources[0]: missing member `path`",
             "warning: wrong.yml:6: sources[0].pth: unknown key, did you mean `path`?",
             "warning: wrong.yml:8: sources[0].layout.typ: unknown key, did you mean `type`?",
             "error: wrong.yml:9: sources[0].layout.casing: unknown casing",
             "error: wrong.yml:10: sources[1].id: sources[0] is called `a` already",
             "error: wrong.yml:10: sources[1].headers: `Content-Length` cannot be set",
             "warning: wrong.yml:13: sources[2].path: /does/not/exist: No such",
             "error: wrong.yml:16: sources[3].url: an absolute address",
             "error: wrong.yml:20: sources[3].filters.filetypes[1]: unknown file type `exe`",
             "warning: wrong.yml:21: sources[3].is_pubic: unknown key, did you mean `is_public`?",
             "error: wrong.yml:22: sources[4]: unknown type `ftp`", "symgate: wrong.yml: 8 errors"]
    run = symgate("config", "check", "wrong.yml", cwd=folder)
    check("config check: all errors at once", run.returncode == 1 and len(run.stderr.splitlines()) == len(lines) and
          all(any(heard.startswith(line) for heard in run.stderr.splitlines()) for line in lines), run.stderr)
    notes = json.loads(symgate("--json", "config", "check", "wrong.yml", cwd=folder).stdout)
    check("config check --json: all errors", sum(n["kind"] == "error" for n in notes["notes"]) == 8 and not notes["ok"],
          notes)
    check("config check: a missing file", symgate("config", "check", os.path.join(folder, "no")).returncode == 1)
    printed = symgate("config", "print")
    check("config print is a good file", printed.returncode == 0 and symgate(
        "config", "check", "--strict", write("printed.yml", printed.stdout)).returncode == 0, printed.stdout[:200])


def test_default_config(folder):
    path = os.path.join(folder, "default.yml")
    with open(path, "w") as f:
        f.write("state_dir: %s/of-default\nsources:\n  - {id: x, type: nonsense}\n" % folder)
    run = symgate("status", env={"SYMGATE_CONFIG": path})
    check("$SYMGATE_CONFIG is read", run.returncode == 1 and "default.yml:3: sources[0]: unknown type" in run.stderr,
          run.stderr)
    with open(path, "w") as f:
        f.write("state_dir: %s/of-default\n" % folder)
    run = symgate("status", env={"SYMGATE_CONFIG": path})
    check("$SYMGATE_CONFIG names the state folder", "/of-default has no symgate.db" in run.stderr, run.stderr)
    other = os.path.join(folder, "other.yml")
    with open(other, "w") as f:
        f.write("state_dir: %s/of-other\n" % folder)
    run = symgate("status", "-c", other, env={"SYMGATE_CONFIG": path})
    check("-c goes before it", "/of-other has no" in run.stderr, run.stderr)
    run = symgate("config", "check", env={"SYMGATE_CONFIG": path})
    check("config check without a file", run.returncode == 0 and path + ": fine" in run.stdout, run.stdout, run.stderr)
    run = symgate("status", env={"SYMGATE_CONFIG": ""})
    check("an empty one is none", "/var/lib/symgate has no" in run.stderr or run.returncode == 0, run.stderr)
    run = symgate("status", env={"SYMGATE_CONFIG": other + "x"})
    check("one that is not there is an error", run.returncode == 1 and "other.ymlx" in run.stderr, run.stderr)


def test_terminal(folder):
    path = build(folder)
    address = "%x" % deep_address(path)
    def on_terminal(env):
        master, slave = pty.openpty()
        subprocess.run([SYMGATE, "lookup", path, address], stdout=slave, env=dict(os.environ, **env))
        os.close(slave)
        shown = os.read(master, 65536).decode()
        os.close(master)
        return shown
    os.environ.pop("NO_COLOR", None)
    check("colour on a terminal", "\033[" in on_terminal({}))
    check("NO_COLOR", "\033[" not in on_terminal({"NO_COLOR": "1"}))


run_tests([test_usage, test_completion, test_pages, test_config, test_default_config, test_terminal])
