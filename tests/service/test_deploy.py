#!/usr/bin/env python3
"""test_deploy -- symgate behind every web server deploy/ has a file for, each started for real.

Every site takes the shipped file, puts this test's paths and port into it, and nothing else.

usage: test_deploy.py [TEST ...]        environment: SYMGATE (the program)
"""
import base64
import concurrent.futures
import contextlib
import glob
import http.server
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.parse

from service_tests import (PATIENCE, SYMGATE, TOP, Program, Symbols, eventually, free_port, functions, kill,
                            remove_tree, request_for, run_all)
import service_tests

DEPLOY = os.path.join(TOP, "deploy")
APACHE_MODULES = "/usr/lib/apache2/modules"
service_tests.leave_root()
FOLDER = tempfile.TemporaryDirectory(prefix="symgate-programs-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(8)]

CONFIG = """
state_dir: {state}
connect_to_reserved_ips: true
logging:
  level: {level}
pool:
  processes: 2
  threads: 2
  max_wait: {max_wait}
workshop:
  idle: {idle}
web:
  operators: [anna]
  people: {{bert: team-b}}
"""

APACHE = """
ServerRoot {folder}
ServerName localhost
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
Mutex file:{folder} default
Listen 127.0.0.1:{port}
ErrorLog {folder}/web.log
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authn_file_module {modules}/mod_authn_file.so
LoadModule auth_basic_module {modules}/mod_auth_basic.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule mime_module {modules}/mod_mime.so
TypesConfig /etc/mime.types
"""

FCGID = """
LoadModule rewrite_module {modules}/mod_rewrite.so
LoadModule fcgid_module {modules}/mod_fcgid.so
FcgidIPCDir {folder}/ipc
FcgidProcessTableFile {folder}/ipc/table
FcgidZombieScanInterval 1
FcgidConnectTimeout 20
DocumentRoot {folder}/site
<Directory {folder}/site>
	AllowOverride All
</Directory>
{admin}
"""

NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/web.log;
events {{ worker_connections 256; }}
http {{
	access_log off;
	client_body_temp_path {folder}/bodies;
	fastcgi_temp_path {folder}/replies;
	proxy_temp_path {folder}/unused;
	uwsgi_temp_path {folder}/unused;
	scgi_temp_path {folder}/unused;
	include {folder}/site.conf;
}}
"""

LIGHTTPD = """
server.bind = "127.0.0.1"
server.port = {port}
server.document-root = "{folder}"
server.upload-dirs = ( "{folder}" )
server.errorlog = "{folder}/web.log"
server.modules = ()
include "{folder}/site.conf"
"""


def put(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)


def shipped(name):
    with open(os.path.join(DEPLOY, name), encoding="utf-8") as f:
        return f.read()


def password_hash(name):
    """Of the password "NAME's"."""
    return subprocess.run(["openssl", "passwd", "-apr1", name + "'s"], capture_output=True, text=True,
                          check=True).stdout.strip()


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def end(process, number=signal.SIGTERM):
    if process and process.poll() is None:
        process.send_signal(number)
        process.wait(PATIENCE)


class Site:
    """A web server and a pool with a folder of their own; the subclasses say which."""

    max_wait, idle, level = "null", "5m", "info"
    base = ""                  # what comes before symgate's paths

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="symgate-deploy-")
        self.state = os.path.join(self.folder, "state")
        self.socket = os.path.join(self.folder, "fcgi.sock")
        self.config = os.path.join(self.folder, "symgate.yml")
        self.port = free_port()
        self.pool = self.web = None
        self.people = os.path.join(self.folder, "people")
        put(self.people, "".join(f"{name}:{password_hash(name)}\n" for name in ("anna", "bert", "carl")))
        self.write_config()

    def write_config(self, **more):
        values = {"state": self.state, "level": self.level, "max_wait": self.max_wait, "idle": self.idle, **more}
        put(self.config, CONFIG.format(**values))

    def fitted(self, text):
        """The shipped text with this test's paths."""
        for old, new in (("/usr/bin/symgate", SYMGATE), ("/etc/symgate/people", self.people),
                         ("/home/you/symgate-people", self.people), ("/etc/symgate/symgate.yml", self.config),
                         ("/run/symgate/fcgi.sock", self.socket), ("/run/lighttpd/symgate.sock", self.socket),
                         ("*:80", f"127.0.0.1:{self.port}"), ("listen 80;", f"listen 127.0.0.1:{self.port};")):
            text = text.replace(old, new)
        return text

    def spawn(self, arguments, name, **more):
        with open(os.path.join(self.folder, name + ".log"), "ab") as log:
            return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                    start_new_session=True, **more)

    def __enter__(self):
        self.prepare()
        self.start_pool()
        self.start_web()
        return self

    def __exit__(self, kind, *_):
        self.stop_web()
        self.stop_pool()
        if kind:
            for path in glob.glob(os.path.join(self.folder, "*.log")) + [os.path.join(self.state, "symgate.log")]:
                if os.path.exists(path):
                    with open(path, encoding="utf-8", errors="replace") as f:
                        print(f"--- {path}\n{f.read()[-6000:]}")
        self.end_helpers()
        shutil.rmtree(self.folder, ignore_errors=True)

    def prepare(self):
        pass

    def start_pool(self):
        pass

    def stop_pool(self):
        end(self.pool)

    def stop_web(self):
        end(self.web)

    def restart_if_dead(self):
        """What a process manager does for a pool."""
        if self.pool and self.pool.poll() is not None:
            self.start_pool()

    def wait_ready(self):
        def ready():
            if self.web.poll() is not None:
                raise AssertionError("the web server has ended")
            try:
                return self.get("/healthcheck")[0] == 200
            except OSError:
                return False
        eventually(ready, "the site to answer")

    def helpers(self):
        """The pid in the helpers' lock while they live."""
        try:
            with open(os.path.join(self.state, "helpers.lock"), encoding="ascii") as f:
                pid = int(f.read().split()[0])
        except (OSError, IndexError):
            return None
        return pid if alive(pid) else None

    def end_helpers(self):
        pid = self.helpers()
        if pid:
            kill(pid, signal.SIGTERM)
            eventually(lambda: not alive(pid), "the helpers to end")

    def processes(self, words, named=None):
        """Living processes whose command line and name hold all words."""
        found = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/cmdline", encoding="utf-8", errors="replace") as f:
                    line = f.read().replace("\0", " ")
                with open(f"/proc/{name}/comm", encoding="utf-8", errors="replace") as f:
                    short = f.read().strip()
            except OSError:
                continue
            line += short
            if named in (None, short) and all(word in line for word in words) and alive(name):
                found.append(int(name))
        return found

    # As service_tests.Service does it:
    answer = service_tests.Service.answer
    metric = service_tests.Service.metric
    get = service_tests.Service.get
    post = service_tests.Service.post
    plain_request = service_tests.Service.request

    def request(self, method, path, *more, **named):
        return self.plain_request(method, self.base + path, *more, **named)


class Lighttpd(Site):
    """lighttpd starts the pool itself."""

    def prepare(self):
        put(os.path.join(self.folder, "site.conf"), self.fitted(shipped("lighttpd.conf")))
        put(os.path.join(self.folder, "web.conf"), LIGHTTPD.format(folder=self.folder, port=self.port))

    def start_web(self):
        self.web = self.spawn(["lighttpd", "-D", "-f", os.path.join(self.folder, "web.conf")], "lighttpd")
        self.wait_ready()

    def masters(self):
        return self.processes([SYMGATE, self.config, "serve"], "symgate")

    def master(self):
        """The one; what it forks has its name for a moment."""
        return eventually(lambda: len(self.masters()) == 1 and self.masters(), "one master")[0]

    def stop_web(self):
        super().stop_web()
        eventually(lambda: not self.processes([SYMGATE, self.config]), "the pool to end with lighttpd")

    def kill_pool(self):
        for pid in self.masters():
            kill(pid)

    def reload_pool(self):
        kill(self.master(), signal.SIGUSR2)


class Pool(Site):
    """A pool of its own: socket activation as systemd does it, with the unit's command line."""

    def listen(self):
        listening = socket.socket(socket.AF_UNIX)
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        listening.bind(self.socket)
        listening.listen(1024)
        return listening

    def start_pool(self):
        if not hasattr(self, "listening"):
            self.listening = self.listen()
        number = self.listening.fileno()

        def activate():
            os.dup2(number, 3)
            os.set_inheritable(3, True)         # dup2 leaves it alone where it is 3 already
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
            os.execvp(SYMGATE, self.unit_command())
        self.pool = self.spawn_with(activate, "pool")

    def unit_command(self):
        command = [line.split("=", 1)[1] for line in shipped("systemd/symgate.service").splitlines()
                   if line.startswith("ExecStart=")][0]
        return self.fitted(command).split()

    def spawn_with(self, function, name):
        with open(os.path.join(self.folder, name + ".log"), "ab") as log:
            pid = os.fork()
            if pid == 0:
                try:
                    os.setsid()
                    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
                    os.dup2(log.fileno(), 1)
                    os.dup2(log.fileno(), 2)
                    function()
                finally:
                    os._exit(127)
        return Forked(pid)

    def kill_pool(self):
        end(self.pool, signal.SIGKILL)
        self.start_pool()

    def reload_pool(self):
        os.kill(self.pool.pid, signal.SIGUSR2)


class Forked:
    """What Popen would be, for a process we forked ourselves."""

    def __init__(self, pid):
        self.pid, self.code = pid, None

    def poll(self):
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def send_signal(self, number):
        os.kill(self.pid, number)

    def wait(self, _):
        eventually(lambda: self.poll() is not None, "a process to end")


class ApacheProxy(Pool):
    def prepare(self):
        put(os.path.join(self.folder, "web.conf"),
            APACHE.format(folder=self.folder, port=self.port, modules=APACHE_MODULES) +
            f"LoadModule filter_module {APACHE_MODULES}/mod_filter.so\n"
            f"LoadModule deflate_module {APACHE_MODULES}/mod_deflate.so\n"
            f"LoadModule proxy_module {APACHE_MODULES}/mod_proxy.so\n"
            f"LoadModule proxy_fcgi_module {APACHE_MODULES}/mod_proxy_fcgi.so\n" +
            self.fitted(shipped("apache-proxy-fcgi.conf")))

    def start_web(self):
        self.web = self.spawn(["apache2", "-DFOREGROUND", "-f", os.path.join(self.folder, "web.conf")], "apache")
        self.wait_ready()


class Nginx(Pool):
    def prepare(self):
        put(os.path.join(self.folder, "site.conf"), self.fitted(shipped("nginx.conf")))
        put(os.path.join(self.folder, "web.conf"), NGINX.format(folder=self.folder))

    def start_web(self):
        self.web = self.spawn(["nginx", "-e", os.path.join(self.folder, "web.log"), "-p", self.folder, "-c",
                               os.path.join(self.folder, "web.conf")], "nginx")
        self.wait_ready()


class NginxSendsFiles(Nginx):
    """What lies in the cache nginx sends itself, by the lines of doc/deploy.md."""

    alias = "cache"

    def __init__(self, symbols):
        self.symbols = symbols
        super().__init__()

    def write_config(self, **more):
        super().write_config(**more)
        with open(self.config, "a", encoding="utf-8") as f:
            f.write("\nfront: {sendfile: x-accel-redirect}\nsources: " + json.dumps([self.symbols.source()]) + "\n")

    def prepare(self):
        super().prepare()
        path = os.path.join(self.folder, "site.conf")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        put(path, text.replace("\tlocation / {", "\tlocation /symgate-cache/ { internal; alias "
                               f"{self.state}/{self.alias}/; }}\n\n\tlocation / {{"))


class NginxSpawnFcgi(Nginx):
    """The shipped script in place of systemd."""

    def start_pool(self):
        script = os.path.join(self.folder, "spawn")
        put(script, self.fitted(shipped("spawn-fcgi")), 0o755)
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        self.pool = self.spawn([script], "pool")
        eventually(lambda: os.path.exists(self.socket) or self.pool.poll() is not None, "the socket")
        assert self.pool.poll() is None, "spawn-fcgi ended"


class NginxSystemd(Nginx):
    """systemd's own way to hand the socket over, with its names and variables."""

    def start_pool(self):
        self.pool = self.spawn(["systemd-socket-activate", "-l", self.socket, *self.unit_command()], "pool")
        eventually(lambda: os.path.exists(self.socket), "the socket")


class SharedHosting(Site):
    """Apache with mod_fcgid, a folder of a web site, and nothing else that runs."""

    max_wait, idle, base = "2s", "2s", "/symbols"
    admin = True
    site = "site/symbols"

    def prepare(self):
        site = os.path.join(self.folder, self.site)
        put(os.path.join(site, ".htaccess"), self.fitted(shipped("shared-hosting/.htaccess")))
        put(os.path.join(site, "symgate.fcgi"),
            shipped("shared-hosting/symgate.fcgi").replace("/usr/bin/symgate", f"{SYMGATE} -c {self.config}"), 0o755)
        os.makedirs(os.path.join(self.folder, "ipc"))
        os.makedirs(os.path.join(self.folder, "site"), exist_ok=True)
        put(os.path.join(self.folder, "web.conf"), self.server())

    def server(self):
        return (APACHE.format(folder=self.folder, port=self.port, modules=APACHE_MODULES) +
                FCGID.format(folder=self.folder, modules=APACHE_MODULES,
                             admin=shipped("apache-fcgid.conf") if self.admin else ""))

    def start_web(self):
        self.web = self.spawn(["apache2", "-DFOREGROUND", "-f", os.path.join(self.folder, "web.conf")], "apache")
        self.wait_ready()

    def fronts(self):
        return self.processes([SYMGATE, self.config, "fcgi"], "symgate")

    def kill_pool(self):
        for pid in self.fronts() + [self.helpers()]:
            if pid:
                kill(pid)

    def reload_pool(self):
        for pid in self.fronts():
            kill(pid, signal.SIGUSR1)
        self.end_helpers()


class SharedHostingUnasked(SharedHosting):
    """The same where nobody raised a limit."""

    admin = False


class SharedHostingUserdir(SharedHosting):
    """The same in an account's public_html, where Debian's userdir.conf rules."""

    base = "/~kim/symbols"
    site = "home/kim/public_html/symbols"

    def server(self):
        homes = os.path.join(self.folder, "home")
        return (super().server() + f"LoadModule userdir_module {APACHE_MODULES}/mod_userdir.so\n"
                f"UserDir {homes}/*/public_html\n<Directory {homes}/*/public_html>\n"
                "AllowOverride FileInfo AuthConfig Limit Indexes\n"
                "Options MultiViews Indexes SymLinksIfOwnerMatch IncludesNoExec\n"
                "</Directory>\n" + shipped("apache-fcgid.conf").replace("/home/", homes + "/"))


# --- What every site has to do ---------------------------------------------------------------

def serve_all():
    symbols = Symbols()
    for program in PROGRAMS:
        symbols.add(program)
    return symbols


def raw_exchange(site, head, chunks):
    """A request by hand; the whole reply."""
    with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE) as s:
        s.sendall(head)
        for chunk in chunks:
            s.sendall(chunk)
        reply = b""
        while data := s.recv(65536):
            reply += data
    return reply


def post_head(site, path, fields):
    lines = [f"POST {site.base}{path} HTTP/1.1", "Host: localhost", "Connection: close",
             "Content-Type: application/json", *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def check_answers(site, symbols):
    request = request_for(symbols, PROGRAMS[:2])
    reply = site.answer(request)
    assert functions(reply).count("outer") == 2, reply
    hits = symbols.total()
    assert site.post(request) == site.post(request)
    assert symbols.total() == hits


def check_replies_pass_unmangled(site):
    def shown(method, path, *more):
        status, body, headers = site.request(method, path, *more)
        return status, body, headers.get("Allow")
    assert shown("GET", "/healthcheck") == (200, b"ok", None)
    status, body, headers = site.request("HEAD", "/healthcheck")
    assert (status, body) == (200, b""), (status, body)
    assert headers.get("Content-Length") in ("2", None), headers.items()
    assert shown("GET", "/nowhere") == (404, b"", None), shown("GET", "/nowhere")
    assert shown("GET", "/requests/none") == (404, b"", None)
    assert shown("GET", "/symbolicate") == (405, b"", "POST"), shown("GET", "/symbolicate")
    assert shown("POST", "/healthcheck", "{}") == (405, b"", "GET,HEAD")
    assert shown("POST", "/symbolicate", "{}", {"Content-Type": "text/plain"})[:2] == \
        (415, b"Expected request with `Content-Type: application/json`")
    status, body, headers = site.request("POST", "/symbolicate", "{", {"Content-Type": "application/json"})
    assert status in (400, 422) and body, (status, body)
    assert headers["Content-Type"] == "text/plain; charset=utf-8", headers.items()
    status, body, _ = site.request("GET", "/readyz")
    assert status == 200 and json.loads(body)["ready"], body
    assert b"symgate_" in site.get("/metrics")[1]


def check_big_and_chunked_bodies(site, symbols):
    body = json.dumps(request_for(symbols, PROGRAMS[:1])).encode()
    big = body[:-1] + b" " * (20 << 20) + b"}"
    status, reply, _ = site.request("POST", "/symbolicate", big, {"Content-Type": "application/json"})
    assert status == 200 and json.loads(reply)["status"] in ("completed", "pending"), (status, reply[:300])
    chunks = [b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:100], body[100:])] + [b"0\r\n\r\n"]
    reply = raw_exchange(site, post_head(site, "/symbolicate", ["Transfer-Encoding: chunked"]), chunks)
    assert reply.startswith(b"HTTP/1.1 200 "), reply[:500]
    assert b'"outer"' in reply, reply[-500:]


def start_waiting(site, symbols, program, name):
    """A job whose download does not end until symbols.gate opens; its id."""
    symbols.gate.clear()
    request = request_for(symbols, [program])
    request["sources"][0]["id"] = name
    status, body = site.post(request, "?timeout=0")
    assert status == 200, (status, body)
    reply = json.loads(body)
    assert reply["status"] == "pending", reply
    hits = symbols.total()
    return request, reply["request_id"], hits


def check_ended(site, identity, what, is_whole=True):
    """The job is answered by polling, whatever the server says while it restarts."""
    def look():
        try:
            status, body = site.get(f"/requests/{identity}?timeout=2")
        except OSError:
            return None
        assert status in (200, 500, 502, 503), (status, body)
        reply = json.loads(body) if status == 200 else {}
        return reply if reply.get("status") == "completed" else None
    reply = eventually(look, what)
    assert not is_whole or "outer" in functions(reply), reply


def check_long_polls(site, symbols):
    request, identity, _ = start_waiting(site, symbols, PROGRAMS[2], "slow")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(site.answer, request) for _ in range(3)]
        assert site.get("/healthcheck") == (200, b"ok")
        symbols.gate.set()
        for reply in waiting:
            assert "outer" in functions(reply.result(PATIENCE))
    check_ended(site, identity, "the job after a long poll")


def check_clients_leave(site, symbols):
    request, identity, _ = start_waiting(site, symbols, PROGRAMS[3], "left")
    body = json.dumps(request).encode()
    head = post_head(site, "/symbolicate", [f"Content-Length: {len(body)}"])
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", site.port)) as s:
            s.sendall(head + body)
    with socket.create_connection(("127.0.0.1", site.port)) as s:
        s.sendall(head + body[:50])             # and one that never says all of it
    assert site.get("/healthcheck") == (200, b"ok")
    symbols.gate.set()
    check_ended(site, identity, "the job whose clients left")
    eventually(lambda: site.metric("symgate_requests_parked") == 0, "nobody to be parked")


def check_restarts(site, symbols):
    _, identity, _ = start_waiting(site, symbols, PROGRAMS[4], "web")
    site.stop_web()
    site.start_web()
    symbols.gate.set()
    check_ended(site, identity, "the job after the web server's restart")

    _, identity, _ = start_waiting(site, symbols, PROGRAMS[5], "pool")
    site.kill_pool()
    symbols.gate.set()
    check_ended(site, identity, "the job after the pool was killed")

    _, identity, _ = start_waiting(site, symbols, PROGRAMS[6], "reload")
    site.write_config(level="debug")
    site.reload_pool()
    symbols.gate.set()
    check_ended(site, identity, "the job after a reload")


# --- The page ------------------------------------------------------------------------------

def login(name, password=None):
    said = f"{name}:{name + chr(39) + 's' if password is None else password}"
    return {"Authorization": "Basic " + base64.b64encode(said.encode()).decode(), "Accept": "text/html"}


def drop(site, form, text, headers):
    """Sends the form of that page; the report's path, below the site's base."""
    status, body, _ = site.request("GET", form, None, {"Accept": "text/html", **headers})
    assert status == 200, (form, status, body[:300])
    action = re.search(r'<form class="drop" method="post" action="([^"]+)"', body.decode()).group(1)
    token = re.search(r'name="token" value="([^"]+)"', body.decode()).group(1)
    body = urllib.parse.urlencode({"token": token, "text": text})
    path = urllib.parse.urljoin(site.base + form, action)
    status, body, reply = site.plain_request("POST", path, body, {
        "Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://127.0.0.1:{site.port}", **headers})
    assert status == 303, (path, status, body[:600])
    return urllib.parse.urljoin(f"http://127.0.0.1:{site.port}{path}", reply["Location"]).split(f":{site.port}", 1)[1]


def check_page(site):
    status, body, headers = site.request("GET", "/", None, {"Accept": "text/html"})
    assert status == 200 and "default-src 'none'" in headers["Content-Security-Policy"], (status, body[:300])
    for link in re.findall(r'(?:href|src)="(ui/static/[^"]+)"', body.decode()):
        status, _, headers = site.request("GET", "/" + link)
        assert status == 200 and "immutable" in headers["Cache-Control"], (link, status)
        assert site.request("GET", "/" + link, None, {"If-None-Match": headers["ETag"]})[0] == 304, link
    report = drop(site, "/", json.dumps({"stacktraces": [], "modules": []}), {})
    assert report.startswith(site.base + "/ui/r/"), report
    def look():
        status, body, _ = site.plain_request("GET", report, None, {"Accept": "text/html"})
        assert status == 200, (report, status, body[:300])
        return b"Still reading" not in body and body
    assert b"Delete this report" in eventually(look, "the report")
    assert site.plain_request("GET", report + "/threads/../../x", None, {"Accept": "text/html"})[0] in (301, 400, 404)


def check_operators(site):
    """Names count where the web server has asked for a password, and there alone."""
    def asked(path, headers):
        return site.request("GET", path, None, {"Accept": "text/html", **headers})[0]
    for headers in ({}, login("anna", "wrong"), login("anna", ""), login("nobody"), {"Remote-User": "anna"},
                    {"Remote_User": "anna"}, {"REMOTE-USER": "anna"}, {"X-Remote-User": "anna"}):
        for path in ("/ui/op/", "/ui/op/failures", "/ui/op/drop"):
            assert asked(path, headers) in (401, 403), (path, headers)
    assert asked("/ui/op/", login("anna")) == 200
    assert asked("/ui/op/", login("carl")) == 403, "a password is not enough"
    assert asked("/ui/op/", {**login("carl"), "Remote-User": "anna"}) == 403
    status, body, _ = site.request("GET", "/", None, login("anna", "wrong"))
    assert status == 200 and b"anna" not in body, "a name nobody has checked"
    # As it stands the path is below /ui/op/, but the web server takes it for another: no password is asked for.
    reply = raw_exchange(site, (f"GET {site.base}/ui/op/x/../../ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                f"Accept: text/html\r\nAuthorization: {login('anna', 'wrong')['Authorization']}\r\n\r\n").encode(), [])
    assert not reply.startswith(b"HTTP/1.1 200 ") or b"anna" not in reply, reply
    assert b"anna" not in reply and (b" 403 " in reply[:20] or b" 404 " in reply[:20] or b"What crashed?" in reply), reply[:600]
    drop(site, "/ui/op/drop", json.dumps({"stacktraces": [], "modules": []}), login("bert"))
    with contextlib.closing(sqlite3.connect(os.path.join(site.state, "symgate.db"))) as database:
        scopes = database.execute("SELECT DISTINCT scope FROM job WHERE kept_until IS NOT NULL ORDER BY 1").fetchall()
    assert scopes == [("page",), ("team-b",)], scopes


def check_site(site):
    symbols = serve_all()
    with site:
        check_page(site)
        check_operators(site)
        check_answers(site, symbols)
        check_replies_pass_unmangled(site)
        check_big_and_chunked_bodies(site, symbols)
        check_long_polls(site, symbols)
        check_clients_leave(site, symbols)
        check_restarts(site, symbols)


def test_lighttpd():
    check_site(Lighttpd())


def test_apache_proxy_fcgi():
    check_site(ApacheProxy())


def test_nginx_with_socket_activation():
    check_site(Nginx())


def test_nginx_sends_files():
    symbols = serve_all()
    path = f"/proxy/_.debug/elf-buildid-sym-{PROGRAMS[0].code_id}/_.debug"
    with open(PROGRAMS[0].path, "rb") as f:
        whole = f.read()
    with NginxSendsFiles(symbols) as site:
        for _ in range(2):
            status, body, headers = site.request("GET", path)
            assert (status, body) == (200, whole), (status, len(body))
            assert headers["Content-Type"] == "application/octet-stream" and not headers["X-Accel-Redirect"], dict(headers)
        status, body, _ = site.request("GET", path, None, {"Range": "bytes=4-9"})
        assert (status, body) == (206, whole[4:10]), (status, body)
        assert site.request("HEAD", path)[0] == 200
        assert site.get("/symgate-cache/objects/")[0] == 404, "it is nobody else's to ask for"
    wrong = NginxSendsFiles(symbols)
    wrong.alias = "nowhere"
    with wrong as site:
        assert site.get(path)[0] == 404, "it is nginx that sends, from where it is told"


def test_nginx_with_spawn_fcgi():
    check_site(NginxSpawnFcgi())


def test_nginx_with_systemds_own_activation():
    symbols = serve_all()
    with NginxSystemd() as site:
        check_answers(site, symbols)
        check_big_and_chunked_bodies(site, symbols)


def test_units_are_sound_and_confined():
    with tempfile.TemporaryDirectory(prefix="symgate-units-") as folder:
        units = [os.path.join(folder, name) for name in ("symgate.service", "symgate.socket")]
        for path in units:
            text = shipped("systemd/" + os.path.basename(path)).replace("/usr/bin/symgate", SYMGATE)
            # Man pages are looked for on this machine, where they need not be installed.
            put(path, "".join(line for line in text.splitlines(True) if not line.startswith("Documentation=")))

        def analyze(*arguments):
            done = subprocess.run(["systemd-analyze", "--no-pager", *arguments], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            return done.returncode, done.stdout + done.stderr
        assert analyze("verify", *units) == (0, ""), analyze("verify", *units)
        rating = analyze("security", "--offline=true", units[0])[1].split("exposure level for symgate.service:")[1].split()
        with open(os.path.join(TOP, "doc", "deploy.md"), encoding="utf-8") as f:
            assert f"rates the unit {rating[0]}." in f.read(), rating
        assert float(rating[0]) < 2, rating


def test_shared_hosting():
    check_site(SharedHosting())


def test_shared_hosting_in_an_accounts_folder():
    symbols = serve_all()
    with SharedHostingUserdir() as site:
        check_answers(site, symbols)
        check_replies_pass_unmangled(site)


# --- What one of them has to do ------------------------------------------------------------

def two_fronts(site):
    """Both of them, once each has its name and nobody else has it still."""
    def found():
        fronts = site.processes([SYMGATE, site.config], "front")
        return len(fronts) == 2 and set(fronts)
    return eventually(found, "two fronts")


def test_reload_changes_the_config_and_loses_no_request():
    symbols = serve_all()
    with Nginx() as site:
        request = request_for(symbols, PROGRAMS[:2])
        site.answer(request)
        two_fronts(site)
        stop = []

        def ask_on():
            while not stop:
                status, body = site.post(request)
                assert status == 200 and json.loads(body)["status"] == "completed", (status, body)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(ask_on) for _ in range(4)]
            try:
                for _ in range(3):
                    old = two_fronts(site)
                    site.reload_pool()
                    eventually(lambda: not old & set(site.processes([SYMGATE, site.config, "front"])),
                               "the old fronts to leave")
            finally:
                stop.append(True)
            for each in asking:
                each.result(PATIENCE)

        # A body that is still coming in is waited for: chunks pass through mod_proxy_fcgi at once.
        with ApacheProxy() as streaming:
            streaming.answer(request)
            check_upload_across_a_reload(streaming, request)

        put(site.config, "pool: {threads: many}\n")
        site.reload_pool()
        eventually(lambda: "nothing has changed" in log_of(site, "pool"), "a word about the wrong config")
        site.write_config(state=site.state + "-elsewhere")
        site.reload_pool()
        eventually(lambda: "needs a restart" in log_of(site, "pool"), "a word about the other folder")
        assert site.post(request)[0] == 200


def check_upload_across_a_reload(site, request):
    body = json.dumps(request).encode()
    with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE) as s:
        s.sendall(post_head(site, "/symbolicate", ["Transfer-Encoding: chunked"]))
        s.sendall(b"%x\r\n%s\r\n" % (100, body[:100]))
        # The front has read what there is and waits for more once nothing else moves.
        eventually(lambda: site.metric("symgate_boot_started_seconds"), "metrics")
        old = two_fronts(site)
        site.reload_pool()
        eventually(lambda: len(set(site.processes([SYMGATE, site.config, "front"])) - old) == 2, "new fronts")
        eventually(lambda: len(old & set(site.processes([SYMGATE, site.config, "front"]))) < 2,
                   "the front that reads nothing to leave")
        s.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body) - 100, body[100:]))
        reply = b""
        while data := s.recv(65536):
            reply += data
    assert reply.startswith(b"HTTP/1.1 200 ") and b'"outer"' in reply, reply[:500]


def log_at(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def log_of(site, name):
    return log_at(os.path.join(site.folder, name + ".log"))


def test_lighttpd_and_its_pool_outlive_each_other():
    symbols = serve_all()
    with Lighttpd() as site:
        request = request_for(symbols, PROGRAMS[:1])
        site.answer(request)
        for _ in range(3):                      # a standby has a standby
            eventually(lambda: len(site.processes(["symgate-standby", site.config])) == 1, "a standby")
            master = site.master()
            kill(master)
            eventually(lambda: site.post(request)[0] == 200, "the pool after its master was killed")
            eventually(lambda: site.master() != master, "another master")
        # The last master's own standby comes a moment after it.
        eventually(lambda: len(site.processes(["symgate-standby", site.config])) == 1, "a last standby")
        standby = site.processes(["symgate-standby", site.config])
        os.kill(standby[0], signal.SIGKILL)
        eventually(lambda: len(set(site.processes(["symgate-standby", site.config])) - set(standby)) == 1,
                   "another standby")
        end(site.web, signal.SIGKILL)
        eventually(lambda: not site.processes([SYMGATE, site.config]), "the pool to end with its web server")
        site.start_web()
        assert site.post(request)[0] == 200
        site.master()


def test_socket_keeps_requests_while_the_pool_is_down():
    symbols = serve_all()
    with Nginx() as site:
        request = request_for(symbols, PROGRAMS[:1])
        site.answer(request)
        end(site.pool)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            waiting = [pool.submit(site.post, request) for _ in range(4)]
            site.start_pool()
            for reply in waiting:
                status, body = reply.result(PATIENCE)
                assert status == 200 and "outer" in functions(json.loads(body)), (status, body)


def links_below(folder):
    found = []
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):        # closed meanwhile
            found.append(os.readlink(os.path.join(folder, name)))
    return found


def test_helpers_come_and_go():
    symbols = serve_all()
    with SharedHosting() as site:
        assert site.helpers() is None, "nobody asked for helpers yet"
        symbols.gate.clear()
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            waiting = [pool.submit(site.answer, request_for(symbols, [PROGRAMS[i]])) for i in range(6)]
            eventually(site.helpers, "helpers")
            eventually(lambda: symbols.total() == 6, "all downloads")
            assert len(site.processes(["symgate-helpers"])) >= 1
            # While there is work they stay.  Detached: in a session of its own, with no socket of the web server's.
            helpers = site.helpers()
            assert os.getsid(helpers) != os.getsid(site.web.pid)
            assert os.readlink(f"/proc/{helpers}/fd/0") == "/dev/null"
            sockets = [link for link in links_below(f"/proc/{helpers}/fd") if link.startswith("socket:")]
            assert not sockets, sockets
            symbols.gate.set()
            for reply in waiting:
                assert "outer" in functions(reply.result(PATIENCE))
        eventually(lambda: site.helpers() is None, "idle helpers to leave")
        eventually(lambda: not site.processes(["workshop", site.config]), "their workshop too")
        # Hot requests need nobody; a cold one brings them back.
        assert "outer" in functions(site.answer(request_for(symbols, [PROGRAMS[0]])))
        assert site.helpers() is None
        _, identity, _ = start_waiting(site, symbols, PROGRAMS[7], "back")
        eventually(lambda: site.helpers() not in (None, helpers), "others to come")
        symbols.gate.set()
        check_ended(site, identity, "the job of the others")


def test_helpers_leave_with_the_state_folder():
    symbols = serve_all()

    class Patient(SharedHosting):
        idle = "5m"

    with Patient() as site:
        site.answer(request_for(symbols, PROGRAMS[:1]))
        helpers = site.helpers()
        site.stop_web()
        assert alive(helpers), "helpers outlive the web server"
        remove_tree(site.state)
        eventually(lambda: not alive(helpers), "helpers without a state folder to leave")


def test_helpers_of_another_build_leave():
    symbols = serve_all()

    class Patient(SharedHosting):
        idle = "5m"

    with Patient() as site:
        site.answer(request_for(symbols, PROGRAMS[:1]))
        helpers = site.helpers()
        with open(os.path.join(site.state, "helpers.lock"), "w", encoding="ascii") as f:
            f.write(f"{helpers} a-build-of-before\n")
        old = site.fronts()
        for pid in old:
            kill(pid, signal.SIGUSR1)           # a graceful restart, as after an upgrade
        eventually(lambda: not [pid for pid in old if alive(pid)], "the old fronts to leave")
        site.answer(request_for(symbols, [PROGRAMS[1]]))
        eventually(lambda: not alive(helpers), "helpers of another build to leave")
        assert "outer" in functions(site.answer(request_for(symbols, [PROGRAMS[2]])))


def test_upgrade_on_shared_hosting_takes_a_new_inode():
    symbols = serve_all()
    with SharedHosting() as site:
        script = os.path.join(site.folder, site.site, "symgate.fcgi")
        site.answer(request_for(symbols, PROGRAMS[:1]))
        old = site.fronts()
        newer = os.path.join(site.folder, "newer-symgate")
        shutil.copy2(SYMGATE, newer)
        with open(script, encoding="utf-8") as f:
            text = f.read().replace(SYMGATE, newer)
        put(script + ".new", text, 0o755)
        os.rename(script + ".new", script)      # as doc/operate.md says
        site.answer(request_for(symbols, PROGRAMS[1:2]))
        assert site.processes([newer, site.config, "fcgi"]), old


def test_processes_of_a_process_manager_may_be_killed():
    symbols = serve_all()
    with SharedHosting() as site:
        for round_number, number in enumerate((signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1)):
            _, identity, _ = start_waiting(site, symbols, PROGRAMS[round_number], f"signal{number}")
            for pid in site.fronts():
                kill(pid, number)
            symbols.gate.set()
            check_ended(site, identity, f"the job after signal {number}")
            eventually(lambda: not [pid for pid in site.processes(["symgate-starter", site.config])
                                    if parent_of(pid) == 1], "starters to end with their fronts")


def test_killed_helpers_and_starters_come_back():
    symbols = serve_all()

    class Patient(SharedHosting):
        idle = "5m"

    with Patient() as site:
        for number, words in enumerate((["symgate-starter"], ["symgate-helpers"], ["symgate-nursery"])):
            _, identity, _ = start_waiting(site, symbols, PROGRAMS[number], f"kill{number}")
            if words == ["symgate-starter"]:
                site.end_helpers()              # so that the starter is needed again
            for pid in site.processes([site.config, *words]):
                kill(pid)                       # the first may have taken the others along
            symbols.gate.set()
            check_ended(site, identity, f"the job after {words[0]} was killed")


# --- Kills under load ------------------------------------------------------------------------

def kill_one(site, chance):
    victims = site.processes([SYMGATE, site.config])
    if victims:
        kill(chance.choice(victims))


def harm_for_a_while(site, symbols, harm, is_whole):
    """Jobs come in and harm is done at any time; the ids of the jobs.  Not is_whole: a file may have
    failed for want of room."""
    until = time.monotonic() + float(os.environ.get("SYMGATE_KILL_SECONDS", "3"))
    most = until + PATIENCE
    identities, number = set(), 0
    # On a slow machine somebody has to have waited all the same.
    while time.monotonic() < (until if identities else most):
        number += 1
        request = request_for(symbols, [PROGRAMS[number % len(PROGRAMS)]])
        request["sources"][0]["id"] = f"kill{number}"
        try:
            status, body = site.post(request, f"?timeout={number % 2}")
        except OSError:
            continue
        finally:
            if number % 5 == 0:
                harm()
        assert status in (200, 500, 502, 503), (status, body[:300])
        if status == 200:
            reply = json.loads(body)
            if reply["status"] == "pending":
                identities.add(reply["request_id"])
            elif is_whole:
                assert "outer" in functions(reply), reply
    return identities


def check_kills(site):
    chance = random.Random(4)
    check_harm(site, lambda: kill_one(site, chance))


def check_harm(site, harm, heal=None, check=None):
    """`heal`: ends what harm did, and then all has to be well again, as check(site, ids) sees it."""
    symbols = serve_all()
    with site:
        over = threading.Event()

        def supervise():
            while not over.wait(0.02):
                try:
                    site.restart_if_dead()
                except (AssertionError, OSError):
                    pass                    # no room to start in: it is tried again, as managers do
        supervisor = threading.Thread(target=supervise, daemon=True)
        supervisor.start()
        try:
            identities = harm_for_a_while(site, symbols, harm, heal is None)
        finally:
            over.set()
            supervisor.join()
        if heal:
            heal()
        site.restart_if_dead()
        site.wait_ready()
        assert identities, "nobody had to wait"
        for identity in identities:
            check_ended(site, identity, f"job {identity} after the harm", heal is None)
        eventually(lambda: site.metric("symgate_jobs_live") == 0, "no job to be left")
        if check:
            check(site, identities)
        with sqlite3.connect(os.path.join(site.state, "symgate.db"), timeout=30) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_kills_behind_lighttpd():
    check_kills(Lighttpd())


def test_kills_behind_apache_proxy_fcgi():
    check_kills(ApacheProxy())


def test_kills_behind_nginx():
    check_kills(Nginx())


def test_kills_behind_nginx_with_spawn_fcgi():
    check_kills(NginxSpawnFcgi())


def test_kills_on_shared_hosting():
    check_kills(SharedHosting())


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return int(f.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def test_a_pool_started_by_lighttpd_has_a_log_and_ends_without_a_warning():
    with Lighttpd() as site:
        assert site.get("/healthcheck") == (200, b"ok")
        log = os.path.join(site.state, "symgate.log")
        eventually(lambda: "master_ready" in log_at(log), "the master to say that it is ready")
        site.stop_web()
        eventually(lambda: not site.masters(), "the pool to end")
        text = log_at(log)
        assert "master_end" in text, text
        assert not re.search(r"^\S+ (warn|error) ", text, re.M), text


def test_a_whole_group_that_is_stopped_ends_without_a_warning():
    with Nginx() as site:
        two_fronts(site)
        os.killpg(site.pool.pid, signal.SIGTERM)
        site.pool.wait(PATIENCE)
        with open(os.path.join(site.folder, "pool.log"), encoding="utf-8") as f:
            text = f.read()
        assert "master_end" in text, text
        assert not re.search(r"^\S+ (warn|error) ", text, re.M), text


def test_serve_refuses_what_it_cannot_listen_on():
    for address in ("127.0.0.1:9000", ":9000", "[::1]:9000", "localhost:80"):
        done = subprocess.run([SYMGATE, "serve", "--socket", address], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        assert done.returncode == 2 and f"{address} is an address" in done.stderr, done


def test_serve_is_not_ready_on_another_programs_port():
    class Liar(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    folder = tempfile.mkdtemp(prefix="symgate-serve-")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        done = subprocess.run(["sh", os.path.join(DEPLOY, "serve")], capture_output=True, text=True,
                              timeout=PATIENCE, check=False,
                              env={**os.environ, "PORT": str(other.server_port), "STATE_DIR": folder,
                                   "SYMGATE": SYMGATE})
        other.shutdown()
    shutil.rmtree(folder, ignore_errors=True)
    assert done.returncode == 1 and "ready http" not in done.stdout and "(in use?)" in done.stderr, done


def test_shared_hosting_with_default_limits():
    symbols = serve_all()
    with SharedHostingUnasked() as site:
        check_answers(site, symbols)
        body = json.dumps(request_for(symbols, PROGRAMS[:1])).encode()
        status, reply, _ = site.request("POST", "/symbolicate", body[:-1] + b" " * (200 << 10) + b"}",
                                        {"Content-Type": "application/json"})
        assert status == 500, (status, reply)   # as README in deploy/shared-hosting says
        assert site.get("/healthcheck") == (200, b"ok")


def test_shared_hosting_without_a_usable_state_folder_says_so():
    class Homeless(SharedHosting):
        def prepare(self):
            put(os.path.join(self.folder, "file"), "")
            self.state = os.path.join(self.folder, "file", "state")
            self.write_config()
            super().prepare()

    with Homeless() as site:
        status, body = site.get("/readyz")
        assert status == 503 and "file" in json.loads(body)["database"]["reason"], body
        assert site.get("/healthcheck") == (200, b"ok")


def test_quickstart_starts_moves_not_and_stops_only_itself():
    folder, port = tempfile.mkdtemp(prefix="symgate-quickstart-"), free_port()
    state = os.path.join(folder, "symgate-quickstart")
    # As root it would use the machine's own folder.
    user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
    if user:
        shutil.chown(folder, "nobody", "nogroup")

    def quickstart(*words, **environment):
        done = subprocess.run([*user, "sh", os.path.join(DEPLOY, "quickstart"), *words], capture_output=True,
                              text=True, timeout=PATIENCE, check=False,
                              env={**os.environ, "XDG_STATE_HOME": folder, "SYMGATE": SYMGATE, **environment})
        return done.returncode, done.stdout + done.stderr

    other = subprocess.Popen(["sleep", "600"])
    try:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            taken = str(silent.getsockname()[1])
            code, text = quickstart(PORT=taken)
            assert code == 1 and f"port {taken} (in use?)" in text, text
        code, text = quickstart(PORT=str(port))
        assert code == 0 and "shop::price_of(shop::Order const&)  quickstart-crash.cpp:" in text, text
        assert "shop::wait_for_delivery(int volatile*)" in text or "No core of it: this machine" in text, text
        assert os.stat(state).st_mode & 0o777 == 0o700 and state in text, text
        with open(os.path.join(state, "serve.pid"), encoding="ascii") as f:
            pid = int(f.read())
        code, text = quickstart()
        assert code == 0 and f"running on http://127.0.0.1:{port} " in text and alive(pid), text
        code, text = quickstart(PORT=str(port + 1))
        assert code == 1 and f"on port {port} already" in text and alive(pid), text
        code, text = quickstart("stop")
        assert code == 0 and text.startswith("stopped") and not alive(pid), text
        put(os.path.join(state, "serve.pid"), f"{other.pid}\n")
        assert quickstart("stop") == (0, "nothing to stop\n")
        assert alive(other.pid)
    finally:
        quickstart("stop")
        end(other)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    run_all([value for name, value in list(globals().items()) if name.startswith("test_")], "deploy")
