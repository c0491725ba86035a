"""makers -- large debug files for the bench, made by recipe: a PDB, a dSYM, a Breakpad file."""
import os
import random
import shutil
import struct
import subprocess

BREAKPAD_FUNCTIONS, BREAKPAD_LINES, BREAKPAD_FILES = 40000, 30, 3000
PDB_TYPES, PDB_USES, PDB_UNITS = 40, 5, 64

# A library without a header of anybody's: what is inlined into one another as in a real one.
LIBRARY = r"""
typedef unsigned long long size_t;
inline void *operator new(size_t, void *at) noexcept { return at; }
namespace lib {
extern void *take(size_t);
extern void give(void *);
template <class A, class B> struct pair { A first; B second; pair(const A &a, const B &b) : first(a), second(b) {} };
template <class T> inline void exchange(T &a, T &b) { T c(a); a = b; b = c; }
template <class T> struct less { bool operator()(const T &a, const T &b) const { return a < b; } };
template <class T> struct array {
	T *items = nullptr;
	size_t count = 0, room = 0;
	void grow()
	{
		size_t more = room ? room * 2 : 4;
		T *fresh = (T *)take(more * sizeof(T));
		for (size_t i = 0; i < count; i++) {
			new (&fresh[i]) T(items[i]);
			items[i].~T();
		}
		give(items);
		items = fresh;
		room = more;
	}
	T &push(const T &item)
	{
		if (count == room)
			grow();
		return *new (&items[count++]) T(item);
	}
	T *begin() { return items; }
	T *end() { return items + count; }
	template <class F> T *find(F f)
	{
		for (T &t : *this)
			if (f(t))
				return &t;
		return end();
	}
	~array()
	{
		for (T &t : *this)
			t.~T();
		give(items);
	}
};
template <class T, class L> void sift(T *items, size_t at, size_t count, L below)
{
	while (at * 2 + 1 < count) {
		size_t child = at * 2 + 1;
		if (child + 1 < count && below(items[child], items[child + 1]))
			child++;
		if (!below(items[at], items[child]))
			return;
		exchange(items[at], items[child]);
		at = child;
	}
}
template <class T, class L> void sort(T *items, size_t count, L below)
{
	for (size_t i = count / 2; i-- > 0; )
		sift(items, i, count, below);
	while (count > 1) {
		exchange(items[0], items[--count]);
		sift(items, 0, count, below);
	}
}
template <class K, class V> struct map {
	struct node {
		pair<K, V> item;
		node *left = nullptr, *right = nullptr;
		node(const K &k, const V &v) : item(k, v) {}
	};
	node *root = nullptr;
	size_t count = 0;
	node **place(const K &key)
	{
		node **at = &root;
		while (*at && !((*at)->item.first == key))
			at = key < (*at)->item.first ? &(*at)->left : &(*at)->right;
		return at;
	}
	V &operator[](const K &key)
	{
		node **at = place(key);
		if (!*at) {
			*at = new (take(sizeof(node))) node(key, V());
			count++;
		}
		return (*at)->item.second;
	}
	template <class F> static void each(node *n, F &f)
	{
		if (!n)
			return;
		each(n->left, f);
		f(n->item);
		each(n->right, f);
	}
	template <class F> void each(F f) { each(root, f); }
};
}
"""

# What uses it, once for each type; @ is the type's number.
USE = r"""
namespace uaa@ {
struct key {
	int a;
	long b[5];
	bool operator<(const key &o) const { return a < o.a || (a == o.a && b[0] < o.b[0]); }
	bool operator==(const key &o) const { return a == o.a && b[0] == o.b[0]; }
};
struct value {
	double weight;
	lib::array<key> keys;
	lib::map<int, key> by_number;
	value() : weight(@) {}
	value(const value &o) : weight(o.weight) {}
	void add(const key &k) { keys.push(k); by_number[k.a] = k; weight += k.a; }
};
lib::map<key, value> table;
lib::array<value> all;
"""

# Each instance of the library is used from several places, as in a real program; # is the place.
PLACE = r"""
int work#(int n)
{
	int found = #;
	for (int i = 0; i < n; i++) {
		key k{i, {n}};
		value &v = table[k];
		v.add(k);
		all.push(v);
		lib::sort(v.keys.begin(), v.keys.count, lib::less<key>());
	}
	table.each([&](lib::pair<key, value> &p) {
		found += p.second.keys.find([&](const key &q) { return q == p.first; }) != p.second.keys.end();
	});
	lib::sort(all.begin(), all.count, [](const value &a, const value &b) { return a.weight < b.weight; });
	return found;
}
"""

MAIN = r"""
typedef unsigned long long size_t;
extern "C" { int _fltused; int atexit(void (*)()) { return 0; } }
static char heap[1 << 16];
namespace lib { void *take(size_t n) { return heap + n % 1024; } void give(void *) {} }
extern "C" void *memcpy(void *a, const void *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)a)[i] = ((const char *)b)[i];
	return a;
}
extern "C" void *memset(void *a, int c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)a)[i] = (char)c;
	return a;
}
"""

CLANG_FLAGS = ["--target=x86_64-pc-windows-msvc", "-g", "-gcodeview", "-O2", "-fno-exceptions", "-fno-rtti", "-nostdinc",
               "-fno-builtin", "-fno-stack-protector", "-mno-stack-arg-probe", "-w", "-c"]


def tool(*names):
    return next((found for found in map(shutil.which, names) if found), None)


def compile_for_windows(clang, folder, name, text):
    path = os.path.join(folder, name)
    with open(path + ".cpp", "w", encoding="ascii") as f:
        f.write(text)
    subprocess.run([clang, *CLANG_FLAGS, path + ".cpp", "-o", path + ".obj"], check=True, timeout=600)
    return path + ".obj"


def write_pdb(folder):
    """The path of a PDB of more than 100 MB, or None without clang and lld.  One unit is compiled and becomes many
    by renaming: its types and functions carry a tag, and tags are equally long."""
    clang, link = tool("clang-19", "clang"), tool("lld-link-19", "lld-link")
    if not clang or not link:
        return None
    calls = " + ".join(f"uaa{i}::work{k}(n)" for i in range(PDB_TYPES) for k in range(PDB_USES))
    places = "".join(PLACE.replace("#", str(k)) for k in range(PDB_USES))
    unit = compile_for_windows(clang, folder, "unit", LIBRARY +
                               "".join(USE.replace("@", str(i)) + places + "}\n" for i in range(PDB_TYPES)) +
                               f"int entry_uaa(int n) {{ return {calls}; }}\n")
    with open(unit, "rb") as f:
        image = f.read()
    tags = ["u" + chr(97 + i // 26) + chr(97 + i % 26) for i in range(PDB_UNITS)]
    objects = [compile_for_windows(clang, folder, "main", MAIN + "".join(f"int entry_{tag}(int);\n" for tag in tags) +
                                   'extern "C" int mainCRTStartup() { return ' +
                                   " + ".join(f"entry_{tag}(9)" for tag in tags) + "; }\n")]
    for tag in tags:
        objects.append(os.path.join(folder, tag + ".obj"))
        with open(objects[-1], "wb") as f:
            f.write(image.replace(b"uaa", tag.encode()))
    pdb = os.path.join(folder, "large.pdb")
    subprocess.run([link, "/nologo", "/machine:x64", "/subsystem:console", "/nodefaultlib", "/entry:mainCRTStartup",
                    "/debug:full", "/opt:noref", "/opt:noicf", "/pdb:" + pdb, "/out:" + pdb + ".exe", *objects],
                   check=True, timeout=600, stdout=subprocess.DEVNULL)
    for path in objects:
        os.unlink(path)
    return pdb


# --- The DWARF of an ELF file in a dSYM -------------------------------------------------------

MACHO_NAME_BYTES = 16
MACHO_HEADER, MACHO_SEGMENT, MACHO_SECTION = struct.Struct("<8I"), struct.Struct("<II16s4Q4I"), struct.Struct("<16s16s2Q8I")


def elf_debug_sections(image):
    """(name, bytes) of each .debug section of a little-endian 64-bit ELF file; None when one is compressed."""
    table, = struct.unpack_from("<Q", image, 0x28)
    entry, count, names = struct.unpack_from("<3H", image, 0x3a)
    headers = [struct.unpack_from("<2I4Q", image, table + i * entry) for i in range(count)]
    found = []
    for name_at, kind, flags, _, offset, size in headers:
        start = headers[names][4] + name_at
        name = bytes(image[start:start + 64]).split(b"\0")[0].decode("ascii")
        if not name.startswith(".debug_") or kind == 8:
            continue
        if flags & 0x800:
            return None
        found.append((name, memoryview(image)[offset:offset + size]))
    return found


def write_dsym(elf, path):
    """False when the file cannot be had as one."""
    with open(elf, "rb") as f:
        image = f.read()
    sections = elf_debug_sections(image) if image[:6] == b"\x7fELF\2\1" else None
    if not sections:
        return False
    dwarf_bytes = MACHO_SEGMENT.size + len(sections) * MACHO_SECTION.size
    commands = MACHO_SEGMENT.size + 24 + dwarf_bytes
    at = start = 4096
    listed = b""
    for name, content in sections:
        short = ("__" + name[1:])[:MACHO_NAME_BYTES].encode()
        listed += MACHO_SECTION.pack(short, b"__DWARF", 0, len(content), at, 0, 0, 0, 0, 0, 0, 0)
        at += len(content)
    with open(path, "wb") as f:
        f.write(MACHO_HEADER.pack(0xfeedfacf, 0x01000007, 3, 10, 3, commands, 0, 0))
        f.write(struct.pack("<II16s", 0x1b, 24, b"symgate bench id"))
        f.write(MACHO_SEGMENT.pack(0x19, MACHO_SEGMENT.size, b"__TEXT", 0, 1 << 32, 0, 0, 5, 5, 0, 0))
        f.write(MACHO_SEGMENT.pack(0x19, dwarf_bytes, b"__DWARF", 1 << 32, at - start, start, at - start, 7, 3,
                                   len(sections), 0))
        f.write(listed)
        f.write(b"\0" * (start - f.tell()))
        for _, content in sections:
            f.write(content)
    return True


# --- Breakpad ---------------------------------------------------------------------------------

def write_breakpad(path):
    """1.2 million line records and 240 thousand inlined calls, all alike from run to run."""
    inlined = random.Random(1)
    with open(path, "w", encoding="ascii") as f:
        f.write("MODULE Linux x86_64 3249D99D0C4049318610F4E4FB0B69360 large\n")
        for i in range(BREAKPAD_FILES):
            f.write(f"FILE {i} /usr/src/library/include/part{i % 60}/component{i}.hpp\n")
        for i in range(BREAKPAD_FUNCTIONS // 2):
            f.write(f"INLINE_ORIGIN {i} std::vector<ns{i % 500}::type{i}>::member_function_{i}(int, char const*)\n")
        size = BREAKPAD_LINES * 8
        for i in range(BREAKPAD_FUNCTIONS):
            at = 0x1000 + i * (size + 16)
            f.write(f"FUNC {at:x} {size:x} 0 ns{i % 500}::Class{i}::method_number_{i}(unsigned long, std::string const&)\n")
            for k in range(at, at + 192, 64):
                origins = [inlined.randrange(BREAKPAD_FUNCTIONS // 2) for _ in range(2)]
                f.write(f"INLINE 0 {10 + k % 7} {i % BREAKPAD_FILES} {origins[0]} {k:x} 40\n"
                        f"INLINE 1 {20 + k % 7} {(i + 7) % BREAKPAD_FILES} {origins[1]} {k + 8:x} 30\n")
            for line in range(BREAKPAD_LINES):
                f.write(f"{at + line * 8:x} 8 {line + 1} {(i + line) % BREAKPAD_FILES}\n")


# --- A minidump ------------------------------------------------------------------------------

CRASH_BASE = 0x5580_0000_0000
CRASH_ID = bytes(range(1, 21))
CRASH_FUNCTIONS, CRASH_FUNCTION_BYTES, CRASH_LINES = 26000, 256, 40


def crash_frame_bytes(function):
    return 32 + function % 5 * 16


def crash_debug_id():
    first = struct.unpack("<IHH", CRASH_ID[:8])
    return "%08X%04X%04X" % first + CRASH_ID[8:16].hex().upper() + "0"


def write_crash_symbols(path):
    """The Breakpad file (22 MB) of the module in write_crash()'s dumps: every function has rows of its own."""
    with open(path, "w", encoding="ascii") as f:
        f.write(f"MODULE Linux x86_64 {crash_debug_id()} crasher\n")
        for i in range(500):
            f.write(f"FILE {i} /usr/src/crasher/part{i % 30}/component{i}.cpp\n")
        step = CRASH_FUNCTION_BYTES // CRASH_LINES
        for i in range(CRASH_FUNCTIONS):
            at = 0x1000 + i * CRASH_FUNCTION_BYTES
            f.write(f"FUNC {at:x} {CRASH_FUNCTION_BYTES:x} 0 ns{i % 500}::Class{i}::method_{i}(unsigned long, char const*)\n")
            for line in range(CRASH_LINES):
                f.write(f"{at + line * step:x} {step:x} {line + i % 1000 + 1} {(i + line) % 500}\n")
        for i in range(CRASH_FUNCTIONS):
            at, size = 0x1000 + i * CRASH_FUNCTION_BYTES, crash_frame_bytes(i)
            f.write(f"STACK CFI INIT {at:x} {CRASH_FUNCTION_BYTES:x} .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
                    f"STACK CFI {at + 1:x} .cfa: $rsp 16 + $rbp: .cfa -16 + ^\n"
                    f"STACK CFI {at + 4:x} .cfa: $rsp {size} +\n")


def crash_stack(thread, frames, base):
    """One thread's stack, walked alike by frame pointers and by the rows; and its rip, rsp, rbp."""
    functions = [(thread * frames + i) * 7 % CRASH_FUNCTIONS for i in range(frames)]
    places = [CRASH_BASE + 0x1000 + function * CRASH_FUNCTION_BYTES + 0x80 for function in functions]
    sizes = [crash_frame_bytes(function) for function in functions]
    ends = [base + sum(sizes[:i + 1]) for i in range(frames)]
    stack = b""
    for i, size in enumerate(sizes):
        caller = (ends[i + 1] - 16, places[i + 1]) if i + 1 < frames else (0, 0)
        stack += b"\1" * (size - 16) + struct.pack("<QQ", *caller)
    return stack, (places[0], base, ends[0] - 16)


def crash_context(rip, rsp, rbp):
    context = bytearray(1232)
    struct.pack_into("<I", context, 48, 0x10000b)
    struct.pack_into("<QQ", context, 152, rsp, rbp)
    struct.pack_into("<Q", context, 248, rip)
    return bytes(context)


def write_crash(path, threads, frames, more_memory=0):
    """A Linux minidump of x86-64 with one module; its first thread got a SIGSEGV."""
    streams, blobs = [], []
    at = 32 + 5 * 12

    def blob(content):
        nonlocal at
        place = at
        blobs.append(content)
        at += len(content)
        return place

    os_name = "Linux 6.1".encode("utf-16-le")
    name = "/usr/bin/crasher".encode("utf-16-le")
    os_at = blob(struct.pack("<I", len(os_name)) + os_name + b"\0\0")
    name_at = blob(struct.pack("<I", len(name)) + name + b"\0\0")
    codeview = b"LEpB" + CRASH_ID
    codeview_at = blob(codeview)
    blob(b"\0" * (-at % 8))
    records, memory, first = b"", b"", None
    for thread in range(threads):
        base = 0x7f00_0000_0000 + thread * 0x100000
        stack, registers = crash_stack(thread, frames, base)
        context_at = blob(crash_context(*registers))
        first = first or (context_at, registers[0])
        stack_at = blob(stack)
        records += struct.pack("<IIIIQQIIII", 1000 + thread, 0, 0, 0, 0, base, len(stack), stack_at, 1232, context_at)
        memory += struct.pack("<QII", base, len(stack), stack_at)
    if more_memory:
        memory += struct.pack("<QII", 0x10000, more_memory, at)
        blobs.append(more_memory)
        at += more_memory
    module = struct.pack("<QIIII", CRASH_BASE, 0x1000 + CRASH_FUNCTIONS * CRASH_FUNCTION_BYTES, 0, 0, name_at)
    module += b"\0" * 52 + struct.pack("<IIII", len(codeview), codeview_at, 0, 0) + b"\0" * 16
    for kind, content in ((7, struct.pack("<HHHBBIIIIIHH24s", 9, 6, 1, 4, 0, 6, 1, 0, 0x8201, os_at, 0, 0, b"")),
                          (3, struct.pack("<I", threads) + records), (4, struct.pack("<I", 1) + module),
                          (6, struct.pack("<IIIIQQII120sII", 1000, 0, 11, 1, 0, 0x10, 0, 0, b"", 1232, first[0])),
                          (5, struct.pack("<I", len(memory) // 16) + memory)):
        streams.append((kind, len(content), blob(content)))
    with open(path, "wb") as f:
        f.write(struct.pack("<4sIIIIIQ", b"MDMP", 0xa793, len(streams), 32, 0, 1700000000, 0))
        for stream in streams:
            f.write(struct.pack("<III", *stream))
        for content in blobs:
            if isinstance(content, int):
                f.write(b"\2" * content)
            else:
                f.write(content)
