#pragma once
#include <jansson.h>

// jansson uses `char`, and Swift uses `UInt8`. With these functions Swift need not rebind the pointer at every call.

static inline json_t *cjansson_loadb(const unsigned char *bytes, size_t count, size_t flags, json_error_t *error) {
    return json_loadb((const char *)bytes, count, flags, error);
}

// The result is never null, because jansson keeps a terminator behind an empty string too.
static inline const unsigned char *cjansson_string_bytes(const json_t *string) {
    return (const unsigned char *)json_string_value(string);
}

static inline const unsigned char *cjansson_name_bytes(void *iterator) {
    return (const unsigned char *)json_object_iter_key(iterator);
}
