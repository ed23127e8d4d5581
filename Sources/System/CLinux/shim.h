#pragma once
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/vfs.h>

// prctl is variadic, and Swift imports no variadic functions. Each function below is for one use of prctl.

// Returns 0, or -1 with errno.
static inline int prctl_set_dumpable(unsigned long dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0UL, 0UL, 0UL);
}

// Returns 0, 1 or 2 (PR_GET_DUMPABLE in prctl(2)).
static inline int prctl_get_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
}

// struct ucred of unix(7), which Glibc's header declares only with _GNU_SOURCE.
struct linux_peer {
    int pid;
    unsigned int uid;
    unsigned int gid;
};
