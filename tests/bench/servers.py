#!/usr/bin/env python3
"""servers -- hot requests through each web server of deploy/, beside the least a FastCGI
application can do on the same one: the same web server, configuration, request and reply size.

usage: make bench-servers      environment: BENCH_PAIRS (5), BENCH_SECONDS (3)

Needs wrk.  Prints a table; what is printed are medians.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "service"))
import test_deploy as deploy  # noqa: E402
from service_tests import eventually, request_for  # noqa: E402

TRIVIAL = os.path.join(os.environ["PROGRAMS"], "trivial_fcgi")
PAIRS = int(os.environ.get("BENCH_PAIRS", "5"))
SECONDS = int(os.environ.get("BENCH_SECONDS", "3"))
CONNECTIONS = 8
reply_bytes = 0


class TrivialPool:
    """In the place of a site's pool."""

    def start_pool(self):
        self.pool = self.spawn([TRIVIAL, self.socket, "2", "2", str(reply_bytes)], "pool")
        eventually(lambda: os.path.exists(self.socket), "the trivial pool")


class TrivialLighttpd(deploy.Lighttpd):
    def fitted(self, text):
        return re.sub(r'"bin-path" => "[^"]*"', f'"bin-path" => "{TRIVIAL} - 2 2 {reply_bytes}"',
                      super().fitted(text))


class TrivialApacheProxy(TrivialPool, deploy.ApacheProxy):
    pass


class TrivialNginx(TrivialPool, deploy.Nginx):
    pass


class Hosted(deploy.SharedHosting):
    max_wait, idle = "25s", "5m"


class TrivialHosted(Hosted):
    def prepare(self):
        super().prepare()
        deploy.put(os.path.join(self.folder, "site", "symbols", "symgate.fcgi"),
                   f"#!/bin/sh\nexec {TRIVIAL} - 1 1 {reply_bytes}\n", 0o755)


SITES = [
    ("lighttpd", deploy.Lighttpd, TrivialLighttpd),
    ("nginx", deploy.Nginx, TrivialNginx),
    ("Apache, mod_proxy_fcgi", deploy.ApacheProxy, TrivialApacheProxy),
    ("Apache, mod_fcgid", Hosted, TrivialHosted),
]


def load(site, script):
    out = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", script,
                          f"http://127.0.0.1:{site.port}{site.base}/symbolicate"],
                         capture_output=True, text=True, check=True).stdout
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    assert not failed, out
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def measure(name, real, trivial, body, script):
    global reply_bytes
    figures = {"symgate": [], "trivial": []}
    with real() as site:
        site.answer(json.loads(body))
        reply_bytes = len(site.request("POST", "/symbolicate", body, {"Content-Type": "application/json"})[1])
        with trivial() as other:
            for each in (site, other):
                load(each, script)
            for _ in range(PAIRS):
                figures["symgate"].append(load(site, script))
                figures["trivial"].append(load(other, script))
    ours, least = (statistics.median(figures[each]) for each in ("symgate", "trivial"))
    ratio = statistics.median(a / b for a, b in zip(figures["symgate"], figures["trivial"]))
    print(f"{name:24} {ours:8.0f} {least:8.0f} {ratio:8.2f}", flush=True)


def main():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if not shutil.which("wrk"):
        sys.exit("wrk is missing: apt-get install wrk")
    symbols = deploy.serve_all()
    body = json.dumps(request_for(symbols, deploy.PROGRAMS[:4]))
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(f"wrk.method = 'POST'\nwrk.body = [==[{body}]==]\n"
                     "wrk.headers['Content-Type'] = 'application/json'\n")
        script.flush()
        os.chmod(script.name, 0o644)
        print(f"{'requests/s':24} {'symgate':>8} {'trivial':>8} {'ratio':>8}")
        for name, real, trivial in SITES:
            measure(name, real, trivial, body, script.name)


if __name__ == "__main__":
    main()
