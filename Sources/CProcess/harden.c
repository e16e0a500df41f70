// What protects the process; the first thing that main does.
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// What is ignored instead of killing: -1 until cprocess_harden changes it, then whether it was ignored before.
static int sigpipe_was_ignored = -1;
static int sigxfsz_was_ignored = -1;

// How the process was started, for cprocess_restore.
static struct {
    int is_known, has_core_limit;
    mode_t file_mask;
    struct rlimit core;
    sigset_t ignored, blocked;
} start;

enum { SIGNALS = 65 };

static int remember_start(void) {
    if (sigprocmask(SIG_BLOCK, NULL, &start.blocked) != 0) return -1;
    sigemptyset(&start.ignored);
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN) sigaddset(&start.ignored, number);
    }
    start.is_known = 1;
    return 0;
}

// The core limit is there too, since the flag is reset by execve while the limit is inherited by what we start. The soft limit
// alone: the hard one could not be given back to the command of an exec.
int cprocess_forbid_cores(void) {
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return -1;
    if (!start.has_core_limit && getrlimit(RLIMIT_CORE, &start.core) != 0) return -1;
    start.has_core_limit = 1;
    const struct rlimit none = {0, start.core.rlim_max};
    return setrlimit(RLIMIT_CORE, &none);
}

// A file that is opened later would otherwise become descriptor 1 or 2, and a message would be written into it (M6). Opened
// the wrong way round, so that what cannot be read or written still fails, as it does on a closed descriptor.
static int fill_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
        // The lowest free number is taken, and all below are in use: this one is fd.
        if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return -1;
    }
    return 0;
}

// Swift's backtracer would print registers and stack of a crash, which may hold a piece of a secret.
static void forget_crash_handlers(void) {
    static const int signals[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction now;
        // What our parent ignores, SIGQUIT in the background say, stays ignored.
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) signal(signals[i], SIG_DFL);
    }
}

enum cprocess_hardening cprocess_harden(void) {
    if (getauxval(AT_SECURE) != 0 || getuid() != geteuid() || getgid() != getegid()) return CPROCESS_PRIVILEGED;
    if (fill_standard_descriptors() != 0 || remember_start() != 0) return CPROCESS_NOT_HARDENED;
    if (cprocess_forbid_cores() != 0) return CPROCESS_NOT_HARDENED;
    start.file_mask = umask(077);
    forget_crash_handlers();
    // A server that closes its connection must be an error that is told, not our death.
    sigpipe_was_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
    // Nor that a file may not grow: the write fails, and what was half written is removed.
    sigxfsz_was_ignored = signal(SIGXFSZ, SIG_IGN) == SIG_IGN;
    // Each further heap, one for a thread, would reserve 64 MiB, all of it counted by RLIMIT_AS: then there is no memory for what is done.
    mallopt(M_ARENA_MAX, 1);
    return CPROCESS_HARDENED;
}

void cprocess_restore(void) {
    if (!start.is_known) return;
    umask(start.file_mask);
    setrlimit(RLIMIT_CORE, &start.core);
    for (int number = 1; number < SIGNALS; number++) {
        // Fails for KILL, STOP and glibc's own, which nobody has changed.
        signal(number, sigismember(&start.ignored, number) == 1 ? SIG_IGN : SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &start.blocked, NULL);
}

int cprocess_was_ignored(int number) {
    if (number == SIGPIPE && sigpipe_was_ignored >= 0) return sigpipe_was_ignored;
    if (number == SIGXFSZ && sigxfsz_was_ignored >= 0) return sigxfsz_was_ignored;
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

// memcpy carries a password in vector registers, and whatever then saves registers (the dynamic linker at the first call
// of a function, a signal) leaves it on the stack. So both are cleared: the stack below the caller, deeper than any run of
// ours has been seen to go, and with the attribute every register that a call may change. At least a page, so that one begins in what
// was cleared.
#if __has_attribute(zero_call_used_regs)
__attribute__((zero_call_used_regs("all")))
#endif
__attribute__((noinline)) static uintptr_t wipe_near(size_t page) {
    const size_t count = 16 * 1024 + page;
    char below[count];
    memset(below, 0, count);
    uintptr_t start;
    // Claims to read it, or the compiler would drop the memset; a number, since nobody is to follow it.
    __asm__ volatile("" : "=r"(start) : "0"(below) : "memory");
    return start;
}

/* What lies deeper is given back whole, since touching it would cost a page fault for every page: the kernel hands such pages
 * out again as zeros (madvise(2)). Nothing but the stack can lie so close below it. */
int cprocess_wipe_stack(void) {
    const long size = sysconf(_SC_PAGESIZE);
    if (size <= 0) return EINVAL;
    const uintptr_t page = (uintptr_t)size, depth = 8 << 20;
    uintptr_t end = (wipe_near(page) + page) & ~(page - 1);
    // ENOMEM: the stack is shorter than that, and was given back as far as it goes.
    return madvise((void *)(end - depth), depth, MADV_DONTNEED) == 0 || errno == ENOMEM ? 0 : errno;
}
