"""test_proxy -- GET /proxy/...: the sources as one symbol server; parts, conditions, and files the web
server sends itself."""
import gzip
import json
import os
import shutil
import tempfile

from service_tests import Program, Service, Symbols, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-proxy-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(3)]


def path_of(program):
    return f"/_.debug/elf-buildid-sym-{program.code_id}/_.debug"


def bytes_of(program):
    with open(program.path, "rb") as f:
        return f.read()


def folder_of(*files):
    """A folder in SSQP's layout."""
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    os.chmod(folder, 0o755)
    for program, content in files:
        path = folder + path_of(program)
        os.makedirs(os.path.dirname(path))
        with open(path, "wb") as f:
            f.write(content)
    return folder


def config_of(*sources, **more):
    return json.dumps({"sources": list(sources), **more})


def symbols_of(program):
    symbols = Symbols()
    symbols.files[path_of(program)] = bytes_of(program)
    return symbols, {"id": "http", "type": "http", "url": f"http://127.0.0.1:{symbols.server_port}/",
                     "layout": {"type": "ssqp"}}


def folder_source(folder):
    return {"id": "folder", "type": "filesystem", "path": folder, "layout": {"type": "ssqp"}}


def check_file(service, program):
    """GET, HEAD, a part, a condition."""
    path, whole = "/proxy" + path_of(program), bytes_of(program)
    status, body, headers = service.request("GET", path)
    assert (status, body == whole) == (200, True), (status, len(body), len(whole))
    assert headers["Content-Type"] == "application/octet-stream", headers
    assert not headers["X-Sendfile"], headers
    tag = headers["ETag"]
    status, body, headers = service.request("HEAD", path)
    assert (status, body) == (200, b"") and int(headers["Content-Length"]) == len(whole), headers
    status, body, headers = service.request("GET", path, headers={"Range": "bytes=10-19"})
    assert (status, body) == (206, whole[10:20]), (status, body, headers)
    assert headers["Content-Range"] == f"bytes 10-19/{len(whole)}", headers
    assert service.request("GET", path, headers={"If-None-Match": tag})[0] == 304
    assert service.request("GET", path, headers={"Range": f"bytes={len(whole)}-"})[0] == 416


def test_files_of_every_place():
    symbols, source = symbols_of(PROGRAMS[0])
    folder = folder_of((PROGRAMS[1], bytes_of(PROGRAMS[1])), (PROGRAMS[2], gzip.compress(bytes_of(PROGRAMS[2]))))
    with Service(config_of(source, folder_source(folder))) as service:
        for program in PROGRAMS:
            check_file(service, program)
        asked = symbols.total()
        check_file(service, PROGRAMS[0])
        assert symbols.total() == asked, "what is in the cache is not fetched again"
        upper = path_of(PROGRAMS[1]).replace(PROGRAMS[1].code_id, PROGRAMS[1].code_id.upper())
        assert service.get("/proxy" + upper) == (200, bytes_of(PROGRAMS[1]))
        os.unlink(folder + path_of(PROGRAMS[1]))
        assert service.get("/proxy" + path_of(PROGRAMS[1]))[0] == 404


def test_the_web_server_sends_files():
    symbols, source = symbols_of(PROGRAMS[0])
    with Service(config_of(source, front={"sendfile": "x-sendfile"}, logging={"requests": True})) as service:
        check_file(service, PROGRAMS[0])
        check_file(service, PROGRAMS[0])
    assert symbols.total() >= 1


def test_a_file_that_is_damaged_is_made_again():
    symbols, source = symbols_of(PROGRAMS[0])
    with Service(config_of(source)) as service:
        check_file(service, PROGRAMS[0])
        for folder, _, names in os.walk(os.path.join(service.state, "cache", "objects")):
            for name in names:
                os.chmod(os.path.join(folder, name), 0o600)
                with open(os.path.join(folder, name), "r+b") as f:
                    f.write(b"damaged!")
        check_file(service, PROGRAMS[0])
    assert symbols.total() >= 1


def test_what_there_is_not():
    symbols, source = symbols_of(PROGRAMS[0])
    plain = path_of(PROGRAMS[0])
    with Service(config_of(source)) as service:
        for path in ("/proxy", "/proxy/"):
            assert service.get(path)[0] == 404
        assert service.request("GET", "/proxy/index2.txt")[:2] == (404, b"")
        for path in ("/pingme.txt", "/_." + plain, plain + "/", plain[:-1] + "_",
                     plain.replace("_.debug", "..", 1), "/..%2f..%2fetc/elf-buildid-00/..%2f..%2fetc",
                     "/%00/elf-buildid-sym-" + PROGRAMS[0].code_id + "/%00", "/C%3A/x/C%3A",
                     "/" + "a" * 4000 + "/5AB380779000/" + "a" * 4000):
            status, body, headers = service.request("GET", "/proxy" + path)
            # Some of them lighttpd itself refuses or resolves.
            assert (status, body) == (404, b"") or status == 400 or "%00" in path, (path, status, body)
        assert service.get("/proxy/a%ff/1/a%ff")[0] == 400
        status, _, headers = service.request("POST", "/proxy" + plain, b"")
        assert (status, headers["Allow"]) == (405, "GET,HEAD")
    with Service(config_of(source, symstore_proxy=False)) as service:
        assert service.request("GET", "/proxy" + plain)[:2] == (404, b"")
        assert service.request("POST", "/proxy" + plain, b"")[0] == 405


def test_a_source_that_fails():
    symbols, source = symbols_of(PROGRAMS[0])
    symbols.files[path_of(PROGRAMS[0])] = b"this is no ELF file"
    with Service(config_of(source)) as service:
        status, body = service.get("/proxy" + path_of(PROGRAMS[0]))
        reply = json.loads(body)
        assert status == 500 and reply["detail"] == "failed to download object" and reply["causes"], reply


def main():
    run_all([value for name, value in globals().items() if name.startswith("test_")], "proxy")


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(FOLDER.name, ignore_errors=True)
