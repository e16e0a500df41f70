// fork and exec in one function each: the callers have threads, so only async-signal-safe calls may stand between.
// It is vfork, since a fork copies the tables of all memory: 20 ms and more for a process of 1 GB. The child lives in the
// caller's memory until its exec, so no handler of the caller may run in it.
#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void reset_signals(unsigned long ignored) {
    for (int number = 1; number < 64; number++) {
        signal(number, (ignored >> number) & 1 ? SIG_IGN : SIG_DFL);  // fails for KILL, STOP and glibc's own: fine
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Moves what shall be 0 to 4 out of the way first, so that no dup2 overwrites one that is still needed.
static int place_descriptors(const struct cprocess_child *child, int fallback) {
    int high[5], count = child->channel[0] > 2 && child->channel[1] > 2 ? 5 : 3;
    for (int i = 0; i < count; i++) {
        int wanted = i < 3 ? child->descriptors[i] : child->channel[i - 3];
        high[i] = fcntl(wanted >= 0 ? wanted : fallback, F_DUPFD, count);
        if (high[i] < 0) return -1;
    }
    for (int i = 0; i < count; i++) {
        if (dup2(high[i], i) < 0) return -1;
    }
    return close_range((unsigned)count, ~0U, CLOSE_RANGE_CLOEXEC);
}

// Never returns, and changes nothing in memory that the caller reads. `terminal` is the slave side of a pty, or -1.
static void become(const struct cprocess_child *child, int terminal, int fallback, int report) {
    reset_signals(child->ignored_signals);
    if (setsid() >= 0 && (terminal < 0 || ioctl(terminal, TIOCSCTTY, 0) == 0)
        && (child->directory == NULL || chdir(child->directory) == 0)
        && place_descriptors(child, fallback) == 0) {
        execve(child->path, child->arguments, child->environment);
    }
    int problem = errno;
    if (write(report, &problem, sizeof problem) < 0) _exit(126);
    _exit(127);
}

// The pipe closes by itself when exec succeeds; otherwise it brings the errno.
static int spawn(const struct cprocess_child *child, int terminal, int fallback, pid_t *pid) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    // Out of the way of 0 to 4, which the child overwrites.
    int writing = fcntl(report[1], F_DUPFD_CLOEXEC, 5);
    close(report[1]);
    if (writing < 0) {
        close(report[0]);
        return EMFILE;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t born = vfork();
    if (born == 0) become(child, terminal, fallback, writing);
    int problem = born < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(writing);
    if (born > 0) {
        ssize_t got;
        do got = read(report[0], &problem, sizeof problem);
        while (got < 0 && errno == EINTR);
        if (got > 0) waitpid(born, NULL, 0);
    }
    close(report[0]);
    *pid = born;
    return problem;
}

static int open_slave(int master) {
    char name[64];
    if (grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, name, sizeof name) != 0) return -1;
    return open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

int cprocess_spawn_on_pty(
    const struct cprocess_child *child, unsigned short rows, unsigned short columns, pid_t *pid, int *master) {
    int side = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (side < 0) return errno;
    int slave = open_slave(side);
    const struct winsize size = {.ws_row = rows, .ws_col = columns};
    int problem = slave < 0 || ioctl(slave, TIOCSWINSZ, &size) != 0 ? errno : spawn(child, slave, slave, pid);
    if (slave >= 0) close(slave);
    if (problem != 0) close(side);
    *master = side;
    return problem;
}

int cprocess_spawn_detached(const struct cprocess_child *child, pid_t *pid) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) return errno;
    int problem = spawn(child, -1, nothing, pid);
    close(nothing);
    return problem;
}

int cprocess_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}

int cprocess_accept(int listening)
{
    return accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}
