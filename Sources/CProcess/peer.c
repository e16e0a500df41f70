// Whose socket is at the other end of a connection on this machine.
#define _GNU_SOURCE
#include "CProcess.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// One end of a connection, in the network's order.
struct end {
    struct in6_addr address;
    in_port_t port;
};

// As the peer's own socket has them. An IPv4 address is the mapped IPv6 address (RFC 4291, section 2.5.5.2): so is that of a
// dual-stack socket, for whose connection the kernel has no other address.
struct ends {
    struct end peer, own;
};

static struct in6_addr mapped(in_addr_t address) {
    struct in6_addr result = {0};
    result.s6_addr[10] = result.s6_addr[11] = 0xFF;
    memcpy(&result.s6_addr[12], &address, sizeof address);
    return result;
}

static int read_end(const struct sockaddr_storage *from, struct end *end) {
    if (from->ss_family == AF_INET) {
        const struct sockaddr_in *address = (const struct sockaddr_in *)from;
        *end = (struct end){mapped(address->sin_addr.s_addr), address->sin_port};
        return 0;
    }
    if (from->ss_family != AF_INET6) return -1;
    const struct sockaddr_in6 *address = (const struct sockaddr_in6 *)from;
    *end = (struct end){address->sin6_addr, address->sin6_port};
    return 0;
}

static int is_same(const struct end *one, const struct end *other) {
    return one->port == other->port && memcmp(&one->address, &other->address, sizeof one->address) == 0;
}

// The kernel says root for a socket that no process holds any more (and has no inode for it): then nobody knows whose it was.
static int note(const struct ends *found, const struct ends *ends, int state, uid_t owner, unsigned long inode, uid_t *user) {
    // Where the very connection is gone, the kernel may answer with a socket that listens at that port: not ours.
    if (state == TCP_LISTEN || !is_same(&found->peer, &ends->peer) || !is_same(&found->own, &ends->own)) return -1;
    if (owner == 0 && inode == 0) return -1;
    *user = owner;
    return 0;
}

static int ask(int link, const struct ends *ends) {
    const int is_ipv4 = IN6_IS_ADDR_V4MAPPED(&ends->peer.address) && IN6_IS_ADDR_V4MAPPED(&ends->own.address);
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 body;
    } request = {0};
    request.head.nlmsg_len = sizeof request;
    request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.head.nlmsg_flags = NLM_F_REQUEST;
    // By IPv4 the kernel finds dual-stack sockets, too, and has it where there is no IPv6.
    request.body.sdiag_family = is_ipv4 ? AF_INET : AF_INET6;
    request.body.sdiag_protocol = IPPROTO_TCP;
    request.body.idiag_states = ~0U;
    // As the peer sees it: its own address is the source.
    request.body.id.idiag_sport = ends->peer.port;
    request.body.id.idiag_dport = ends->own.port;
    const size_t left_out = is_ipv4 ? 12 : 0, size = sizeof(struct in6_addr) - left_out;
    memcpy(request.body.id.idiag_src, &ends->peer.address.s6_addr[left_out], size);
    memcpy(request.body.id.idiag_dst, &ends->own.address.s6_addr[left_out], size);
    request.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return send(link, &request, sizeof request, 0) == (ssize_t)sizeof request ? 0 : -1;
}

static struct in6_addr told(const __be32 words[4], int family) {
    if (family == AF_INET) return mapped(words[0]);
    struct in6_addr result;
    memcpy(&result, words, sizeof result);
    return result;
}

// Returns 1 with what the kernel tells of a connection, 0 where it says that there is none, and -1 where it says nothing.
static int fetch(int link, const struct ends *ends, struct inet_diag_msg *message) {
    union {
        struct nlmsghdr head;
        char bytes[4096];
    } answer;
    ssize_t count = ask(link, ends) == 0 ? recv(link, &answer, sizeof answer, 0) : -1;
    if (count >= (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)) && answer.head.nlmsg_type == NLMSG_ERROR) {
        struct nlmsgerr error;
        memcpy(&error, NLMSG_DATA(&answer.head), sizeof error);
        return error.error == -ENOENT ? 0 : -1;
    }
    if (count < (ssize_t)NLMSG_LENGTH(sizeof *message) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY) return -1;
    memcpy(message, NLMSG_DATA(&answer.head), sizeof *message);
    return 1;
}

// sock_diag(7). Returns 1 with the user, 0 where nobody can tell whose the connection is, because it is gone, and -1 without an answer.
static int by_netlink(const struct ends *ends, uid_t *user) {
    int link = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (link < 0) return -1;
    const struct timeval patience = {.tv_sec = 5};
    setsockopt(link, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    struct inet_diag_msg message;
    int result = fetch(link, ends, &message);
    if (result == 1) {
        const struct ends found = {
            {told(message.id.idiag_src, message.idiag_family), message.id.idiag_sport},
            {told(message.id.idiag_dst, message.idiag_family), message.id.idiag_dport},
        };
        result = note(&found, ends, message.idiag_state, message.idiag_uid, message.idiag_inode, user) == 0;
    } else if (result == 0) {
        // So says a kernel of every connection that lacks its part for TCP. Of our own end it has to know something: that, or the
        // socket that listens at this port.
        const struct ends own = {ends->own, ends->peer};
        if (fetch(link, &own, &message) != 1) result = -1;
    }
    close(link);
    return result;
}

// ADDRESS:PORT, the address in words of this machine's order.
static int read_written(const char *written, struct end *end) {
    uint32_t words[4];
    unsigned port;
    if (sscanf(written, "%8X%8X%8X%8X:%4X", &words[0], &words[1], &words[2], &words[3], &port) == 5) {
        memcpy(&end->address, words, sizeof end->address);
    } else if (sscanf(written, "%8X:%4X", &words[0], &port) == 2) {
        end->address = mapped(words[0]);
    } else {
        return -1;
    }
    end->port = htons((uint16_t)port);
    return 0;
}

// proc_net(5): where a kernel is built without sock_diag, or a sandbox forbids it.
static int by_table(const char *path, const struct ends *ends, uid_t *user) {
    FILE *table = fopen(path, "re");
    if (table == NULL) return -1;
    char line[512];
    int result = -1;
    while (result != 0 && fgets(line, sizeof line, table) != NULL) {
        char source[48], target[48];
        unsigned state, owner;
        unsigned long inode;
        struct ends found;
        const char *form = " %*u: %47s %47s %2X %*8X:%*8X %*2X:%*8X %*8X %u %*u %lu";
        if (sscanf(line, form, source, target, &state, &owner, &inode) != 5) continue;
        if (read_written(source, &found.peer) != 0 || read_written(target, &found.own) != 0) continue;
        result = note(&found, ends, (int)state, owner, inode, user);
    }
    fclose(table);
    return result;
}

static int find(const struct ends *ends, uid_t *user) {
    // The tables are as long as anybody makes them: they are read only where there is no other answer. A dual-stack socket is in the second
    // one, whatever it is connected to.
    const int told = by_netlink(ends, user);
    if (told >= 0) return told;
    return by_table("/proc/net/tcp", ends, user) == 0 || by_table("/proc/net/tcp6", ends, user) == 0;
}

int cprocess_peer_user(uint32_t address, uint16_t port, uint16_t own_port, uid_t *user) {
    const struct ends ends = {
        {mapped(address), port}, {mapped(htonl(INADDR_LOOPBACK)), htons(own_port)},
    };
    return find(&ends, user);
}

int cprocess_connection_user(int connection, uid_t *user) {
    struct sockaddr_storage peer, own;
    socklen_t peer_size = sizeof peer, own_size = sizeof own;
    struct ends ends;
    if (getpeername(connection, (struct sockaddr *)&peer, &peer_size) != 0
        || getsockname(connection, (struct sockaddr *)&own, &own_size) != 0 || read_end(&peer, &ends.peer) != 0
        || read_end(&own, &ends.own) != 0) {
        return 0;
    }
    return find(&ends, user);
}

int cprocess_socket_user(int connection, uid_t *user) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    // A user namespace that has no number for them gives the overflow number, which is nobody's.
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid == (uid_t)-1) return 0;
    *user = peer.uid;
    return 1;
}

ssize_t cprocess_peek(int socket, void *bytes, size_t size) {
    return recv(socket, bytes, size, MSG_PEEK | MSG_DONTWAIT);
}
