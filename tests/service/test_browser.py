"""test_browser -- the web page in a real browser: from drop to reason for each kind, for everybody.

usage: test_browser.py [REGULAR_EXPRESSION]     names of checks; all drops are made

What runs in the browser is tests/web/browser.mjs.  SYMGATE_WEB_MODULES is a folder whose node_modules has what
tests/web/package.json names (tests/run makes it); SCREENSHOTS, where set, gets a picture of every page.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import test_crash
import test_ui_operators
from service_tests import PATIENCE, SYMGATE, TOP, Program, Service, request_for, Symbols
from counts import finish

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-browser-")
MODULES = os.environ.get("SYMGATE_WEB_MODULES", "")
CHROMIUM = shutil.which("chromium")
SLOW = "connect_to_reserved_ips: true\npool: {max_wait: 2s}\n"
HOSTILE = "</script><img src=x onerror=document.title='owned'>\u202e\"'&"

RUNS = [
    "<script>owned=1</script>", "<img src=x onerror=owned=1>", "<svg onload=owned=1>", "<details open ontoggle=owned=1>",
    "<iframe srcdoc='<script>parent.owned=1</script>'></iframe>", "<input autofocus onfocus=owned=1>",
    "<script src='data:text/javascript,owned=1'></script>", "<a class=trap href='javascript:void(owned=1)'>trap</a>",
    "<object data='data:text/html,<script>parent.owned=1</script>'></object>", "<style>*{color:red}</style>",
    "<form><button class=trap formaction='javascript:void(owned=1)'>trap</button></form>",
    "<video><source onerror=owned=1></video>", "\"><script>owned=1</script>", "' onmouseover='owned=1",
]

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


def answer_that_runs():
    """An answer each of whose strings would run something, were it markup."""
    frames = [{"status": "symbolicated", "original_index": i, "instruction_addr": hex(4096 + i), "package": text,
               "function": text, "filename": text, "abs_path": text, "lineno": 1, "context_line": text}
              for i, text in enumerate(RUNS)]
    modules = [{"type": text, "code_file": text, "debug_file": text, "debug_id": text, "image_addr": "0x1000",
                "debug_status": "missing", "candidates": [{"source": text, "location": text, "download": {"status": "notfound"}}]}
               for text in RUNS]
    return json.dumps({"status": "completed", "crash_reason": "".join(RUNS), "modules": modules,
                       "stacktraces": [{"thread_name": "".join(RUNS), "is_requesting": True, "frames": frames}]})


class Bare(ThreadingHTTPServer):
    """Serves a page in which nothing is escaped: with the policy of ours, and without."""

    def __init__(self, page, headers):
        self.page = page
        self.policy = [(name, headers[name]) for name in ("Content-Security-Policy", "X-Content-Type-Options")]
        super().__init__(("127.0.0.1", 0), BareHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class BareHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        is_page = self.path in ("/ui/r/guarded", "/ui/r/open")
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        for name, value in self.server.policy if self.path != "/ui/r/open" else []:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.page if is_page else b"")

    def log_message(self, *args):
        pass


def serve_bare(service):
    program = os.path.join(os.path.dirname(SYMGATE), "tests", "page", "unescaped")
    page = subprocess.run([program], input=answer_that_runs().encode(), capture_output=True, check=True).stdout
    assert RUNS[0].encode() in page
    return Bare(page, service.request("GET", "/", None, {"Accept": "text/html"})[2])


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


def slow_drop():
    """A request whose only source does not answer."""
    symbols = Symbols()
    symbols.gate.clear()
    return json.dumps(request_for(symbols, [test_crash.CRASHED]))


def browse(service, guarded, slow, counts):
    plan = {"base": f"http://127.0.0.1:{service.port}/", "modules": MODULES, "chromium": CHROMIUM, "drops": drops(),
            "pages": ["", "ui/r/00000000000000000000000000000000", "ui/op/"], "patience": PATIENCE // 3, "only": sys.argv[1] if sys.argv[1:] else None,
            "html": os.path.join(FOLDER.name, "html"), "reports": os.path.join(FOLDER.name, "reports.json"),
            "screenshots": os.environ.get("SCREENSHOTS"),
            "bare": f"http://127.0.0.1:{serve_bare(service).server_port}/ui/r/",
            "slow": {"base": f"http://127.0.0.1:{slow.port}/", "text": slow_drop()},
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
    with Service(config) as service, test_ui_operators.Guarded() as guarded, Service(SLOW) as slow:
        test_ui_operators.fail_once(guarded, Symbols(), Program(FOLDER.name, 7))
        plan = browse(service, guarded, slow, counts)
        check_html(plan, counts)
        check_text(plan, counts)
    finish(counts.passed, counts.failed, "browser")


if __name__ == "__main__":
    sys.exit(main())
