"""service_tests -- what the service tests share: the service itself behind a real lighttpd, a
symbol server that counts and can be slow, and a debug file made by a recipe.

Nothing here waits for a duration: it waits for an answer, a metric or the end of a process, and
gives up after PATIENCE seconds.
"""
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from counts import finish  # noqa: E402
from load import stretched  # noqa: E402


PATIENCE = stretched(60)
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SYMGATE = os.path.abspath(os.environ.get("SYMGATE", os.path.join(TOP, "build", "symgate")))

PROGRAM = r"""
static volatile int sink;
static inline __attribute__((always_inline)) int inner(int value) { return value * sink; }
__attribute__((noinline)) int outer(int value)
{
    return inner(value) + %d;
}
int main(int argc, char **argv) { (void)argv; return outer(argc); }
"""


# A test is many clients at once: of descriptors it may have all it is allowed.
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


def leave_root():
    """nginx and Apache give their processes to another user when root starts them, and that one cannot
    enter a test's folder: root's tests go on as nobody, with the first python3 it may run.  To be
    called before anything is made."""
    if os.geteuid() == 0:
        os.execvp("setpriv", ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "env",
                              "python3", os.path.abspath(sys.argv[0]), *sys.argv[1:]])


def eventually(check, what):
    """Calls check() until it returns something true."""
    until = time.monotonic() + PATIENCE
    while True:
        result = check()
        if result:
            return result
        if time.monotonic() > until:
            raise AssertionError(f"waited {PATIENCE} s in vain: {what}")
        time.sleep(0.02)


def kill(pid, number=signal.SIGKILL):
    """False: it has ended meanwhile, and so do all that are looked for in /proc."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def remove_tree(path):
    """Also while those who lose it still write there."""
    eventually(lambda: shutil.rmtree(path, ignore_errors=True) or not os.path.exists(path), f"{path} to be gone")


class Program:
    """A small ELF with debug information, a build id of its own and one known address."""

    def __init__(self, folder, number):
        source = os.path.join(folder, f"program{number}.c")
        self.path = os.path.join(folder, f"program{number}")
        with open(source, "w", encoding="ascii") as f:
            f.write(PROGRAM % number)
        subprocess.run(["gcc", "-O1", "-g", "-Wl,--build-id", "-o", self.path, source], check=True)
        notes = subprocess.run(["readelf", "-n", self.path], capture_output=True, text=True, check=True).stdout
        self.code_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
        symbols = subprocess.run(["nm", self.path], capture_output=True, text=True, check=True).stdout
        self.address = int(re.search(r"^([0-9a-f]+) . outer$", symbols, re.M).group(1), 16)

    def key(self):
        return f"{self.code_id[:2]}/{self.code_id[2:]}/debuginfo"

    def module(self, base=0x10000000):
        return {"type": "elf", "code_id": self.code_id, "image_addr": hex(base), "image_size": 0x100000}


class Symbols(ThreadingHTTPServer):
    """A symbol server: counts every path, holds answers back while `gate` is closed."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self):
        self.files, self.hits, self.lock = {}, {}, threading.Lock()
        self.gate = threading.Event()
        self.gate.set()
        self.delay_seconds = 0
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that was killed is what these tests are about

    def source(self, name="test", **more):
        return {"id": name, "type": "http", "url": f"http://127.0.0.1:{self.server_port}/",
                "layout": {"type": "unified"}, "filters": {"filetypes": ["elf_debug"]}, **more}

    def add(self, program):
        with open(program.path, "rb") as f:
            self.files["/" + program.key()] = f.read()

    def total(self):
        with self.lock:
            return sum(self.hits.values())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self.server.hits[self.path] = self.server.hits.get(self.path, 0) + 1
        self.server.gate.wait(PATIENCE)
        if self.server.delay_seconds:
            time.sleep(self.server.delay_seconds)  # a slow server, not a test that waits
        body = self.server.files.get(self.path)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *args):
        pass


held_ports = []


def free_port():
    """One that nobody else gets while this process lives: it stays bound, and whoever sets SO_REUSEADDR, as every
    web server does, may listen on it all the same.  Until then connections to it are refused."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", 0))
    held_ports.append(s)
    return s.getsockname()[1]


class Service:
    """deploy/serve with a state folder of its own."""

    def __init__(self, config="", state=None):
        self.folder = tempfile.mkdtemp(prefix="symgate-service-")
        self.state = state or os.path.join(self.folder, "state")
        self.config = os.path.join(self.folder, "config.yml")
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(config or "max_concurrent_requests: 200\n")
        self.process = None
        self.script = os.path.join(TOP, "deploy", "serve")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        self.port = free_port()
        self.log = os.path.join(self.folder, "serve.log")
        with open(self.log, "ab") as log:
            began = log.tell()
            self.process = subprocess.Popen(
                ["sh", self.script], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, env={**os.environ, "PORT": str(self.port), "STATE_DIR": self.state,
                                             "CONFIG": self.config, "SYMGATE": SYMGATE})
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"serve ended: {self.text_of_log()}")
            return "\nready http" in "\n" + self.text_of_log()[began:]
        eventually(ready, "the service to start")

    def text_of_log(self):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        os.kill(self.process.pid, signal.SIGTERM)
        self.process.wait(PATIENCE)
        eventually(lambda: not self.pids(), "all processes to end")

    def pids(self):
        """Every process of this service's session."""
        found = {}
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                    text = f.read()
            except OSError:
                continue
            fields = text[text.rindex(")") + 2:].split()
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                found[int(name)] = text[text.index("(") + 1:text.rindex(")")]
        return found

    def of_kind(self, name):
        return {pid for pid, kind in self.pids().items() if kind == name}

    def only(self, name, count=1):
        """The processes of that name, once there are so many: a child has its parent's name for a moment."""
        return eventually(lambda: (found := self.of_kind(name)) and len(found) == count and found,
                          f"{count} of {name}")

    def master(self):
        return self.only("symgate").pop()

    def request(self, method, path, body=None, headers=None, timeout=PATIENCE * 2):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, reply.read(), reply.headers
        finally:
            connection.close()

    def get(self, path):
        status, body, _ = self.request("GET", path)
        return status, body

    def post(self, request, query=""):
        status, body, _ = self.request("POST", "/symbolicate" + query, json.dumps(request),
                                       {"Content-Type": "application/json"})
        return status, body

    def answer(self, request, query=""):
        """The completed answer, polling where it is pending."""
        status, body = self.post(request, query)
        until = time.monotonic() + PATIENCE
        # A disk that takes seconds to write, or processes that start for long: it comes again, as it is told to.
        while status == 503 and re.search(b"is busy|has been starting", body) and time.monotonic() < until:
            time.sleep(0.2)
            status, body = self.post(request, query)
        assert status == 200, (status, body[:300])
        reply = json.loads(body)
        while reply["status"] == "pending":
            status, body = self.get(f"/requests/{reply['request_id']}?timeout=5")
            assert status == 200, (status, body[:300])
            reply = json.loads(body)
        return reply

    def metric(self, name):
        """A metric's value, its labels as in the text: 'name{a="b"}'."""
        for line in self.get("/metrics")[1].decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        return None


def request_for(symbols, programs, **more):
    """Frames on the known address of every program."""
    modules, frames = [], []
    for index, program in enumerate(programs):
        base = 0x10000000 * (index + 1)
        modules.append(program.module(base))
        # One byte in, so that it stays inside as a return address too.
        frames.append({"instruction_addr": hex(base + program.address + 1)})
    return {"sources": [symbols.source()], "modules": modules, "stacktraces": [{"frames": frames}],
            "options": {"dif_candidates": True, "apply_source_context": False}, **more}


def functions(reply):
    return [frame.get("function") for frame in reply["stacktraces"][0]["frames"]]


def run_all(tests, title):
    """Runs the functions, prints a line each, keeps counts where run-one wants them."""
    wanted = sys.argv[1:]
    passed = failed = 0
    for test in tests:
        if wanted and test.__name__ not in wanted:
            continue
        start = time.monotonic()
        try:
            test()
            passed += 1
            print(f"ok {test.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # every failure is told, none hides the next
            failed += 1
            print(f"FAIL {test.__name__}: {type(error).__name__}: {error}", flush=True)
            import traceback
            traceback.print_exc(file=sys.stdout)
    finish(passed, failed, title)
