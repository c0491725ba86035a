#!/usr/bin/env python3
"""retrace -- symgate retrace held against Debian's (proguard-cli 6.2.2) over mappings of real libraries, byte by byte.

usage: retrace.py [JAR ...]      environment: SYMGATE
Each library is shrunk by ProGuard with inlining; the trace has every method of its mapping at the ends, in the middle
and outside of its ranges, without a line, and causes, threads and what is no frame.  ProGuard 6.2.2 reads classes of
Java 13 and older, so it gets the platform's with an older number on them.
"""
import glob
import io
import os
import re
import subprocess
import sys
import tempfile
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
from counts import finish  # noqa: E402

SYMGATE = os.environ.get("SYMGATE", os.path.join(TOP, "symgate"))
JARS = "/usr/share/java/"
LIBRARIES = ["commons-cli", "commons-io", "commons-lang3", "guice", "jansi"]
CLASS_OF_JAVA_8 = (52).to_bytes(2, "big")
passed = failed = 0


def platform(folder):
    jar = os.path.join(folder, "platform.jar")
    with zipfile.ZipFile(jar, "w") as out:
        for module in ("java.base", "java.logging", "java.desktop"):
            for path in glob.glob("/usr/lib/jvm/*/jmods/%s.jmod" % module)[:1]:
                with open(path, "rb") as f:
                    inside = zipfile.ZipFile(io.BytesIO(f.read()[4:]))
                for name in inside.namelist():
                    if re.match(r"classes/javax?/.*\.class$", name):
                        data = bytearray(inside.read(name))
                        data[6:8] = CLASS_OF_JAVA_8
                        out.writestr(name[len("classes/"):], bytes(data))
    return jar


def shrink(jar, libraries, folder):
    mapping = os.path.join(folder, os.path.basename(jar) + ".map")
    run = subprocess.run(
        ["java", "-cp", JARS + "proguard.jar", "proguard.ProGuard", "-injars", jar, "-outjars", mapping + ".jar", "-libraryjars",
         libraries, "-dontwarn", "-ignorewarnings", "-dontnote", "-dontshrink", "-dontpreverify", "-optimizations",
         "method/inlining/*,!code/*,!class/*,!field/*", "-allowaccessmodification", "-keepattributes", "SourceFile,LineNumberTable",
         "-printmapping", mapping], capture_output=True, text=True, timeout=600)
    return mapping if run.returncode == 0 else None


def trace_of(mapping):
    lines, name = [], None
    with open(mapping, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if not line.startswith(" "):
                name = re.match(r"(.*) -> (.*):", line).group(2)
                lines += ["Caused by: %s: some message" % name, name, 'Exception in thread "main" %s: m m' % name,
                          "\t[CIRCULAR REFERENCE:%s]" % name, "\tSuppressed: %s: x" % name, "\t... 3 more"]
                continue
            member = re.match(r"\s+(?:(\d+):(\d+):)?\S+ [^(]*(\(.*\))?(?::\d+)*(?::\d+)? -> (.*)", line)
            if not member or not member.group(3):
                continue
            if member.group(1):
                start, end = int(member.group(1)), int(member.group(2))
                lines += ["\tat %s.%s(SourceFile:%d)" % (name, member.group(4), at)
                          for at in sorted({start, end, (start + end) // 2, end + 1})]
            lines += ["    at %s.%s(Unknown Source)" % (name, member.group(4)),
                      "\tat %s.%s(X.kt:0) ~[a.jar:1.2]" % (name, member.group(4))]
    return "\n".join(lines) + "\n"


def compare(jar, mapping):
    global passed, failed
    trace = trace_of(mapping).encode()
    for options in ([], ["-verbose"]):
        theirs = subprocess.run(["java", "-cp", JARS + "proguard.jar:" + JARS + "retrace.jar", "proguard.retrace.ReTrace", *options,
                                 mapping], input=trace, capture_output=True, timeout=600).stdout
        ours = subprocess.run([SYMGATE, "retrace", *options, mapping], input=trace, capture_output=True, timeout=600,
                              env=dict(os.environ, SYMGATE_CONFIG="")).stdout
        is_equal = ours == theirs and len(ours) > 0
        passed, failed = passed + is_equal, failed + (not is_equal)
        if not is_equal:
            print("FAIL", jar, options)
            different = [pair for pair in zip(theirs.splitlines(), ours.splitlines()) if pair[0] != pair[1]]
            print("\n".join("  theirs %r\n  ours   %r" % pair for pair in different[:5]))


def main():
    jars = sys.argv[1:] or [JARS + name + ".jar" for name in LIBRARIES]
    with tempfile.TemporaryDirectory(prefix="symgate-retrace-") as folder:
        libraries = platform(folder)
        for jar in jars:
            mapping = shrink(jar, libraries, folder)
            if mapping:
                compare(jar, mapping)
            else:
                print("not shrunk:", jar)
    finish(passed, failed, "retrace")


if __name__ == "__main__":
    main()
