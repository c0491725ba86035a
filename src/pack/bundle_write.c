/* bundle_write.c -- see pack.h: the layout that Symbolicator's tools write. */
#include "pack/pack.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"

#define MANIFEST_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define NAME_BYTES_MAX     ((size_t)65000)

static const char header[8] = "SYSB\2\0\0";   /* and a NUL: version 2, little endian */

int bundle_writer_init(struct bundle_writer *bundle, int fd, struct err *err)
{
	zip_writer_init(&bundle->zip, fd);
	buf_init(&bundle->files, MANIFEST_BYTES_MAX);
	buf_init(&bundle->name, NAME_BYTES_MAX);
	map_init(&bundle->names);
	arena_init(&bundle->arena, MANIFEST_BYTES_MAX);
	bundle->count = 0;
	return file_write_all(fd, header, sizeof(header), err);
}

void bundle_writer_release(struct bundle_writer *bundle)
{
	zip_writer_release(&bundle->zip);
	buf_release(&bundle->files);
	buf_release(&bundle->name);
	map_release(&bundle->names);
	arena_release(&bundle->arena);
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

/* "files/" and the path: separators, and a colon before them, become one slash; none is the first. */
static void write_name(struct buf *name, struct text path)
{
	size_t i = 0;

	buf_clear(name);
	buf_add_string(name, "files/");
	while (i < path.size) {
		size_t end = i + (path.bytes[i] == ':');

		if (end < path.size && is_separator(path.bytes[end])) {
			while (end < path.size && is_separator(path.bytes[end]))
				end++;
			if (name->size > 0 && buf_string(name)[name->size - 1] != '/')
				buf_add_char(name, '/');
			i = end;
		} else {
			buf_add_char(name, path.bytes[i++]);
		}
	}
}

/* Of equal names later ones get numbers. */
static int take_name(struct bundle_writer *bundle, struct text path, struct err *err)
{
	const char *copy;
	size_t size;

	write_name(&bundle->name, path);
	size = bundle->name.size;
	for (unsigned number = 1; map_get(&bundle->names, buf_text(&bundle->name)); number++) {
		bundle->name.size = size;
		buf_printf(&bundle->name, ".%u", number);
	}
	if (buf_check(&bundle->name, err) < 0)
		return -1;
	copy = arena_strndup(&bundle->arena, bundle->name.bytes, bundle->name.size);
	if (!copy || map_put(&bundle->names, (struct text){ copy, bundle->name.size }, bundle) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a bundle's names");
	return 0;
}

int bundle_writer_add_url(struct bundle_writer *bundle, struct text path, struct text url, struct text contents,
			  struct err *err)
{
	struct json_writer json;

	if (take_name(bundle, path, err) < 0 ||
	    zip_writer_add(&bundle->zip, buf_text(&bundle->name), contents, err) < 0)
		return -1;
	if (bundle->count++ > 0)
		buf_add_char(&bundle->files, ',');
	json_writer_init(&json, &bundle->files);
	json_text(&json, buf_text(&bundle->name));
	buf_add_char(&bundle->files, ':');
	json_writer_init(&json, &bundle->files);
	json_object(&json);
	json_member_string(&json, "type", "source");
	json_member_text(&json, "path", path);
	json_member_text(&json, "url", url);
	json_object_end(&json);
	return buf_check(&bundle->files, err);
}

int bundle_writer_add(struct bundle_writer *bundle, struct text path, struct text contents, struct err *err)
{
	return bundle_writer_add_url(bundle, path, TEXT_NONE, contents, err);
}

int bundle_writer_end(struct bundle_writer *bundle, const struct bundle_attribute *attributes,
		      size_t attribute_count, struct err *err)
{
	struct json_writer json;
	struct buf manifest;
	int rc;

	buf_init(&manifest, 2 * MANIFEST_BYTES_MAX);
	json_writer_init(&json, &manifest);
	json_object(&json);
	json_key(&json, "files");
	json_raw(&json, TEXT("{"));
	buf_add_text(&manifest, buf_text(&bundle->files));
	buf_add_char(&manifest, '}');
	for (size_t i = 0; i < attribute_count; i++)
		if (attributes[i].value.size > 0)
			json_member_text(&json, attributes[i].name, attributes[i].value);
	json_object_end(&json);
	rc = buf_check(&manifest, err);
	if (rc == 0)
		rc = zip_writer_add(&bundle->zip, TEXT("manifest.json"), buf_text(&manifest), err);
	buf_release(&manifest);
	return rc < 0 ? -1 : zip_writer_end(&bundle->zip, err);
}
