// Another program in the place of this one, or beside it on the same terminal.
#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

enum { MOST_HANDED = 8 };

// --- Looking it up ----------------------------------------------------------------------------------------------

static int judge(const char *path) {
    struct stat information;
    if (stat(path, &information) != 0) return errno == ENOTDIR ? ENOENT : errno;
    if (S_ISDIR(information.st_mode)) return EACCES;
    return access(path, X_OK) == 0 ? 0 : errno;
}

static int join(const char *folder, size_t length, const char *name, char *path, size_t size) {
    // An empty folder is the working one (exec(3p)).
    int count = snprintf(path, size, "%.*s/%s", length > 0 ? (int)length : 1, length > 0 ? folder : ".", name);
    return count > 0 && (size_t)count < size ? judge(path) : ENAMETOOLONG;
}

int cprocess_find_program(const char *name, char *path, size_t size) {
    if (*name == '\0') return ENOENT;
    if (strchr(name, '/') != NULL) {
        if (strlen(name) >= size) return ENAMETOOLONG;
        strcpy(path, name);
        return judge(path);
    }
    const char *folders = getenv("PATH");
    if (folders == NULL) folders = "/bin:/usr/bin";
    int problem = ENOENT;
    for (;;) {
        size_t length = strcspn(folders, ":");
        int found = length < INT_MAX ? join(folders, length, name, path, size) : ENAMETOOLONG;
        if (found == 0) return 0;
        // What is there but cannot be run is told only if nothing better follows.
        if (found == EACCES) problem = EACCES;
        if (folders[length] == '\0') return problem;
        folders += length + 1;
    }
}

// --- What it is handed ------------------------------------------------------------------------------------------

static int write_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return -1;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

int cprocess_sealed_file(const void *bytes, size_t count) {
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int descriptor = memfd_create("authctl", flags | MFD_NOEXEC_SEAL);
    // Kernels before 6.3 do not know that flag.
    if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create("authctl", flags);
    if (descriptor < 0) return -1;
    const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    if (write_all(descriptor, bytes, count) != 0 || lseek(descriptor, 0, SEEK_SET) != 0
        || fchmod(descriptor, 0400) != 0 || fcntl(descriptor, F_ADD_SEALS, seals) != 0) {
        int problem = errno;
        close(descriptor);
        errno = problem;
        return -1;
    }
    return descriptor;
}

// All but 0 to 2 and those that are handed over get closed by exec, not before, so that a failure can still be told.
static int place(const struct cprocess_image *image) {
    if (image->handed_count > MOST_HANDED) return EMFILE;
    int top = 2, copies[MOST_HANDED];
    for (size_t i = 0; i < image->handed_count; i++) {
        if (image->handed[i].number > top) top = image->handed[i].number;
    }
    // First out of the way of all the numbers, so that no dup2 overwrites one that is still needed.
    for (size_t i = 0; i < image->handed_count; i++) {
        copies[i] = fcntl(image->handed[i].descriptor, F_DUPFD, top + 1);
        if (copies[i] < 0) return errno;
    }
    if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return errno;
    for (size_t i = 0; i < image->handed_count; i++) {
        if (dup2(copies[i], image->handed[i].number) < 0) return errno;
    }
    return 0;
}

// With a slash in the path, execvpe differs from execve only for a script without `#!`, which goes to sh as it does from
// every shell.
static int replace(const struct cprocess_image *image) {
    execvpe(image->path, image->arguments, image->environment);
    return errno;
}

int cprocess_become(const struct cprocess_image *image) {
    // The program finds the terminal as this one found it.
    cprocess_terminal_disarm();
    int problem = place(image);
    if (problem != 0) return problem;
    cprocess_restore();
    return replace(image);
}

void cprocess_die(int number) {
    cprocess_terminal_disarm();
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
}

// --- Beside this process ----------------------------------------------------------------------------------------

enum { SIGNALS = 65 };

// All that somebody may send, and that would end or stop this process before it has ended the session.
static int is_passed_on(int number) {
    switch (number) {
    // Nobody can take these, or they are glibc's own; and these do nothing unless somebody waits for them.
    case SIGKILL: case SIGSTOP: case 32: case 33: return 0;
    case SIGCHLD: case SIGURG: case SIGWINCH: return 0;
    default: return 1;
    }
}

// What an instruction of our own may have raised.
static int is_crash(int number) {
    return number == SIGILL || number == SIGTRAP || number == SIGABRT || number == SIGBUS || number == SIGFPE
        || number == SIGSEGV || number == SIGSYS;
}

// Read by the handler.
static volatile sig_atomic_t companion;

// The terminal tells the whole process group by itself, so what comes from the kernel is not passed on. What somebody sent
// is: nothing tells whether it was for this process alone or, as from a shell's `kill %1`, for the group, whose programs then
// have it twice. To have it twice is better than not at all.
static void pass_on(int number, siginfo_t *information, void *context) {
    (void)context;
    int problem = errno;
    pid_t child = companion;
    int was_sent = information->si_code <= 0;
    // Our own crash: back to the default, which the same instruction, or abort(3), then meets.
    if (is_crash(number) && (!was_sent || information->si_pid == getpid())) {
        signal(number, SIG_DFL);
    } else if (child > 0 && was_sent && information->si_pid != child) {
        kill(child, number);
    }
    errno = problem;
}

static void take_signals(struct sigaction before[SIGNALS]) {
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    for (int number = 1; number < SIGNALS; number++) {
        if (!is_passed_on(number)) continue;
        sigaction(number, NULL, &before[number]);
        // What the caller ignores, the program ignores too.
        if (before[number].sa_handler != SIG_IGN) sigaction(number, &action, NULL);
    }
    // Where SIGCHLD is ignored, there would be no status.
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &usual, &before[SIGCHLD]);
}

static void give_signals_back(const struct sigaction before[SIGNALS]) {
    for (int number = 1; number < SIGNALS; number++) {
        if (is_passed_on(number) || number == SIGCHLD) sigaction(number, &before[number], NULL);
    }
}

// Gives the terminal to a process group, from the background too.
static void give_terminal(int terminal, pid_t group) {
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, SIGTTOU);
    sigprocmask(SIG_BLOCK, &one, &before);
    tcsetpgrp(terminal, group);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

// So that the shell sees its job stopped, by the same signal; goes on when the shell continues it. A program with jobs of its
// own, as a shell is, had the terminal in a group of its own, and finds it there again.
static void stop_like(pid_t child, int number) {
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    pid_t group = getpgid(child), front = terminal >= 0 ? tcgetpgrp(terminal) : -1;
    int has_own = group > 0 && group != getpgrp();
    if (has_own && front == group) give_terminal(terminal, getpgrp());
    struct sigaction mine, mine_to_continue;
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(number, &usual, &mine);
    // Not passed on by the handler: a shell that goes on before it has the terminal reads the end of its input.
    sigaction(SIGCONT, &usual, &mine_to_continue);
    raise(number);
    sigaction(number, &mine, NULL);
    sigaction(SIGCONT, &mine_to_continue, NULL);
    if (has_own && front == group && tcgetpgrp(terminal) == getpgrp()) give_terminal(terminal, group);
    if (terminal >= 0) close(terminal);
    kill(has_own ? -group : child, SIGCONT);
}

static int wait_for(pid_t child, const struct sigaction before[SIGNALS], int *status) {
    for (;;) {
        siginfo_t seen = {0};
        if (waitid(P_PID, (id_t)child, &seen, WEXITED | WSTOPPED | WNOWAIT) != 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        if (seen.si_code == CLD_STOPPED) {
            int number = seen.si_status;
            waitid(P_PID, (id_t)child, &seen, WSTOPPED | WNOHANG);
            stop_like(child, number);
            continue;
        }
        // Before it is reaped: its number is another's afterwards.
        companion = 0;
        give_signals_back(before);
        while (waitpid(child, status, 0) < 0) {
            if (errno != EINTR) return errno;
        }
        return 0;
    }
}

// Never returns. The pipe closes by itself when exec succeeds; otherwise it brings the errno.
static void be_child(const struct cprocess_image *image, int report) {
    int problem = image->network != NULL ? cprocess_enter_network(image->network) : 0;
    if (problem == 0) problem = place(image);
    if (problem == 0) {
        cprocess_restore();
        problem = replace(image);
    }
    if (write(report, &problem, sizeof problem) < 0) _exit(126);
    _exit(127);
}

int cprocess_run_beside(const struct cprocess_image *image, int *status) {
    cprocess_terminal_disarm();
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    // Out of the way of what is handed over.
    int top = 2;
    for (size_t i = 0; i < image->handed_count; i++) {
        if (image->handed[i].number > top) top = image->handed[i].number;
    }
    int writing = fcntl(report[1], F_DUPFD_CLOEXEC, top + 1);
    close(report[1]);
    if (writing < 0) {
        close(report[0]);
        return EMFILE;
    }
    sigset_t all, blocked;
    sigfillset(&all);
    struct sigaction before[SIGNALS];
    sigprocmask(SIG_BLOCK, &all, &blocked);
    take_signals(before);
    pid_t born = fork();
    if (born == 0) be_child(image, writing);
    int problem = born < 0 ? errno : 0;
    companion = born > 0 ? born : 0;
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    close(writing);
    if (born > 0) {
        ssize_t got;
        do got = read(report[0], &problem, sizeof problem);
        while (got < 0 && errno == EINTR);
        int waited = wait_for(born, before, status);
        if (problem == 0) problem = waited;
    } else {
        give_signals_back(before);
    }
    close(report[0]);
    return problem;
}
