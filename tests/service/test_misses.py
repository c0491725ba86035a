#!/usr/bin/env python3
"""test_misses -- for how long each protocol believes that a source lacks a file, whatever is configured for all.

usage: test_misses.py [TEST]...          SYMGATE names the binary

Time passes by setting it back in the rows.
"""
import json
import os
import sqlite3
import time

from service_tests import Service, Symbols, run_all

ID = "44E4EC8C2F41492B9369D6B9A059577C2"
GUID = ID[:32]
HOUR = 3600
V4 = {"version": 4, "memoryMap": [["a.pdb", ID]], "stacks": [[[0, 16]]]}
V5 = {"memoryMap": [["a.pdb", ID]], "stacks": [[[0, 16]]]}
ASM = {"name": "a.dll", "codeId": "5f3a0000abcd", "debugName": "a.pdb", "debugId": ID, "startAddress": "0x10", "size": "0x4"}
BUILD = {"layout": {"type": "debuginfod"}, "filters": {"filetypes": ["elf_debug", "elf_code"]}}
WINDOWS = {"layout": {"type": "native"}, "filters": {"filetypes": ["breakpad", "pdb", "pe"]}}

# what is asked, of what kind of source, for how long a miss holds, how to ask all the same
DOORS = [
    ("POST", "/symbolicate/v4", V4, WINDOWS, HOUR, "?_refresh"),
    ("POST", "/", V4, WINDOWS, HOUR, "?_refresh=1"),
    ("POST", "/symbolicate/v5", V5, WINDOWS, HOUR, "?x=1&_refresh"),
    ("POST", "/asm/v1", ASM, WINDOWS, HOUR, None),
    ("GET", f"/a.pdb/{ID}/a.sym", None, WINDOWS, 600, "?x=_refresh&_refresh"),
    ("GET", "/a.dll/5F3A0000ABCD/a.sym", None, WINDOWS, 600, "?_refresh"),
    ("GET", f"/buildid/{'ab' * 20}/debuginfo", None, BUILD, 600, None),
    ("GET", f"/v3.1.0/a.pdb/{GUID}/2", None, WINDOWS, 24 * HOUR, None),
]


def config_of(symbols, source, misses):
    return json.dumps({
        "connect_to_reserved_ips": True, "sources": [symbols.source("remote", is_public=True, **source)],
        "caches": {"downloaded": {"retry_misses_after_public": misses}, "derived": {"retry_misses_after_public": misses}},
        "wpa": {"transcoders": [{"version": "3.1.0", "command": ["/bin/false"]}]}})


def pass_time(service, seconds):
    service.stop()
    connection = sqlite3.connect(os.path.join(service.state, "symgate.db"), timeout=30)
    with connection:
        connection.execute("UPDATE cache_entry SET made_at = made_at - ?, used_at = used_at - ?", (seconds, seconds))
    connection.close()
    service.start()


def ask(service, symbols, door, query=""):
    """How often the source was asked for that."""
    method, path, body = door[:3]
    before = symbols.total()
    status, answer, _ = service.request(method, path + query, body and json.dumps(body))
    assert status in (200, 404) and b"nknown" not in answer, (door[:2], status, answer)
    return symbols.total() - before


def test_each_protocol_has_its_time():
    for door in DOORS:
        _, path, _, source, holds, refresh = door
        symbols = Symbols()
        with Service(config_of(symbols, source, "10d")) as service:
            asked = ask(service, symbols, door)
            assert asked > 0, path
            assert ask(service, symbols, door) == 0, path
            pass_time(service, holds - 60)
            assert ask(service, symbols, door) == 0, path
            pass_time(service, 120)
            assert ask(service, symbols, door) == asked, path
            assert ask(service, symbols, door) == 0, path
            if refresh:
                time.sleep(1.1)              # in the same service: how it looked before it remembers
                assert ask(service, symbols, door, refresh) == asked, path
                assert ask(service, symbols, door) == 0, path


def test_what_is_configured_may_be_shorter():
    symbols = Symbols()
    with Service(config_of(symbols, WINDOWS, "1m")) as service:
        asked = ask(service, symbols, DOORS[2])
        pass_time(service, 90)
        assert ask(service, symbols, DOORS[2]) == asked > 0


def test_others_go_by_the_configuration():
    """The same miss is believed where nothing says otherwise, also after a protocol of its own was told it anew."""
    symbols = Symbols()
    door = ("GET", f"/proxy/a.pdb/{ID}/a.pdb", None)
    with Service(config_of(symbols, WINDOWS, "10d")) as service:
        assert ask(service, symbols, door) > 0
        pass_time(service, 2 * HOUR)
        assert ask(service, symbols, door) == 0
        assert ask(service, symbols, DOORS[2]) > 0
        assert ask(service, symbols, door) == 0


def test_what_came_meanwhile_is_found():
    symbols = Symbols()
    with Service(config_of(symbols, WINDOWS, "10d")) as service:
        assert ask(service, symbols, DOORS[2]) > 0
        symbols.files[f"/a.pdb/{ID}/a.sym"] = f"MODULE windows x86_64 {ID} a.pdb\nFUNC 10 8 0 f\n".encode()
        for query, known in (("", False), ("?_refresh", True), ("", True)):
            pass_time(service, 2)
            status, body, _ = service.request("POST", "/symbolicate/v5" + query, json.dumps(V5))
            assert status == 200
            assert json.loads(body)["results"][0]["found_modules"] == {f"a.pdb/{ID}": known}, (query, body)


if __name__ == "__main__":
    run_all([test_each_protocol_has_its_time, test_what_is_configured_may_be_shorter,
             test_others_go_by_the_configuration, test_what_came_meanwhile_is_found], "misses")
