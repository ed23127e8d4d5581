// A library for LD_PRELOAD, which scripts/bench compiles: it counts the calls that allocate memory in a process, and their bytes,
// in the first two 64-bit words of the file that ALLOCATIONS names. The process is slower with it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic unsigned long unused[2];
static _Atomic unsigned long *counters = unused;

// glibc's own names of the functions: dlsym allocates and cannot be used in them.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("ALLOCATIONS");
    int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof unused, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) counters = memory;
    close(file);
}

static void count(size_t bytes) {
    atomic_fetch_add_explicit(&counters[0], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters[1], bytes, memory_order_relaxed);
}

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count(size);
    return __libc_realloc(old, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count(size);
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}
