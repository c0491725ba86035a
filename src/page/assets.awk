# assets.awk -- turn the pages' style and script into C.
#
# usage: LC_ALL=C awk -f assets.awk page.css page.js > assets.h
#
# Each is a row of page_assets: its bytes, and a name with a hash of them, which changes whenever they
# do.  Arrays of numbers: C holds no strings that long.  They are text of printable ASCII: anything else ends this with an error.  The hash is two of
# Horner's sums modulo primes below 2^26, so that doubles hold every step exactly.

function fail(words) { print "assets.awk: " words > "/dev/stderr"; failed = 1; exit 1 }
function add(byte) {
	one = (one * 31 + byte) % 67108859
	two = (two * 37 + byte) % 67108837
	size++
	bytes = bytes byte ","
}
function begin_asset(path) {
	file = path
	sub(/.*\//, "", file)
	one = two = size = 0
	print "static const char asset_" count "[] = {"
}
function end_asset(    extension, name) {
	print "};"
	extension = file
	sub(/.*\./, "", extension)
	name = substr(file, 1, length(file) - length(extension) - 1)
	if (!(extension in types))
		fail(file ": no type is known for it")
	hash = sprintf("%07x%07x", one, two)
	rows = rows sprintf("\t{ \"%s\", \"%s.%s.%s\", \"%s\", \"%s\", { asset_%d, %d } },\n", file, name, hash,
			    extension, hash, types[extension], count, size)
	count++
}
BEGIN {
	count = 0
	types["css"] = "text/css; charset=utf-8"
	types["js"] = "text/javascript; charset=utf-8"
	for (i = 32; i < 127; i++)
		number[sprintf("%c", i)] = i
	number["\t"] = 9
	print "/* Made by src/page/assets.awk. */"
}
FNR == 1 {
	if (file != "")
		end_asset()
	begin_asset(FILENAME)
}
{
	bytes = "\t"
	for (i = 1; i <= length($0); i++) {
		c = substr($0, i, 1)
		if (!(c in number))
			fail(FILENAME ":" FNR ": a byte that is not printable ASCII")
		add(number[c])
	}
	add(10)
	print bytes
}
END {
	if (failed)
		exit 1
	end_asset()
	printf "static const struct page_asset page_assets[] = {\n%s};\n", rows
}
