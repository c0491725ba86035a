#!/usr/bin/python3
"""test_sort -- `symgate sort`: what it lays out, a source of that layout finds; archives, source bundles,
and what comes to a folder that is watched.

Debug files of all formats are made by recipe; a service is asked for each of them.
"""
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service_tests import PATIENCE, SYMGATE, Service, eventually, leave_root, run_all

LAYOUTS = ("unified", "ssqp", "symstore", "symstore_index2", "debuginfod", "native")
CODE = "int twice(int a) { return a * 2; }\nint mainCRTStartup(void) { return twice(3); }\n" \
       "int main(void) { return mainCRTStartup(); }\n"
TBD = "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos, x86_64-macos ]\n" \
      "install-name: '/usr/lib/libSystem.B.dylib'\nexports:\n  - targets: [ arm64-macos, x86_64-macos ]\n" \
      "    symbols: [ dyld_stub_binder ]\n...\n"


def shell(folder, script):
    subprocess.run(["sh", "-ec", script], cwd=folder, check=True, capture_output=True)


def make_files(folder):
    """Of each format one, and a fat file."""
    os.makedirs(folder)
    with open(os.path.join(folder, "code.c"), "w", encoding="ascii") as f:
        f.write(CODE)
    with open(os.path.join(folder, "libSystem.tbd"), "w", encoding="ascii") as f:
        f.write(TBD)
    shell(folder, """
        gcc -g -Wl,--build-id -o whole code.c
        objcopy --only-keep-debug whole program.debug
        objcopy --strip-all whole program
        rm whole
        clang-19 --target=x86_64-pc-windows-msvc -g -gcodeview -c -o win.o code.c
        lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full /entry:mainCRTStartup /out:win.exe win.o
        for arch in arm64 x86_64; do
            clang-19 --target=$arch-apple-macos12 -g -c -o $arch.o code.c
            ld64.lld-19 -arch $arch -platform_version macos 12.0 12.0 -dylib -o $arch.dylib $arch.o libSystem.tbd
        done
        llvm-lipo-19 -create -output fat.dylib arm64.dylib x86_64.dylib
        clang-19 --target=wasm32 -g -c -o wasm.o code.c
        wasm-ld-19 --no-entry --export=twice --build-id=uuid -o code.wasm wasm.o || true
        rm -f win.o win.lib arm64.* x86_64.* wasm.o libSystem.tbd
        printf 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 libsym.so\\n' > libsym.so.sym
        printf 'INFO CODE_ID 67452301AB89EFCDEF0123456789ABCDEF012345\\nFUNC 1000 10 0 f\\n' >> libsym.so.sym
    """)


def run(*arguments, check=True, **more):
    done = subprocess.run([SYMGATE, "sort", *arguments], capture_output=True, text=True, **more)
    assert not check or done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def placed(out):
    """Files below OUT that are debug files."""
    found = []
    for folder, _, names in os.walk(out):
        if os.path.basename(folder) not in ("refs", "bundles"):
            found += [os.path.join(folder, name) for name in names if not name.endswith(".meta")]
    return sorted(found)


def info(path):
    done = subprocess.run([SYMGATE, "--json", "object", "info", path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["objects"]


def modules_of(folder):
    """A module as a client would name it, for each object in the folder."""
    modules = []
    for name in sorted(os.listdir(folder)):
        if name == "code.c":
            continue
        for one in info(os.path.join(folder, name)):
            kind = {"pdb": "pe", "breakpad": "elf"}.get(one["format"], one["format"])
            module = {"type": kind, "image_addr": hex(0x100000 * (len(modules) + 1)), "image_size": 0x1000,
                      "code_file": "win.exe" if kind == "pe" else "program" if "program" in name else name,
                      "debug_file": "win.pdb" if kind == "pe" else "libsym.so" if kind == "elf" and "sym" in name else name}
            for key in ("debug_id", "code_id"):
                if one.get(key):
                    module[key] = one[key]
            modules.append(module)
    return modules


def candidates_of(service, out, layout, modules):
    frames = [{"instruction_addr": module["image_addr"]} for module in modules]
    reply = service.answer({
        "sources": [{"id": "sorted", "type": "filesystem", "path": out, "layout": {"type": layout}}],
        "modules": modules, "stacktraces": [{"frames": frames}],
        "options": {"dif_candidates": True, "apply_source_context": True}})
    found = {}
    for module in reply["modules"]:
        for candidate in module.get("candidates", []):
            found.setdefault(candidate["location"], candidate["download"]["status"])
            if candidate["download"]["status"] == "ok":
                found[candidate["location"]] = "ok"
    return found


class Scene:
    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="symgate-sort-")
        self.files = os.path.join(self.folder, "files")
        make_files(self.files)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def out(self, name="out"):
        return os.path.join(self.folder, name)


# --- Where things go -----------------------------------------------------------------------------------


def test_what_is_sorted_is_found():
    with Scene() as scene, Service('filesystem_source_roots: ["/"]\n') as service:
        modules = modules_of(scene.files)
        for layout in LAYOUTS:
            for packing in ("none", "gz", "zst"):
                out = scene.out(f"{layout}-{packing}")
                run("--layout", layout, "--compress", packing, "--sources", "-I", out, scene.files)
                files, found = placed(out), candidates_of(service, out, layout, modules)
                assert len(files) >= (2 if layout == "debuginfod" else 6), (layout, files)
                for path in files:
                    assert found.get("file://" + path) == "ok", (layout, packing, path, found)
                again = run("--layout", layout, "--compress", packing, "--sources", "-I", out, scene.files)
                assert "0 of them new; 0 source bundles" in again.stdout, again.stdout
                assert placed(out) == files


def test_unified_tells_names_and_bundles():
    with Scene() as scene:
        out = scene.out()
        run("-p", "macos", "-b", "12.0_21A", "-q", out, scene.files)
        with open(os.path.join(out, "macos", "bundles", "12.0_21A"), encoding="utf-8") as f:
            bundle = json.load(f)
        assert bundle["name"] == "12.0_21A" and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bundle["timestamp"])
        code_id = info(os.path.join(scene.files, "program"))[0]["code_id"]
        assert code_id in bundle["debug_ids"], bundle
        folder = os.path.join(out, "macos", code_id[:2], code_id[2:])
        assert sorted(os.listdir(folder)) == ["debuginfo", "debuginfo.meta", "executable", "executable.meta", "refs"]
        with open(os.path.join(folder, "executable.meta"), encoding="utf-8") as f:
            assert json.load(f) == {"name": "program", "arch": "x86_64", "file_format": "elf"}
        assert os.listdir(os.path.join(folder, "refs")) == ["12.0_21A"]
        for slice_ in info(os.path.join(scene.files, "fat.dylib")):
            uuid = slice_["debug_id"].replace("-", "")
            assert os.path.exists(os.path.join(out, "macos", uuid[:2], uuid[2:], "executable")), uuid


def test_source_bundles():
    with Scene() as scene:
        run("--sources", scene.out(), os.path.join(scene.files, "program.debug"))
        path = [path for path in placed(scene.out()) if path.endswith("/sourcebundle")]
        assert len(path) == 1, path
        with open(path[0], "rb") as f:
            assert f.read(8) == b"SYSB\x02\0\0\0"
        with zipfile.ZipFile(path[0]) as bundle:
            assert bundle.testzip() is None
            manifest = json.loads(bundle.read("manifest.json"))
            name = "files" + os.path.join(scene.files, "code.c")
            assert manifest["files"][name] == {"type": "source", "path": os.path.join(scene.files, "code.c")}, manifest
            assert manifest["code_id"] == info(os.path.join(scene.files, "program"))[0]["code_id"]
            assert bundle.read(name).decode() == CODE


# --- What files come in --------------------------------------------------------------------------------


def test_archives_and_packed_files():
    with Scene() as scene:
        program, debug = (os.path.join(scene.files, name) for name in ("program", "program.debug"))
        packed = os.path.join(scene.folder, "packed")
        os.makedirs(os.path.join(packed, "deep", "deeper"))
        with zipfile.ZipFile(os.path.join(packed, "deep", "two.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(program, "../../../escape")
            archive.write(debug, "/absolute")
            archive.writestr("n" * 4096, b"nothing")
            with open(debug, "rb") as f:
                archive.writestr("packed.gz", gzip.compress(f.read()))
        run(scene.out(), packed)
        assert [os.path.basename(path) for path in placed(scene.out())] == ["debuginfo", "executable"]
        assert sorted(os.listdir(scene.folder)) == ["files", "out", "packed"]
        subprocess.run(["gcab", "-c", os.path.join(packed, "two.cab"), program, debug], check=True, capture_output=True)
        subprocess.run(["zstd", "-q", debug, "-o", os.path.join(packed, "deep", "deeper", "debug.zst")], check=True)
        os.remove(os.path.join(packed, "deep", "two.zip"))
        run(scene.out("second"), packed)
        assert [os.path.relpath(path, scene.out("second")) for path in placed(scene.out("second"))] == \
            [os.path.relpath(path, scene.out()) for path in placed(scene.out())]


def test_mappings():
    """Where the service looks for them: by the UUID of their bytes, and by the id R8 gave them."""
    hashed = "9d35a2a4a6b8d1c2e07f7b0d6f0f3c6a9b1d2e3f405162738495a6b7c8d9e0f1"
    mapping = ("# compiler: R8\n# pg_map_id: 9d35a2a\n# pg_map_hash: SHA-256 " + hashed +
               "\nshop.Cart -> a.b:\n    1:1:void check():7:7 -> a\n")
    plain = "shop.Other -> c:\n    void run() -> a\n"
    with tempfile.TemporaryDirectory(prefix="symgate-mappings-") as folder:
        files, out = os.path.join(folder, "files"), os.path.join(folder, "out")
        os.makedirs(files)
        for name, text in (("mapping.txt", mapping), ("other.txt", plain), ("notes.txt", "x -> y\n"), ("list.txt", "a b -> c:\n"),
                           ("empty.txt", "# only this\n"), ("long.txt", f"# pg_map_id: {'ab' * 200}\n{plain}")):
            with open(os.path.join(files, name), "w", encoding="ascii") as f:
                f.write(text)
        with gzip.open(os.path.join(files, "packed.gz"), "wb") as f:
            f.write(plain.encode() + b"# more\n")
        for layout in ("unified", "native"):
            told = run("--layout", layout, os.path.join(out, layout), files).stdout
            assert "4 objects, 4 of them new" in told, told
        ids = subprocess.run([SYMGATE, "proguard", "uuid", os.path.join(files, "mapping.txt"), os.path.join(files, "other.txt")],
                             capture_output=True, text=True, check=True).stdout
        uuids = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", ids)
        assert len(uuids) == 2, ids
        for layout in ("unified", "native"):
            found = {os.path.relpath(path, os.path.join(out, layout)) for path in placed(os.path.join(out, layout))}
            assert len(found) == 5 and {f"{one[:2]}/{one[2:]}/proguard" for one in (*(uuid.replace("-", "") for uuid in uuids), hashed)} <= found, found
            source = {"id": "sorted", "type": "filesystem", "path": os.path.join(out, layout), "layout": {"type": layout}}
            with Service('filesystem_source_roots: ["/"]\n') as service:
                frame = {"function": "a", "module": "a.b", "lineno": 1, "index": 0, "filename": "r8-map-id-" + hashed}
                for modules in ([{"uuid": uuids[0], "type": "proguard"}], []):
                    status, body, _ = service.request("POST", "/symbolicate-jvm", json.dumps({
                        "sources": [source], "modules": modules, "exceptions": [], "stacktraces": [{"frames": [frame]}]}),
                        {"Content-Type": "application/json"})
                    assert status == 200, (status, body)
                    frames = json.loads(body)["stacktraces"][0]["frames"]
                    assert (frames[0]["module"], frames[0]["function"]) == ("shop.Cart", "check"), (layout, modules, body)


def test_bad_files_cost_themselves():
    with Scene() as scene:
        with open(os.path.join(scene.files, "bad.zip"), "wb") as f:
            f.write(b"PK\x03\x04" + b"\0" * 100)
        with open(os.path.join(scene.files, "bad.elf"), "wb") as f:
            f.write(b"\x7fELF" + b"\xff" * 100)
        os.mkfifo(os.path.join(scene.files, "pipe"))
        os.symlink("/etc", os.path.join(scene.files, "etc"))
        done = run(scene.out(), scene.files, check=False)
        assert done.returncode == 1 and "bad.zip" in done.stderr and "bad.elf" in done.stderr, done.stderr
        assert len(placed(scene.out())) >= 7
        done = run("-I", scene.out("second"), scene.files)
        assert "ignored error" in done.stderr and placed(scene.out("second")), done.stderr
        done = run(scene.out("third"), os.path.join(scene.files, "code.c"), check=False)
        assert done.returncode == 3, done
        for wrong in (["--layout", "pretty"], ["--compress", "rar"], ["-p", "../up"], ["-b", "a/b"]):
            done = run(*wrong, scene.out("fourth"), scene.files, check=False)
            assert done.returncode in (1, 2) and not os.path.exists(scene.out("fourth")), (wrong, done)


def test_out_may_lie_inside():
    with Scene() as scene:
        out = os.path.join(scene.files, "out")
        first = run(out, scene.files).stdout
        assert run(out, scene.files).stdout.replace("(is there)", "").count("->") == first.count("->")


# --- Watching ------------------------------------------------------------------------------------------


def test_watching():
    with Scene() as scene:
        drop = os.path.join(scene.folder, "drop")
        os.makedirs(drop)
        process = subprocess.Popen([SYMGATE, "sort", "--watch", "-b", "all", scene.out(), drop],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            eventually(lambda: os.path.exists(os.path.join(scene.out(), "bundles", "all")), "the first round")
            shutil.copy(os.path.join(scene.files, "program"), drop)
            eventually(lambda: len(placed(scene.out())) == 1, "a file that was written")
            os.makedirs(os.path.join(drop, "a", "b"))
            shutil.copy(os.path.join(scene.files, "program.debug"), os.path.join(drop, "a", "b"))
            eventually(lambda: len(placed(scene.out())) == 2, "a file in a new folder")
            shutil.copy(os.path.join(scene.files, "fat.dylib"), os.path.join(scene.folder, "fat"))
            os.rename(os.path.join(scene.folder, "fat"), os.path.join(drop, "fat.dylib"))
            eventually(lambda: len(placed(scene.out())) == 4, "a file that was moved")
        finally:
            process.send_signal(signal.SIGTERM)
            out, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, (out, errors)
        assert "objects, 4 of them new" in out, (out, errors)


if __name__ == "__main__":
    leave_root()
    run_all([value for name, value in list(globals().items()) if name.startswith("test_")],
            "debug files laid out by their ids")
