#!/usr/bin/env python3
"""test_packed -- debug files that lie packed in folders, and whose unpacked copies leave the cache.

usage: test_packed.py [TEST ...]        environment: SYMGATE (the program)

What is known of a file stays when its copy goes: whatever is made of it then is made of what is in
it, never of the packed bytes.
"""
import gzip
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile

from service_tests import Program, Service, functions, run_all


def pack_cab(path, to):
    subprocess.run(["gcab", "-c", "-z", "-n", to, path], check=True, capture_output=True)


def pack_gzip(path, to):
    with open(path, "rb") as f, open(to, "wb") as out:
        out.write(gzip.compress(f.read()))


def pack_zstd(path, to):
    subprocess.run(["zstd", "-q", "-f", "-o", to, path], check=True)


PACKERS = {"gz": pack_gzip, "zst": pack_zstd, "cab": pack_cab}


class Alternate:
    """What two programs' DWARF has in common, in a third file."""

    def __init__(self, path):
        self.path = path
        notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
        self.code_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)


def two_programs_by_dwz(folder):
    programs = [Program(folder, number) for number in (41, 42)]
    alternate = os.path.join(folder, "alternate")
    subprocess.run(["dwz", "-m", alternate, "-M", "alternate", *[p.path for p in programs]], check=True)
    return programs, Alternate(alternate)


def store(folder, program, pack, name="debuginfo"):
    """The program as the folder's only file, in the unified layout."""
    place = os.path.join(folder, "store", program.code_id[:2], program.code_id[2:])
    os.makedirs(place, exist_ok=True)
    pack(program.path, os.path.join(place, name))
    return os.path.join(place, name)


def request_for(folder, programs, **more):
    modules, frames = [], []
    for index, program in enumerate(programs):
        base = 0x10000000 * (index + 1)
        modules.append(program.module(base))
        frames.append({"instruction_addr": hex(base + program.address + 1)})
    return {"modules": modules, "stacktraces": [{"frames": frames}],
            "options": {"dif_candidates": True, "apply_source_context": False}, **more}


def config_for(folder, types="elf_debug, elf_code"):
    return (f"sources:\n- {{id: folder, type: filesystem, path: {folder}/store, layout: {{type: unified}}, "
            f"filters: {{filetypes: [{types}]}}}}\n")


def forget(service, rows, folders):
    """Rows and blobs of these kinds leave the cache while the service does not run."""
    service.stop()
    connection = sqlite3.connect(os.path.join(service.state, "symgate.db"), timeout=30)
    try:
        with connection:
            for kind in rows:
                connection.execute("DELETE FROM cache_entry WHERE kind = ?", (kind,))
    finally:
        connection.close()
    for kind in folders:
        shutil.rmtree(os.path.join(service.state, "cache", kind), ignore_errors=True)
    service.start()


def kept_objects(service):
    top = os.path.join(service.state, "cache", "objects")
    return sum(len(names) for _, _, names in os.walk(top))


FORGETTING = (
    (("objects", "symcaches"), ("objects", "symcaches")),   # as eviction leaves it
    (("symcaches",), ("objects", "symcaches")),             # the row of the object stays, its file is gone
)


def test_what_is_made_again_is_made_of_what_was_packed():
    for name, pack in PACKERS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = Program(folder, 1)
            store(folder, program, pack)
            with Service(config_for(folder)) as service:
                request = request_for(folder, [program])
                first = service.answer(request)
                frame = first["stacktraces"][0]["frames"][-1]
                assert frame["status"] == "symbolicated", (name, first)
                assert kept_objects(service) == 1, name
                for rows, folders in FORGETTING:
                    forget(service, rows, folders)
                    again = service.answer(request)
                    assert again == first, (name, rows, again)
                    assert kept_objects(service) == 1, name


def test_a_packed_companion_is_unpacked_again():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        programs, alternate = two_programs_by_dwz(folder)
        store(folder, programs[0], shutil.copyfile)
        store(folder, alternate, pack_gzip)
        with Service(config_for(folder)) as service:
            request = request_for(folder, programs[:1])
            first = service.answer(request)
            assert functions(first)[-1] == "outer" and first["stacktraces"][0]["frames"][-1]["lineno"], first
            assert kept_objects(service) == 1
            for rows, folders in FORGETTING:
                forget(service, rows, folders)
                assert service.answer(request) == first, rows
                assert kept_objects(service) == 1, rows


def test_what_is_packed_no_more_is_read_in_place():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        program = Program(folder, 1)
        place = store(folder, program, pack_zstd)
        with Service(config_for(folder)) as service:
            request = request_for(folder, [program])
            first = service.answer(request)
            shutil.copyfile(program.path, place)
            forget(service, *FORGETTING[0])
            assert service.answer(request) == first
            assert kept_objects(service) == 0


def test_downloads_are_unpacked_again():
    """What a symbol server is asked for, of a folder: never the packed bytes."""
    for name, pack in PACKERS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = Program(folder, 1)
            store(folder, program, pack)
            with Service(config_for(folder)) as service:
                path = f"/proxy/_.debug/elf-buildid-sym-{program.code_id}/_.debug"
                with open(program.path, "rb") as f:
                    plain = f.read()
                for _ in range(2):
                    status, body, _ = service.request("GET", path)
                    assert (status, body) == (200, plain), (name, status, body[:20])
                    forget(service, (), ("objects",))


run_all([test for name, test in sorted(globals().items()) if name.startswith("test_")], "packed")
