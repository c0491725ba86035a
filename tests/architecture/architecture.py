#!/usr/bin/env python3
"""architecture -- the rules of doc/architecture.md and of the code's style, held against the source.

usage: architecture.py SOURCE_DIR
Prints one line per breach and the plain counts at the end; exit status 1 when there is any.
"""
import os
import re
import shutil
import subprocess
import sys

# Component -> the components it may include (besides itself): the layers of doc/architecture.md.
BASE = {"base"}
LAYER1 = {"unpack", "pack", "config", "store", "board", "sandbox"}
MAY_INCLUDE = {
    "base": set(),
    "unpack": BASE,
    "pack": BASE,
    "config": BASE,
    "store": BASE | {"config"},
    "board": BASE | {"config"},
    "sandbox": BASE | {"config"},
    "object": BASE | {"unpack"},
    "demangle": BASE,
    "symcache": BASE | {"object"},
    "cfi": BASE | {"object"},
    "ppdbcache": BASE | {"object"},
    "sourcecache": BASE | {"object", "unpack"},
    "jsfile": BASE | {"object", "unpack"},
    "sourcemap": BASE,
    "unwind": BASE | {"cfi"},
    "minidump": BASE | {"unwind"},
    "coredump": BASE | {"object", "unwind"},
    "applecrash": BASE,
    "stacktext": BASE,
    "ecmascript": BASE,
    "symbfile": BASE,
    "proguard": BASE,
    "convert": BASE | {"unpack", "object", "demangle", "symcache", "cfi", "ppdbcache", "sourcecache", "jsfile",
                       "sourcemap", "symbfile", "proguard", "applecrash", "stacktext", "ecmascript", "coredump", "minidump", "unwind", "sandbox", "board", "config"},
    "fetch": BASE | {"config", "unpack", "board"},
    "cache": BASE | {"config", "store", "board"},
    "source": BASE | {"config", "fetch", "object"},
    "credentials": BASE | {"fetch", "source"},
    "apikey": BASE | {"store"},
    "shared": BASE | {"board", "config", "fetch", "source", "credentials", "cache"},
    "work": BASE | {"symbfile", "proguard", "config", "object", "source", "fetch", "cache", "convert", "cfi", "symcache", "ppdbcache",
                    "sourcecache", "jsfile", "sourcemap"},
    "lookup": BASE | {"config", "object", "source", "fetch", "cache", "sourcecache", "jsfile", "convert", "work"},
    "kinds": BASE | {"board", "stacktext", "symbfile", "proguard", "config", "object", "source", "fetch", "cache", "symcache", "ppdbcache", "sourcecache", "jsfile",
                     "sourcemap", "convert", "work", "lookup"},
    "job": BASE | {"config", "store", "board"},
    "history": BASE | {"config", "store", "board"},
    "workshop": None,
    "page": BASE | {"config", "store", "board", "cache", "job", "why", "history"},
    "why": BASE,
    "keeper": BASE | {"config", "store", "board", "cache", "job", "history"},
    "front": BASE | {"config", "stacktext", "unpack", "store", "board", "sandbox", "convert", "cache", "source", "work", "lookup",
                     "kinds", "job", "apikey", "page", "history"},
    "supervisor": None,
    "cli": None,
}
# What the page's last row calls "above".
LAST_ROW = {"front", "workshop", "keeper"}
NOT_ABOVE = {"workshop": {"front", "keeper", "supervisor", "cli"}, "supervisor": {"cli"}, "cli": set()}

# Who alone may include a system header.
ONLY = {
    r"sqlite3\.h": {"store"},
    r"curl/": {"fetch"},
    r"fcgiapp\.h": {"front"},
    r"yaml\.h": {"config"},
    r"openssl/": {"base", "fetch", "source", "cache", "store"},
    r"seccomp\.h": {"sandbox"},
    r"libiberty/": {"demangle"},
    r"Zydis/": {"convert"},
    r"capstone/": {"convert"},
}
BANNED = re.compile(r"\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|atoll|gets|localtime|alloca)\s*\(")
ALLOCATORS = re.compile(r"\b(malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf)\s*\(")
FORKS = re.compile(r"(?<![\w.>])(fork|vfork|posix_spawn|system|popen)\s*\(")
MAY_FORK = {"src/sandbox/nursery.c", "src/sandbox/nursery_process.c", "src/sandbox/tool.c", "src/supervisor/master.c",
            "src/supervisor/on_demand.c", "src/supervisor/standby.c"}
# Memory a library allocated can only go back by the C library's free().
MAY_FREE = {"src/demangle/cpp.c", "src/demangle/msvc_text.c", "src/demangle/msvc.cc"}
# Whose statements these are; the store runs the two that begin a boot.
STATEMENT_OWNERS = {"cache": {"cache"}, "flight": {"cache"}, "job": {"job"}, "apikey": {"apikey"}, "sample": {"history"}, "host": {"history"}, "page": {"page"},
                    "store": {"store"}}
BOOT_STATEMENTS = {"job_requeue_all", "flight_end_all"}
FUNCTION_LINES_MAX = 100
COMPLEXITY_MAX = 15
FILE_LINES_MAX = 800

breaches = []
checks = 0


def breach(where, what):
    breaches.append(f"{where}: {what}")


def strip_comments_and_strings(text):
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def check_includes(path, component, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
        if not match:
            continue
        name = match.group(1)
        for pattern, components in ONLY.items():
            if re.match(pattern, name) and component not in components:
                breach(f"{path}:{number}", f"<{name}> belongs to {', '.join(sorted(components))}")
        other = name.split("/")[0]
        if other not in MAY_INCLUDE or other == component or "/" not in name:
            continue
        allowed = MAY_INCLUDE[component]
        if allowed is None and other in NOT_ABOVE[component]:
            breach(f"{path}:{number}", f"{component} may not include {name}: knowledge flows down")
        if allowed is not None and other not in allowed:
            breach(f"{path}:{number}", f"{component} may not include {name}: knowledge flows down")


def check_calls(path, component, code):
    for number, line in enumerate(code.splitlines(), 1):
        for match in BANNED.finditer(line):
            breach(f"{path}:{number}", f"{match.group(1)}() is banned")
        if path != "src/base/mem.c":
            match = ALLOCATORS.search(line)
            # cJSON and libcurl hand out memory only their own free gives back: by their names.
            ours = match and match.group(1) == "free" and path in MAY_FREE
            if match and not ours and not re.search(r"cJSON_\w*$", line[:match.start()]):
                breach(f"{path}:{number}", f"{match.group(1)}(): memory comes from base/mem.h")
        match = FORKS.search(line)
        if match and path not in MAY_FORK:
            breach(f"{path}:{number}", f"{match.group(1)}(): only the nursery, what runs programs for it, and the master fork")


def check_sizes(path, text):
    lines = text.count("\n")
    if lines > FILE_LINES_MAX:
        breach(path, f"{lines} lines, more than {FILE_LINES_MAX}")
    opened = 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("{"):
            opened = number
        elif line.startswith("}") and opened:
            if number - opened > FUNCTION_LINES_MAX:
                breach(f"{path}:{opened}", f"a function of {number - opened} lines, more than {FUNCTION_LINES_MAX}")
            opened = 0


def check_complexity(files):
    tool = shutil.which("pmccabe")
    if not tool:
        breach("pmccabe", "is missing: apt-get install pmccabe")
        return
    for line in subprocess.run([tool, *files], capture_output=True, text=True, check=True).stdout.splitlines():
        fields = line.split("\t")
        if int(fields[0]) > COMPLEXITY_MAX:
            breach(fields[5], f"complexity {fields[0]}, more than {COMPLEXITY_MAX}")


def check_words(path, text):
    if re.search(r"\b(TODO|FIXME|XXX)\b", text):
        breach(path, "an open end: finish it or file an issue")
    if "setlocale" in strip_comments_and_strings(text):
        breach(path, "setlocale(): the program has no locale")


def check_markup(path, text):
    """Markup is written by base/html_writer alone: no "<" in a string of what makes pages."""
    if not re.match(r"src/(?:page|history)/|src/front/(?:endpoints/)?ui", path):
        return
    for match in re.finditer(r'/\*.*?\*/|//[^\n]*|\'(?:\\.|[^\'\\\n])*\'|"((?:\\.|[^"\\\n])*)"', text, re.S):
        if match.group(1) and re.search(r"<|\\x3c|\\0?74", match.group(1), re.I):
            number = text.count("\n", 0, match.start()) + 1
            breach(f"{path}:{number}", "markup in a string: base/html_writer.h writes it")


def check_statements(path, component, code):
    """Rows belong to the component that owns the table; columns have names."""
    for number, line in enumerate(code.splitlines(), 1):
        for name in re.findall(r"\b(?:STATEMENT|COLUMN)_([a-z]\w+)", line):
            if component not in STATEMENT_OWNERS.get(name.split("_")[0], set()) and \
                    not (component == "store" and name in BOOT_STATEMENTS):
                breach(f"{path}:{number}", f"{name} is a statement of another component")
        if re.search(r"\bcolumns\[\d+\]", line):
            breach(f"{path}:{number}", "a column by number: store/statements.h has its name")


def check_components():
    """The plan, the page and the source know the same components."""
    with open("doc/architecture.md", encoding="utf-8") as f:
        page = f.read()
    plan = set(MAY_INCLUDE)
    told = set(re.findall(r"^\| (\w+) \|", page.split("| component | what it is |")[1].split("\n\n")[0], re.M)) | LAST_ROW
    layers = set(re.findall(r"\w+", re.sub(r"^\d+", "", page.split("## Components")[1].split("```")[1], flags=re.M)))
    for component in sorted(plan ^ {name for name in os.listdir("src") if os.path.isdir("src/" + name)}):
        breach("src/" + component, "the plan and the source differ about this component")
    for component in sorted((plan ^ told) | (plan - layers)):
        breach("doc/architecture.md", f"the plan and the page differ about {component}")


def check_names_once(texts):
    """File base names and the tags of structs, unions and enums occur once in src."""
    folders, tags = {}, {}
    for path, text in texts.items():
        folders.setdefault(os.path.basename(path), set()).add(os.path.dirname(path))
        for tag in set(re.findall(r"^(?:struct|union|enum)\s+(\w+)\s*\{", strip_comments_and_strings(text), re.M)):
            tags.setdefault(tag, []).append(path)
    for name, where in sorted(folders.items()):
        if len(where) > 1:
            breach(name, f"a file of this name is in {', '.join(sorted(where))}: one may keep it")
    for tag, where in sorted(tags.items()):
        if len(where) > 1:
            breach(", ".join(sorted(where)), f"the tag {tag} is defined in each: one may keep it")


# Families of exported functions named after neither their component, nor a file, nor a type of their header.
# What base offers for use on every line is short; the others are to become fewer.
OTHER_PREFIXES = {
    "base": {"ascii", "codeid", "duration", "hex", "html", "json", "random", "utf8"},
    "front": {"answer"},
    "kinds": {"request_kind"},
}
DECLARATION = re.compile(r"^(?!static\b|typedef\b|return\b|_Static_assert)[A-Za-z_][\w ]*?[\s*]+(\w+)\([^;{}]*;", re.M)
DEFINITION = re.compile(r"^(?!static\b|typedef\b|return\b|else\b)[A-Za-z_][\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{", re.M)


def check_references(path, text):
    """A comment names a public specification, or a page that stands here, by its path."""
    for comment in re.finditer(r"/\*.*?\*/|//[^\n]*", text, re.S):
        for match in re.finditer(r"[\w./-]*\w\.md\b", comment.group(0)):
            if not os.path.exists(match.group(0)):
                number = text.count("\n", 0, comment.start() + match.start()) + 1
                breach(f"{path}:{number}", f"{match.group(0)} is no page of this repository")
    head = re.match(r"/\*\s*(?:\* )?([\w-]+\.[ch]) --", text)
    if head and head.group(1) != os.path.basename(path):
        breach(path, f"its first line calls it {head.group(1)}")


def check_prefixes(path, component, code, texts, tags):
    """Functions a header declares begin with the name of the component, a file of the folder or a type."""
    folder = os.path.dirname(path)
    names = set(folder.split("/")[1:])
    for other in texts:
        if os.path.dirname(other) == folder:
            base = os.path.basename(other).split(".")[0]
            names |= {base, base.removeprefix(component + "_")}
    names |= set(re.findall(r"\b(?:struct|union|enum)\s+(\w+)", code)) & tags | OTHER_PREFIXES.get(component, set())
    names |= {name[:-1] for name in names if name.endswith("s")} | {name + "s" for name in names}
    for match in DECLARATION.finditer(code):
        if not any(match.group(1) == name or match.group(1).startswith(name + "_") for name in names):
            number = code.count("\n", 0, match.start()) + 1
            breach(f"{path}:{number}", f"{match.group(1)}() begins with no name of its component, file or type")
    return {prefix for prefix in OTHER_PREFIXES.get(component, set())
            if any(match.group(1).startswith(prefix + "_") for match in DECLARATION.finditer(code))}


def calls_among(codes):
    """{file: {files whose functions it calls}} for the .c files of one component."""
    owners = {}
    for path, code in codes.items():
        for match in DEFINITION.finditer(code):
            owners[match.group(1)] = path
    calls = {}
    for path, code in codes.items():
        own = set(re.findall(r"^static\b[^;{}()]*?\b(\w+)\(", code, re.M))
        called = set(re.findall(r"(?<![\w.>])(\w+)\s*\(", code)) - own
        calls[path] = {owners[name] for name in called if name in owners} - {path}
    return calls


def reached(calls, start):
    seen, ahead = set(), [start]
    while ahead:
        for path in calls[ahead.pop()] - seen:
            seen.add(path)
            ahead.append(path)
    return seen


def check_circles(texts):
    """No two files of a component call each other's functions, straight or by way of others."""
    components = {}
    for path, text in texts.items():
        if path.endswith(".c"):
            components.setdefault(path.split("/")[1], {})[path] = strip_comments_and_strings(text)
    for component, codes in sorted(components.items()):
        calls = calls_among(codes)
        circle = sorted(path for path in calls if path in reached(calls, path))
        if circle:
            breach("src/" + component, "these files call each other in circles: "
                   + ", ".join(path.removeprefix("src/" + component + "/") for path in circle))


def check_counters(texts):
    """Who counts is registered: else it counts at somebody else's place."""
    registers = texts["src/supervisor/supervisor_counters.c"]
    listed = set()
    for path, text in texts.items():
        for name, members in re.findall(r"^struct counter_set \*const (\w+)\[\] = \{(.*?)\};", text, re.M | re.S):
            listed.update(re.findall(r"&(\w+)", members))
            if not re.search(rf"^\t{name},$", registers, re.M):
                breach(path, f"{name} is not registered in src/supervisor/supervisor_counters.c")
            if members.split(",")[-1].strip() != "NULL":
                breach(path, f"{name} does not end with NULL")
    for path, text in texts.items():
        for name in re.findall(r"^(?:static )?struct counter_set (\w+) = ", text, re.M):
            if name not in listed:
                breach(path, f"{name} is in no list of counters")


def check_links(path):
    """A link leads to a file that is there."""
    with open(path, encoding="utf-8") as f:
        links = re.findall(r"\]\(([^)\s#]+)", f.read())
    for link in links:
        if "://" not in link and not os.path.exists(os.path.join(os.path.dirname(path), link)):
            breach(path, f"{link} leads nowhere")


def main():
    global checks
    os.chdir(sys.argv[1])
    files = sorted(os.path.join(folder, name) for folder, _, names in os.walk("src") for name in names
                   if name.endswith((".c", ".h")))
    texts = {}
    for path in files:
        component = path.split("/")[1]
        with open(path, encoding="utf-8") as f:
            text = f.read()
        texts[path] = text
        code = strip_comments_and_strings(text)
        if component not in MAY_INCLUDE:
            breach(path, f"{component} is no component of the plan")
            continue
        check_includes(path, component, text)
        check_calls(path, component, code)
        check_sizes(path, text)
        check_words(path, text)
        check_markup(path, text)
        check_statements(path, component, code)
        check_references(path, text)
        checks += 7
    check_names_once(texts)
    check_counters(texts)
    check_circles(texts)
    checks += 2
    used, tags = {}, {}
    for path, text in texts.items():
        tags.setdefault(path.split("/")[1], set()).update(
            re.findall(r"^(?:struct|union|enum)\s+(\w+)\s*\{", strip_comments_and_strings(text), re.M))
    for path, text in texts.items():
        if path.endswith(".h"):
            component = path.split("/")[1]
            used.setdefault(component, set()).update(
                check_prefixes(path, component, strip_comments_and_strings(text), texts, tags[component]))
            checks += 1
    for component, prefixes in sorted(OTHER_PREFIXES.items()):
        for prefix in sorted(prefixes - used.get(component, set())):
            breach("OTHER_PREFIXES", f"{component} has no {prefix}_ any more: take it out")
    check_complexity([path for path in files if path.endswith(".c")])
    checks += 1
    check_components()
    pages = ["README"] + [os.path.join(folder, name) for folder, _, names in os.walk("doc") for name in names
                          if name.endswith(".md")]
    for path in pages:
        check_links(path)
    checks += 1 + len(pages)
    for line in breaches:
        print(line)
    print(f"{checks - min(checks, len(breaches))} passed, {len(breaches)} failed")
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
