#!/usr/bin/env python3
"""storm -- how long /healthcheck and a hot request take while others wait or are large.

usage: make bench-storm      environment: BENCH_SECONDS (5), BENCH_PARKED ("0 100 1000 10000"), BENCH_LARGE (24)

nginx with two workers; 2 x 2 request threads.  Each line: what goes on, then for both the requests
answered on one connection, their median, 99th percentile and longest in milliseconds; and the memory of the
larger front.  Needs two descriptors of nginx's for each request that waits.
"""
import asyncio
import json
import multiprocessing
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "service"))
import test_deploy as deploy  # noqa: E402
import test_storm as storm  # noqa: E402
from service_tests import eventually, request_for  # noqa: E402

HTTP_LOAD = os.path.join(os.environ["PROGRAMS"], "http_load")
SECONDS = os.environ.get("BENCH_SECONDS", "5")
PARKED = [int(n) for n in os.environ.get("BENCH_PARKED", "0 100 1000 10000").split()]
LARGE = int(os.environ.get("BENCH_LARGE", "24"))
LARGE_BYTES = 41 * 1000 * 1000
deploy.NGINX = deploy.NGINX.replace("worker_connections 256;", "worker_connections 32768;").replace(
    "daemon off;", "daemon off;\nworker_processes 2;\nworker_rlimit_nofile 20000;")


class Nginx(deploy.Nginx):
    def write_config(self, **more):
        super().write_config(**more)
        with open(self.config, encoding="utf-8") as f:
            text = f.read().replace("pool:\n", "pool:\n  parked: 8000\n")
        deploy.put(self.config, text + "head_timeout: 600s\nmax_download_timeout: 600s\n")

    def fitted(self, text):
        return super().fitted(text).replace(f":{self.port};", f":{self.port} backlog=4096;")


def measure(site, path, body):
    """Requests, median, p99, longest, the last three in milliseconds."""
    out = subprocess.run([HTTP_LOAD, str(site.port), path, body, "1", SECONDS], capture_output=True, text=True,
                         check=True).stdout.split()
    return int(out[0]), *(int(out[i]) / 1000 for i in (2, 3, 4))


def memory_of_fronts(site):
    sizes = []
    for pid in site.processes([site.config], "front"):
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
            sizes += [int(line.split()[1]) for line in f if line.startswith("Private_Dirty:")]
    return max(sizes) / 1024


def tell(what, site, hot):
    for name, one in (("healthcheck", measure(site, "/healthcheck", "-")), ("hot", measure(site, "/symbolicate", hot))):
        print(f"{what:28} {name:12} {one[0]:7} requests  median {one[1]:7.2f}  p99 {one[2]:7.2f}  "
              f"longest {one[3]:7.2f} ms   front {memory_of_fronts(site):.0f} MiB", flush=True)


def ask_all(port, request, count):
    """In a process of its own: sends them, and tells how they were answered."""
    async def one(number):
        await asyncio.sleep(number / 2000)  # more at once than the kernel queues are not connected at all
        try:
            return (await storm.exchange(port, *request)).status
        except OSError as error:
            return str(error)

    async def run():
        return await asyncio.gather(*(one(number) for number in range(count)))
    statuses = asyncio.run(run())
    print(f"{'':28} {count} asked, answered: " + ", ".join(
        f"{status} x {statuses.count(status)}" for status in sorted(set(statuses), key=str)), flush=True)


def beside(site, what, hot, request, count, ready, let_go):
    asker = multiprocessing.Process(target=ask_all, args=(site.port, request, count))
    asker.start()
    eventually(ready, what)
    tell(what, site, hot)
    let_go()
    asker.join()


def beside_parked(site, symbols, hot, count):
    """All of them ask for one job, which waits for its download."""
    symbols.gate.clear()
    status, body = site.post(json.loads(storm.cold_body(symbols, f"parked{count}")), "?timeout=0")
    identity = json.loads(body)["request_id"]
    beside(site, f"{count} parked", hot, ("GET", f"/requests/{identity}"), count,
           lambda: site.metric("symgate_requests_parked") == count, symbols.gate.set)


def main():
    symbols = storm.serve_all()
    with Nginx() as site:
        request = request_for(symbols, storm.PROGRAMS[:1])
        site.answer(request)
        hot = os.path.join(site.folder, "hot.json")
        deploy.put(hot, json.dumps(request))
        for count in PARKED:
            if count:
                beside_parked(site, symbols, hot, count)
            else:
                tell("nothing else", site, hot)
        large = storm.large_body(symbols, LARGE_BYTES / 1e6)
        beside(site, f"{LARGE} bodies of {len(large) // 1000000} MB", hot, ("POST", "/symbolicate", large), LARGE,
               lambda: (site.metric("symgate_requests_waiting") or 0) > 0, lambda: None)


if __name__ == "__main__":
    main()
