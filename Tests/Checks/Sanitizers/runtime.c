// Tells the thread sanitizer what Swift's runtime does out of its sight.
//
// The runtime's libraries are not built under the sanitizer, so that three things look like races that are none: a Mutex
// that is taken or left while others wait for it, what a task hands to another, and what a continuation is resumed with.
//
// scripts/attack thread builds it and loads it before the program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Synchronization._MutexHandle's functions that wait. What does not wait is compiled into the program, and seen.
SWIFT void lockSlow(uint32_t thread, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlockSlow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT bool tryLockSlow(SELF) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
SWIFT void swift_continuation_resume(void *task);
SWIFT void swift_continuation_throwingResume(void *task);
SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error);

static SWIFT void (*realLockSlow)(uint32_t thread, SELF);
static SWIFT void (*realUnlockSlow)(SELF);
static SWIFT bool (*realTryLockSlow)(SELF);
static SWIFT void (*realResume)(void *task);
static SWIFT void (*realThrowingResume)(void *task);
static SWIFT void (*realThrowingResumeWithError)(void *task, void *error);

SWIFT void lockSlow(uint32_t thread, SELF) {
    realLockSlow(thread, self);
    __tsan_acquire(self);
}

SWIFT void unlockSlow(SELF) {
    __tsan_release(self);
    realUnlockSlow(self);
}

SWIFT bool tryLockSlow(SELF) {
    bool isLocked = realTryLockSlow(self);
    if (isLocked) __tsan_acquire(self);
    return isLocked;
}

// What runs a task acquires it: the runtime tells that itself.
SWIFT void swift_continuation_resume(void *task) {
    __tsan_release(task);
    realResume(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
    __tsan_release(task);
    realThrowingResume(task);
}

SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
    __tsan_release(task);
    realThrowingResumeWithError(task, error);
}

#define NEXT(function, name) *(void **)&function = dlsym(RTLD_NEXT, name)

__attribute__((constructor)) static void begin(void) {
    NEXT(realLockSlow, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    NEXT(realUnlockSlow, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    NEXT(realTryLockSlow, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
    NEXT(realResume, "swift_continuation_resume");
    NEXT(realThrowingResume, "swift_continuation_throwingResume");
    NEXT(realThrowingResumeWithError, "swift_continuation_throwingResumeWithError");
    // libswiftCore defines the hook that has the runtime tell of its tasks; on Linux the sanitizer calls an empty one,
    // which stands in the program itself.
    void *core = dlopen("libswiftCore.so", RTLD_NOLOAD | RTLD_LAZY);
    void (*initialize)(void) = core ? (void (*)(void))dlsym(core, "__tsan_on_initialize") : 0;
    if (initialize) initialize();
}
