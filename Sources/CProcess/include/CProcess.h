// The C that Swift cannot be: code between fork and exec, and code in a signal handler.
#ifndef CPROCESS_H
#define CPROCESS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// --- Hardening (harden.c) ---------------------------------------------------------------------------------------

// Whether a process may go on. An exhaustive enum to Swift: .hardened, .privileged, .notHardened.
enum __attribute__((enum_extensibility(closed))) cprocess_hardening {
    CPROCESS_HARDENED __attribute__((swift_name("hardened"))) = 0,
    // Runs with more rights than its caller has (set-uid, set-gid or file capabilities).
    CPROCESS_PRIVILEGED __attribute__((swift_name("privileged"))) = 1,
    // A system call failed, see errno.
    CPROCESS_NOT_HARDENED __attribute__((swift_name("notHardened"))) = 2,
};

// To be called first in main, before anything is opened: refuses set-uid, makes the descriptors 0 to 2 valid, forbids
// core dumps and ptrace, sets the file mask, ignores SIGPIPE and SIGXFSZ.
enum cprocess_hardening cprocess_harden(void);

// The part of that which keeps other processes of the same user out of memory, environment and descriptors, and leaves no core.
// Returns 0 or -1, see errno. May be called before the C library's own initialisers, and again.
int cprocess_forbid_cores(void);

// Undoes what exec would hand on of that: file mask, core limit, signals. Async-signal-safe. The process is as open to core
// dumps as it was at its start, so exec or the end has to come next.
void cprocess_restore(void);

// Whether the signal was ignored when the process started: children must find it as it was.
int cprocess_was_ignored(int number);

// The program's arguments, its name first, and how many there are. They do not depend on /proc.
char *const *cprocess_arguments(int *number);

// Overwrites what returned calls have left below on the stack, and in registers. To be called last, from main's own depth.
// Returns 0, or an errno: then something may be left.
int cprocess_wipe_stack(void);

// --- The terminal while a question is open or an answer is waited for (terminal.c) ------------------------------

// What cprocess_terminal_wait saw.
enum {
    CPROCESS_READABLE = 1,
    // The process was stopped and goes on: the line has to be drawn again.
    CPROCESS_RESUMED = 2,
    CPROCESS_RESIZED = 4,
    // One of the other descriptors has something to read, or has ended.
    CPROCESS_OTHER = 8,
};

// The other descriptors that one wait may have.
enum { CPROCESS_MOST_OTHERS = 15 };

// Takes the turn to ask at a terminal, which one process of its foreground has at a time, once more for each call. In the
// background it waits for the foreground, stopped as by the kernel. A stopped process gives the turn back, and takes it again
// before it goes on. Returns 0 if the turn is there; EAGAIN if it is another's: this process then stands in the queue until a
// later call, or cprocess_terminal_leave_queue; another errno if nobody can be asked.
int cprocess_terminal_take_turn(int descriptor);
void cprocess_terminal_leave_queue(void);

// Gives it back after as many calls, unless the terminal is still without echo and nobody waits.
void cprocess_terminal_end_turn(void);

// Returns how many processes wait for the turn of this one.
int cprocess_terminal_waiting(void);

// Whether both are the same terminal.
int cprocess_terminal_is_same(int descriptor, int other);

// Saves the settings of the terminal, drops what was typed ahead, turns off echo and line mode, and takes over every
// signal that would kill or stop the process, so that the saved settings are back before it happens, and then `last_words`
// are written. Ends a hold and a notice. Needs the turn. One terminal at a time. Returns 0 or an errno.
int cprocess_terminal_arm(int descriptor, const char *last_words);

// After the last question: the terminal stays without echo until cprocess_terminal_hide, so that what is typed while an
// answer is waited for is neither shown nor kept. With `to_the_end` it stays so through notices and further questions, until
// cprocess_terminal_disarm. Whatever ends or stops the process still puts the settings back first.
void cprocess_terminal_hold(int to_the_end);

// Writes a notice, which stands until cprocess_terminal_hide or the end of the process; `removal` takes it away. It is there
// again when a stopped process goes on in the foreground. Returns 0 or an errno: EAGAIN in the background, and while another
// process asks; EBUSY while a question is open, or if it is to be shown `only_if_free` and there is a notice, or a hold that a
// login ends. One that is not only for a free terminal is a login's: until it is taken away the terminal has no echo.
int cprocess_terminal_show(int descriptor, const char *text, const char *removal, int only_if_free);

// Writes a notice that stands there again, with a blank and `tail` behind its words. Never waits for the terminal. Returns 0 or an
// errno: EBUSY while a question is open, ENOENT if there is no notice, EAGAIN in the background, and while another process asks.
int cprocess_terminal_move(const char *tail);

// Takes a notice away and ends a question or a hold, but for a hold to the end, which goes on.
void cprocess_terminal_hide(void);

// Takes a notice away, puts settings and signals back as they were, and drops input that was not read. Does nothing
// if there is nothing to undo.
void cprocess_terminal_disarm(void);

// Waits for input to a question for so long at most, and returns what happened, 0 for nothing. The first of the other
// descriptors, as many as there is room for, are waited for as well.
int cprocess_terminal_wait(int milliseconds, const int *others, size_t count);

// Holds back the signals that would end this process, until the last of as many calls of cprocess_release_signals. The first one
// is kept, and `notice` is written to standard error if that is a terminal; the process dies of a second one that comes half a
// second later, or of the first one after 5 seconds. `notice` may be NULL.
void cprocess_hold_signals(const char *notice);

// Lets the signals through again, and dies of the one that was kept.
void cprocess_release_signals(void);

// Whether signals are held back now.
int cprocess_holds_signals(void);

// The signal that the present hold has kept, 0 for none.
int cprocess_kept_signal(void);

// --- Children on a terminal of their own (spawn.c) --------------------------------------------------------------

struct cprocess_child {
    const char *path;
    char *const *arguments;
    char *const *environment;
    // NULL: the parent's.
    const char *directory;
    // What becomes the child's 0, 1 and 2; -1 stands for the terminal, or /dev/null where there is none.
    int descriptors[3];
    // What becomes its 3 and 4, where these are above 2; other descriptors are closed.
    int channel[2];
    // Signals below 64 that the child finds ignored, one bit each; all others are at their default, none is blocked.
    unsigned long ignored_signals;
};

// Runs a child in a session of its own with a new pseudo-terminal as its controlling terminal.
// Returns 0 or an errno, also that of a failed exec. `master` is closed on exec.
int cprocess_spawn_on_pty(
    const struct cprocess_child *child, unsigned short rows, unsigned short columns, pid_t *pid, int *master);

// Runs a child in a session of its own without any terminal. Returns 0 or an errno.
int cprocess_spawn_detached(const struct cprocess_child *child, pid_t *pid);

// --- The command of an exec (become.c) --------------------------------------------------------------------------

// Looks a program up as execvp(3) does: in PATH, unless there is a slash in its name. Writes the path, which always has a
// slash in it. Returns 0 or an errno; ENOENT if there is none of that name.
int cprocess_find_program(const char *name, char *path, size_t size);

// A file in memory that holds these bytes and can only be read; closed on exec. Returns -1 with an errno.
int cprocess_sealed_file(const void *bytes, size_t count);

// What a program finds at a descriptor of its own.
struct cprocess_handed {
    int descriptor;
    // Above 2; each number once.
    int number;
};

// A socket in a network of its own, which this process has.
struct cprocess_socket {
    // In the network's order.
    uint32_t address;
    uint16_t port;
    // SOCK_STREAM or SOCK_DGRAM.
    int type;
    int descriptor;
};

// A file that a program finds at another place.
struct cprocess_cover {
    const char *file;
    const char *place;
};

// The descriptors of the namespaces, and what lies over the system's files for whoever enters them.
struct cprocess_network {
    int user, net;
    const struct cprocess_cover *covers;
    size_t cover_count;
};

// Makes a user and a network namespace in which nothing but these sockets can be reached, 8 at most; the address of the first one
// becomes the loopback interface's second. To be called before there is any secret, see network.c. Returns 0 or an errno, and then the
// call that failed.
int cprocess_make_network(
    struct cprocess_socket *sockets, size_t count, struct cprocess_network *network, char *call, size_t size);

// Enters them, in the child that will be the program. Async-signal-safe. Returns 0 or an errno.
int cprocess_enter_network(const struct cprocess_network *network);

struct cprocess_image {
    // As cprocess_find_program found it.
    const char *path;
    char *const *arguments;
    char *const *environment;
    // Beside 0, 1 and 2 it finds no others.
    const struct cprocess_handed *handed;
    size_t handed_count;
    // NULL: the network of this process. For cprocess_run_beside alone.
    const struct cprocess_network *network;
};

// Takes the place of this process, with everything undone that cprocess_harden did. Returns the errno of the failure.
int cprocess_become(const struct cprocess_image *image);

// Runs it on the terminal of this process, in its process group, and waits for its end: what the terminal sends reaches it
// directly, other signals are passed on, and when it stops, this process stops as well. `status` is that of wait(2).
// Returns 0 or an errno, also that of a failed exec.
int cprocess_run_beside(const struct cprocess_image *image, int *status);

// A descriptor that is readable once one of these signals, which have to be blocked, has come; nothing has to be read. -1 for
// a failure.
int cprocess_signal_descriptor(const sigset_t *signals);

// Dies of a signal. Returns only if that is not possible.
void cprocess_die(int number);

// pipe2(2) with O_CLOEXEC, which Swift does not see. Returns 0, or -1 with errno.
int cprocess_pipe(int ends[2]);

// accept4(2) likewise: closed on exec, and it never blocks. Returns the descriptor, or -1 with errno.
int cprocess_accept(int listening);

// --- Files (access.c) --------------------------------------------------------------------------------------------

// Whether an access control list (acl(5)) gives further users rights on a file or folder.
int cprocess_has_access_list(int descriptor);

// --- Connections on this machine (peer.c) -------------------------------------------------------------------------------

// Whose socket is at the other end of a TCP connection to this port of 127.0.0.1, by the kernel's own tables. Address and port of
// the peer are in the network's order. Returns 0 where that cannot be told.
int cprocess_peer_user(uint32_t address, uint16_t port, uint16_t own_port, uid_t *user);

// The same for a connection that was accepted, of either family.
int cprocess_connection_user(int connection, uid_t *user);

// Copies what waits at a socket, without taking it or waiting for it (recv(2), MSG_PEEK): Swift does not see the flag in every file.
ssize_t cprocess_peek(int socket, void *bytes, size_t size);

// Who has connected to, or listens at, the other end of a Unix socket (unix(7), SO_PEERCRED). Returns 0 where that cannot be told.
int cprocess_socket_user(int connection, uid_t *user);

#endif
