"""service_sources -- source context through the whole service: a bundle, and files its links name."""
import io
import json
import re
import subprocess
import tempfile
import zipfile

from service_tests import SYMGATE, Handler, Program, Service, Symbols

CONFIG = "connect_to_reserved_ips: true\n"
LINKED = "".join(f"line {number}\n" for number in range(1, 21))


class Recording(Symbols):
    """Keeps the headers of every request."""

    def __init__(self):
        self.seen = {}
        super().__init__()
        self.RequestHandlerClass = RecordingHandler


class RecordingHandler(Handler):
    def do_GET(self):
        self.server.seen.setdefault(self.path, []).append(dict(self.headers))
        super().do_GET()


def bundle(files, links):
    data = io.BytesIO()
    data.write(b"SYSB\2\0\0\0")
    with zipfile.ZipFile(data, "a", zipfile.ZIP_DEFLATED) as archive:
        names = {}
        for number, (path, text) in enumerate(files.items()):
            names[f"files/{number}"] = {"type": "source", "path": path}
            archive.writestr(f"files/{number}", text)
        archive.writestr("manifest.json", json.dumps({"files": names, "source_links": links}))
    return data.getvalue()


def setting(folder):
    program = Program(folder, 1)
    with open(program.path + ".c", encoding="ascii") as f:
        text = f.read()
    symbols = Recording()
    root = f"http://127.0.0.1:{symbols.server_port}/raw"
    symbols.add(program)
    symbols.files[f"/{program.code_id[:2]}/{program.code_id[2:]}/sourcebundle"] = bundle(
        {program.path + ".c": text}, {"/linked/*": root + "/*"})
    symbols.files["/raw/sub/x.c"] = LINKED.encode()
    symbols.files["/raw/latin.c"] = b"caf\xe9\n"
    source = symbols.source(filters={"filetypes": ["elf_debug", "sourcebundle"]})
    frames = [{"instruction_addr": hex(0x10000000 + program.address + 1)}] + [
        {"instruction_addr": "0x10000000", "abs_path": path, "lineno": 10}
        for path in ("/linked/sub\\x.c", "/linked/sub/x.c", "/linked/gone.c", "/linked/latin.c", "/elsewhere")]
    request = {"sources": [source], "modules": [program.module()], "stacktraces": [{"frames": frames}],
               "options": {"dif_candidates": True}}
    return symbols, request, text, root


def test_sources_of_a_bundle_and_of_its_links():
    with tempfile.TemporaryDirectory() as folder, Service(CONFIG) as service:
        symbols, request, text, root = setting(folder)
        cold = service.answer(request)
        hits = symbols.total()
        assert service.answer(request) == cold
        assert symbols.total() == hits, "everything is known the second time"
        assert symbols.hits["/raw/sub/x.c"] == symbols.hits["/raw/gone.c"] == 1, symbols.hits
        *inlined, hit, first, second, gone, latin, elsewhere = cold["stacktraces"][0]["frames"]
        assert all("context_line" in frame for frame in inlined), inlined
        lines = text.split("\n")
        assert hit["context_line"] == lines[hit["lineno"] - 1], hit
        assert hit["pre_context"] == lines[max(0, hit["lineno"] - 6):hit["lineno"] - 1], hit
        for frame in (first, second):
            assert frame["source_link"] == root + "/sub/x.c", frame
            assert frame["context_line"] == "line 10" and frame["post_context"][-1] == "line 15", frame
        assert gone["source_link"] == root + "/gone.c" and "context_line" not in gone, gone
        assert "context_line" not in latin and "source_link" not in elsewhere, (latin, elsewhere)
        assert cold["modules"][0]["features"]["has_sources"], cold["modules"]
        links = {c["location"]: c["download"]["status"] for c in cold["modules"][0]["candidates"]
                 if c["source"] == "sourcelink"}
        assert links == {root + "/sub/x.c": "ok", root + "/gone.c": "notfound", root + "/latin.c": "malformed"}, links


def test_headers_go_only_to_allowed_origins():
    with tempfile.TemporaryDirectory() as folder, Service(CONFIG) as service:
        symbols, request, _, root = setting(folder)
        for origins, enabled, expected in ((["other.example"], True, None), (["127.0.0.1"], False, None),
                                           (["127.0.0.1"], True, "yes")):
            symbols.seen.clear()
            service.answer({**request, "scraping": {"enabled": enabled, "allowed_origins": origins,
                                                    "headers": {"X-Secret": "yes"}}},
                           f"?scope={origins[0]}{enabled}")
            assert symbols.seen["/raw/sub/x.c"][0].get("X-Secret") == expected, (origins, enabled)
            assert all("X-Secret" not in headers for path, all_of in symbols.seen.items()
                       if not path.startswith("/raw") for headers in all_of), symbols.seen


def test_links_lead_nowhere_that_is_reserved():
    with tempfile.TemporaryDirectory() as folder, Service("connect_to_reserved_ips: false\n") as service:
        symbols, request, _, root = setting(folder)
        reply = service.answer(request)
        assert all("context_line" not in frame for frame in reply["stacktraces"][0]["frames"][1:]), reply
        assert not any(path.startswith("/raw") for path in symbols.hits), symbols.hits


def test_without_context_nothing_is_looked_for():
    with tempfile.TemporaryDirectory() as folder, Service(CONFIG) as service:
        symbols, request, _, _ = setting(folder)
        request["options"]["apply_source_context"] = False
        reply = service.answer(request)
        assert symbols.total() == 1 and "context_line" not in reply["stacktraces"][0]["frames"][0], symbols.hits


WINDOWS = "c:/Src/App"


def windows_setting(folder):
    """A PDB with SourceLink for its folder, and a source server stream that knows one file of it."""
    symbols = Recording()
    root = f"http://127.0.0.1:{symbols.server_port}"
    with open(f"{folder}/links", "w", encoding="ascii") as f:
        json.dump({"documents": {WINDOWS + "/*": root + "/linked/*"}}, f)
    with open(f"{folder}/srcsrv", "w", encoding="ascii") as f:
        f.write(f"SRCSRV: ini\nVERCTRL=MyGit\nSRCSRV: variables\nHOST={root}\nSRCSRVTRG=%host%/served/%var2%\n"
                "SRCSRV: source files\nc:\\src\\app\\other.c*other.c\nSRCSRV: end\n")
    for name, text in (("main.c", "int other(int);\nint mainCRTStartup(void)\n{\n\treturn other(1);\n}\n"),
                       ("other.c", "int other(int a)\n{\n\treturn a * 3;\n}\n")):
        with open(f"{folder}/{name}", "w", encoding="ascii") as f:
            f.write(text)
        subprocess.run(["clang-19", "--target=x86_64-pc-windows-msvc", "-g", "-gcodeview", "-O1", "-c", name,
                        f"-fdebug-prefix-map={folder}={WINDOWS}", "-o", name + ".obj"], cwd=folder, check=True)
        symbols.files[("/linked/" if name == "main.c" else "/served/") + name] = text.encode()
    subprocess.run(["lld-link-19", "/nologo", "/machine:x64", "/subsystem:console", "/nodefaultlib", "/debug:full",
                    "/entry:mainCRTStartup", "/pdbstream:sourcelink=links", "/pdbstream:srcsrv=srcsrv", "/pdb:m.pdb",
                    "/out:m.exe", "main.c.obj", "other.c.obj"], cwd=folder, check=True)
    about = json.loads(subprocess.run([SYMGATE, "--json", "object", "info", "m.pdb"], cwd=folder, check=True,
                                      capture_output=True, text=True).stdout)
    debug_id = re.search(r'"debug_id": ?"([^"]+)"', json.dumps(about)).group(1)
    key = debug_id.replace("-", "")[:33].lower()
    with open(f"{folder}/m.pdb", "rb") as f:
        symbols.files[f"/m.pdb/{key.upper()}/m.pdb"] = f.read()
    source = symbols.source(filters={"filetypes": ["pdb", "portablepdb"]}, layout={"type": "symstore"})
    request = {"sources": [source], "options": {"dif_candidates": True},
               "modules": [{"type": "pe", "debug_id": debug_id, "debug_file": "m.pdb", "image_addr": "0x10000000",
                            "image_size": 0x10000}],
               "stacktraces": [{"frames": [{"instruction_addr": "0x10001000"}, {"instruction_addr": "0x10001011"}]}]}
    return symbols, request, root


def test_links_of_a_windows_pdb():
    with tempfile.TemporaryDirectory() as folder, Service(CONFIG) as service:
        symbols, request, root = windows_setting(folder)
        cold = service.answer(request)
        hits = symbols.total()
        assert service.answer(request) == cold and symbols.total() == hits, "everything is known the second time"
        frames = {frame["filename"]: frame for frame in cold["stacktraces"][0]["frames"]}
        assert frames["main.c"]["source_link"] == root + "/linked/main.c", frames
        assert frames["other.c"]["source_link"] == root + "/served/other.c", frames
        assert "return other(1)" in " ".join(frames["main.c"]["pre_context"] + [frames["main.c"]["context_line"]]), frames
        assert "context_line" in frames["other.c"], frames
        features = cold["modules"][0]["features"]
        assert features["has_sources"] and features["srcsrv_vcs"] == "git", features
        found = [c for c in cold["modules"][0]["candidates"] if c["download"]["status"] == "ok"]
        assert [c["source"] for c in found].count("sourcelink") == 2, found
        assert all(c["download"]["features"]["has_sources"] for c in found), found
