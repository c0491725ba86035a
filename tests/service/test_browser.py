"""test_browser -- the web page in a real browser: from drop to reason for each kind, for everybody.

What runs in the browser is tests/web/browser.mjs.  SYMGATE_WEB_MODULES is a folder whose node_modules has what
tests/web/package.json names (tests/run makes it); SCREENSHOTS, where set, gets a picture of every page.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import test_crash
import test_ui_operators
from service_tests import PATIENCE, SYMGATE, TOP, Program, Service, request_for, Symbols
from counts import finish

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-browser-")
MODULES = os.environ.get("SYMGATE_WEB_MODULES", "")
CHROMIUM = shutil.which("chromium")
HOSTILE = "</script><img src=x onerror=document.title='owned'>\u202e\"'&"

JAVASCRIPT = """TypeError: Cannot read properties of undefined (reading 'x')
    at render (https://example.invalid/app.min.js:1:20)
    at https://example.invalid/app.min.js:1:40
"""
JAVA = """java.lang.IllegalStateException: broken
\tat org.example.Main.run(Main.java:12)
\tat org.example.Main.main(Main.java:5)
"""


def place(name, content):
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as f:
        f.write(content.encode() if isinstance(content, str) else content)
    return path


def symbols_folder():
    folder = os.path.join(FOLDER.name, "symbols")
    subprocess.run([SYMGATE, "sort", "-q", "-I", folder, test_crash.CRASHED.path], check=True, capture_output=True)
    return folder


def gdb_text():
    if not os.path.exists(test_crash.CRASHED.core):
        return "#0  inside (value=1) at crasher.c:3\n#1  0x0000555555555160 in outer (value=1) at crasher.c:9\n"
    done = subprocess.run(["gdb", "-batch", "-nx", "-ex", "bt", test_crash.CRASHED.path, test_crash.CRASHED.core],
                          capture_output=True, text=True, check=True)
    return done.stdout


def drops():
    crash = test_crash.CRASHED
    request = request_for(Symbols(), [crash], sources=[])
    request["modules"][0]["debug_file"] = HOSTILE
    del request["sources"]
    made = [
        {"name": "request", "file": place("request.json", json.dumps(request)), "expect": ["inside", "crasher.c"]},
        {"name": "minidump", "file": place("a.dmp", test_crash.minidump_of([b"\x01" * 20])), "expect": ["module0.so"]},
        {"name": "apple", "file": test_crash.REPORT, "expect": ["EXC_BAD_ACCESS"]},
        {"name": "gdb", "text": gdb_text(), "expect": ["inside", "outer"]},
        {"name": "javascript", "text": JAVASCRIPT, "expect": ["render", "app.min.js"]},
        {"name": "java", "text": JAVA, "expect": ["org.example.Main", "run"]},
    ]
    if os.path.exists(crash.core):
        made.append({"name": "core", "file": crash.core, "expect": ["SIGSEGV", "inside", "outer", "main"]})
    return made


class Counts:
    def __init__(self):
        self.passed = self.failed = 0

    def say(self, name, why=None):
        if why:
            self.failed += 1
            print(f"FAIL {name}: {why}", flush=True)
        else:
            self.passed += 1
            print(f"ok {name}", flush=True)


def browse(service, guarded, counts):
    plan = {"base": f"http://127.0.0.1:{service.port}/", "modules": MODULES, "chromium": CHROMIUM, "drops": drops(),
            "pages": ["", "ui/r/00000000000000000000000000000000", "ui/op/"], "patience": PATIENCE // 3,
            "html": os.path.join(FOLDER.name, "html"), "reports": os.path.join(FOLDER.name, "reports.json"),
            "screenshots": os.environ.get("SCREENSHOTS"),
            "operators": {"base": f"http://127.0.0.1:{guarded.port}/", "user": {"username": "anna", "password": "anna"}}}
    os.mkdir(plan["html"])
    script = os.path.join(TOP, "tests", "web", "browser.mjs")
    with subprocess.Popen(["node", script, place("plan.json", json.dumps(plan))], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "HOME": FOLDER.name, "XDG_CONFIG_HOME": FOLDER.name}) as node:
        for line in node.stdout:
            word, _, rest = line.strip().partition(" ")
            name, _, why = rest.partition(": ")
            if word in ("ok", "FAIL"):
                counts.say(name, why or None)
            else:
                print(line.strip())
    counts.say("browser-ended-well", f"exit status {node.returncode}" if node.returncode else None)
    return plan


def check_html(plan, counts):
    """Debian's Java runs the checker of the W3C's on every page."""
    files = sorted(os.path.join(plan["html"], name) for name in os.listdir(plan["html"]))
    jar = os.path.join(MODULES, "node_modules", "vnu-jar", "build", "dist", "vnu.jar")
    done = subprocess.run(["java", "-jar", jar, "--errors-only", "--format", "json", *files], capture_output=True,
                          text=True, check=False)
    messages = json.loads(done.stderr or done.stdout or '{"messages": []}')["messages"]
    counts.say("html-has-no-error", "; ".join(f"{os.path.basename(m.get('url', ''))}: {m['message']} {m.get('extract', '')}"
                                              for m in messages[:6]) or None)


def check_text(plan, counts):
    """In a browser that knows text alone."""
    with open(plan["reports"], encoding="utf-8") as f:
        reports = {report["name"]: report["url"] for report in json.load(f)}
    for one in plan["drops"]:
        if one["name"] not in reports:
            continue
        text = subprocess.run(["w3m", "-dump", "-cols", "200", reports[one["name"]]], capture_output=True, text=True,
                              check=True, env={**os.environ, "HOME": FOLDER.name}).stdout
        lost = [words for words in one["expect"] if words not in text]
        counts.say(f"text-{one['name']}", f"{lost} are not in {text[:400]!r}" if lost else None)


def main():
    if not os.path.isdir(os.path.join(MODULES, "node_modules", "playwright-core")) or not CHROMIUM:
        print("skipped the browser: no chromium, or SYMGATE_WEB_MODULES has no modules")
        finish(0, 0, "browser", ["browser"])
    config = f"sources:\n- {{id: programs, type: filesystem, path: {symbols_folder()}, layout: {{type: unified}}}}\n"
    counts = Counts()
    with Service(config) as service, test_ui_operators.Guarded() as guarded:
        test_ui_operators.fail_once(guarded, Symbols(), Program(FOLDER.name, 7))
        plan = browse(service, guarded, counts)
        check_html(plan, counts)
        check_text(plan, counts)
    finish(counts.passed, counts.failed, "browser")


if __name__ == "__main__":
    sys.exit(main())
