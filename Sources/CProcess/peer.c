// Whose socket is at the other end of a loopback connection.
#define _GNU_SOURCE
#include "CProcess.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ask(int link, const struct sockaddr_in *peer, const struct sockaddr_in *own) {
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 body;
    } request = {0};
    request.head.nlmsg_len = sizeof request;
    request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.head.nlmsg_flags = NLM_F_REQUEST;
    request.body.sdiag_family = AF_INET;
    request.body.sdiag_protocol = IPPROTO_TCP;
    request.body.idiag_states = ~0U;
    // As the peer sees it: its own address is the source.
    request.body.id.idiag_sport = peer->sin_port;
    request.body.id.idiag_dport = own->sin_port;
    request.body.id.idiag_src[0] = peer->sin_addr.s_addr;
    request.body.id.idiag_dst[0] = own->sin_addr.s_addr;
    request.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return send(link, &request, sizeof request, 0) == (ssize_t)sizeof request ? 0 : -1;
}

// Where the very connection is gone, the kernel may answer with a socket that listens at that port: not ours.
static int is_peer(const struct inet_diag_msg *found, const struct sockaddr_in *peer, const struct sockaddr_in *own) {
    return found->idiag_state != TCP_LISTEN && found->id.idiag_sport == peer->sin_port
        && found->id.idiag_dport == own->sin_port && found->id.idiag_src[0] == peer->sin_addr.s_addr;
}

// sock_diag(7).
static int by_netlink(const struct sockaddr_in *peer, const struct sockaddr_in *own, uid_t *user) {
    int link = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (link < 0) return -1;
    const struct timeval patience = {.tv_sec = 5};
    setsockopt(link, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    union {
        struct nlmsghdr head;
        char bytes[4096];
    } answer;
    ssize_t count = ask(link, peer, own) == 0 ? recv(link, &answer, sizeof answer, 0) : -1;
    close(link);
    if (count < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY) {
        return -1;
    }
    struct inet_diag_msg found;
    memcpy(&found, NLMSG_DATA(&answer.head), sizeof found);
    if (!is_peer(&found, peer, own)) return -1;
    *user = found.idiag_uid;
    return 0;
}

// proc_net(5): where a kernel is built without sock_diag, or a sandbox forbids it.
static int by_table(const struct sockaddr_in *peer, const struct sockaddr_in *own, uid_t *user) {
    FILE *table = fopen("/proc/net/tcp", "re");
    if (table == NULL) return -1;
    char line[512];
    int result = -1;
    while (result != 0 && fgets(line, sizeof line, table) != NULL) {
        unsigned source, source_port, target, target_port, state, owner;
        const char *form = " %*u: %8X:%4X %8X:%4X %2X %*8X:%*8X %*2X:%*8X %*8X %u";
        if (sscanf(line, form, &source, &source_port, &target, &target_port, &state, &owner) != 6) continue;
        if (state == TCP_LISTEN || source != peer->sin_addr.s_addr || target != own->sin_addr.s_addr) continue;
        if (source_port != ntohs(peer->sin_port) || target_port != ntohs(own->sin_port)) continue;
        *user = owner;
        result = 0;
    }
    fclose(table);
    return result;
}

int cprocess_peer_user(uint32_t address, uint16_t port, uint16_t own_port, uid_t *user) {
    const struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = address};
    const struct sockaddr_in own = {
        .sin_family = AF_INET, .sin_port = htons(own_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
    };
    return by_netlink(&peer, &own, user) == 0 || by_table(&peer, &own, user) == 0;
}
