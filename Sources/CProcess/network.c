// A network of a program's own: namespaces(7), with nothing in it but sockets that this process serves from outside.
//
// Its maker is a child that has opened its memory to other processes of the user, since the kernel lets nobody else write its
// uid_map; secrets are not in it (csodium_malloc), and this comes before there are other traces of them. The program itself only
// enters what the maker has left.
#define _GNU_SOURCE
#include "CProcess.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SOCKETS = 8, NAMESPACES = 2 };

// What the maker says: the call that failed, if one did.
struct report {
    int problem;
    char call[60];
};

static int fail(struct report *report, const char *call) {
    report->problem = errno;
    strncpy(report->call, call, sizeof report->call - 1);
    return -1;
}

static int put(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t written = write(file, text, strlen(text));
    int problem = errno;
    close(file);
    errno = problem;
    return written < 0 ? -1 : 0;
}

static struct sockaddr_in address_of(uint32_t address, uint16_t port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = address};
}

// The loopback interface has 127.0.0.1 by itself once it is up. Without a second one, programs that ask for names by AI_ADDRCONFIG
// take the machine for one without a network (getaddrinfo(3)).
static int raise_loopback(uint32_t second) {
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return -1;
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int result = ioctl(any, SIOCSIFFLAGS, &request);
    if (result == 0) {
        struct ifreq further = {.ifr_name = "lo:1"};
        const struct sockaddr_in address = address_of(second, 0);
        memcpy(&further.ifr_addr, &address, sizeof address);
        result = ioctl(any, SIOCSIFADDR, &further);
    }
    int problem = errno;
    close(any);
    errno = problem;
    return result;
}

static int open_socket(const struct cprocess_socket *wanted) {
    int made = socket(AF_INET, wanted->type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) return -1;
    const struct sockaddr_in address = address_of(wanted->address, wanted->port);
    if (bind(made, (const struct sockaddr *)&address, sizeof address) != 0) return -1;
    return wanted->type == SOCK_STREAM && listen(made, SOMAXCONN) != 0 ? -1 : made;
}

// Mounts are this namespace's own from now on; those that come outside still reach it.
static int keep_mounts(void) { return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL); }

struct maps {
    char user[32], group[32];
};

// In the maker. `made` gets the namespaces first, then the sockets.
static int make(const struct cprocess_socket *sockets, size_t count, const struct maps *maps, int *made, struct report *report) {
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) return fail(report, "prctl");
    // The mounts are tried here, too, so that what forbids them is known before anybody logs in.
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0) return fail(report, "unshare");
    if (put("/proc/self/setgroups", "deny") != 0) return fail(report, "writing /proc/self/setgroups");
    if (put("/proc/self/uid_map", maps->user) != 0) return fail(report, "writing /proc/self/uid_map");
    if (put("/proc/self/gid_map", maps->group) != 0) return fail(report, "writing /proc/self/gid_map");
    if (keep_mounts() != 0) return fail(report, "mount");
    if (raise_loopback(sockets[0].address) != 0) return fail(report, "ioctl of the loopback interface");
    made[0] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
    made[1] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (made[0] < 0 || made[1] < 0) return fail(report, "open of /proc/self/ns");
    for (size_t i = 0; i < count; i++) {
        if ((made[NAMESPACES + i] = open_socket(&sockets[i])) < 0) return fail(report, "bind");
    }
    return 0;
}

union control {
    char bytes[CMSG_SPACE(sizeof(int) * (NAMESPACES + MOST_SOCKETS))];
    struct cmsghdr alignment;
};

// Never returns. unix(7), SCM_RIGHTS.
static void be_maker(const struct cprocess_socket *sockets, size_t count, const struct maps *maps, int channel) {
    struct report report = {0};
    int made[NAMESPACES + MOST_SOCKETS];
    union control control = {{0}};
    struct iovec part = {&report, sizeof report};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (make(sockets, count, maps, made, &report) == 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (NAMESPACES + count));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        *rights = (struct cmsghdr){CMSG_LEN(sizeof(int) * (NAMESPACES + count)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(rights), made, sizeof(int) * (NAMESPACES + count));
    }
    sendmsg(channel, &message, MSG_NOSIGNAL);
    _exit(0);
}

static int receive(int channel, struct cprocess_socket *sockets, size_t count, struct cprocess_network *network, struct report *report) {
    union control control;
    struct iovec part = {report, sizeof *report};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes,
    };
    ssize_t got;
    do got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    // The maker was killed.
    if (got != sizeof *report) return EIO;
    if (report->problem != 0) return report->problem;
    const struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    // Without a descriptor left, what came is cut off.
    if (rights == NULL || rights->cmsg_len != CMSG_LEN(sizeof(int) * (NAMESPACES + count))) return EMFILE;
    int made[NAMESPACES + MOST_SOCKETS];
    memcpy(made, CMSG_DATA(rights), sizeof(int) * (NAMESPACES + count));
    network->user = made[0];
    network->net = made[1];
    for (size_t i = 0; i < count; i++) sockets[i].descriptor = made[NAMESPACES + i];
    return 0;
}

int cprocess_make_network(
    struct cprocess_socket *sockets, size_t count, struct cprocess_network *network, char *call, size_t size) {
    if (count == 0 || count > MOST_SOCKETS) return EINVAL;
    struct maps maps;
    snprintf(maps.user, sizeof maps.user, "%u %u 1", geteuid(), geteuid());
    snprintf(maps.group, sizeof maps.group, "%u %u 1", getegid(), getegid());
    struct report report = {0};
    int channel[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0) return errno;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t born = fork();
    if (born == 0) be_maker(sockets, count, &maps, channel[1]);
    int problem = born < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(channel[1]);
    if (born > 0) {
        problem = receive(channel[0], sockets, count, network, &report);
        while (waitpid(born, NULL, 0) < 0 && errno == EINTR) {}
    }
    close(channel[0]);
    snprintf(call, size, "%s", report.call[0] != '\0' ? report.call : "fork");
    return problem;
}

int cprocess_enter_network(const struct cprocess_network *network) {
    // Its mounts are new ones, which leave the working directory what it was; setns(2) would not.
    if (setns(network->user, CLONE_NEWUSER) != 0 || setns(network->net, CLONE_NEWNET) != 0 || unshare(CLONE_NEWNS) != 0
        || keep_mounts() != 0) {
        return errno;
    }
    for (size_t i = 0; i < network->cover_count; i++) {
        // What is not there, or out of reach, needs none.
        if (mount(network->covers[i].file, network->covers[i].place, NULL, MS_BIND, NULL) != 0 && errno != ENOENT
            && errno != EACCES) {
            return errno;
        }
    }
    return 0;
}
