#pragma once
#include <jansson.h>

// jansson speaks of `char`, Swift of bytes: these spare a rebinding of the pointer at every call.

static inline json_t *cjansson_loadb(const unsigned char *bytes, size_t count, size_t flags, json_error_t *error) {
    return json_loadb((const char *)bytes, count, flags, error);
}

static inline size_t cjansson_dumpb(const json_t *value, unsigned char *bytes, size_t capacity, size_t flags) {
    return json_dumpb(value, (char *)bytes, capacity, flags);
}

static inline json_t *cjansson_stringn(const unsigned char *bytes, size_t count) {
    return json_stringn((const char *)bytes, count);
}

static inline int cjansson_object_setn_new(json_t *object, const unsigned char *name, size_t count, json_t *value) {
    return json_object_setn_new(object, (const char *)name, count, value);
}

// Never null: jansson keeps a terminator behind an empty string too.
static inline const unsigned char *cjansson_string_bytes(const json_t *string) {
    return (const unsigned char *)json_string_value(string);
}

static inline const unsigned char *cjansson_name_bytes(void *iterator) {
    return (const unsigned char *)json_object_iter_key(iterator);
}
