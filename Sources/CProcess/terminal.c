// The terminal while a question is open or an answer is waited for: whatever ends or stops the process, the terminal's
// settings come back first (P4), and what stood on it only for a time is gone.
//
// Readline has handlers of its own for a few signals, but it runs them later, from its input loop, and it leaves the
// echo off for all the others. So its handlers are off and these take the place for every signal there is: they act at
// once, and there is no moment between "was a signal caught?" and "wait for a key" in which one gets lost.
//
// Everything here that is not reached from a handler runs on the one thread that asks. The saved settings, and what is to be
// done with them, are the one global state that the house rules allow.
#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALS = 65 };

static struct termios saved, quiet;
static struct sigaction previous[SIGNALS];
static volatile sig_atomic_t taken[SIGNALS];
// A descriptor of our own.
static volatile sig_atomic_t terminal = -1;
// Whether a question is open, whether the settings are ours to keep quiet, and whether they are quiet at this moment.
static volatile sig_atomic_t asks, holds, is_quiet;
// Whether a hold goes on behind notices and questions, up to cprocess_terminal_disarm.
static volatile sig_atomic_t lasts;
// Whether what was typed meanwhile may be a password: then it is dropped, else it is for whoever reads next.
static volatile sig_atomic_t drops;
static volatile sig_atomic_t resumed, resized;
static stack_t previous_stack;
// A stack overflow is a SEGV, too: its handler needs another stack.
static char handler_stack[64 * 1024];

// What stands there for a time: how it is written again, and how it is taken away.
struct text {
    char bytes[4096];
    volatile sig_atomic_t count;
};
static struct text shown, removal;
// Where the words of a notice begin, behind its removal, and where they end.
static size_t words_begin, words_end;

// Whose turn it is to ask. A turn is a lock on the terminal's own device: its byte 0 is for the one that asks, each other byte for
// one that waits. The kernel frees them with the process. Open while we ask, wait, or have a notice.
static volatile sig_atomic_t device = -1;
// Whether it is a descriptor that we were given, since the terminal is another user's, as within su, and may not be opened. Its open
// file is everybody's who was given it, so that the locks are the process's: those end where it closes any descriptor of the file.
static volatile sig_atomic_t is_given;
// How many hold the turn; whether byte 0 is ours; whether a stop has given it back.
static volatile sig_atomic_t turns, has_turn, has_yielded;
// Our byte in the queue, 0 for none.
static int queue_place;
enum { TURN = 0, LONGEST_QUEUE = 64, BETWEEN_LOOKS_MILLISECONDS = 50 };

// While a refresh is under way: how many hold the signals, which one has come, when, and what is said then.
static int holders;
static volatile sig_atomic_t is_holding, held, tells_hold;
static struct timespec held_since;
static struct text hold_notice;
enum { HOLD_SECONDS = 5, SAME_REQUEST_MILLISECONDS = 500 };

// The modes of a terminal belong to whoever is in the foreground; in the background they are the shell's.
static int is_in_foreground(int fd) {
    return tcgetpgrp(fd) == getpgrp();
}

// No call of a handler may block for long: the line may be stopped, and then only KILL would help.
static void write_within(int milliseconds, int fd, const struct text *text) {
    struct pollfd output = {.fd = fd, .events = POLLOUT};
    if (text->count == 0 || poll(&output, 1, milliseconds) != 1 || !(output.revents & POLLOUT)) return;
    if (write(fd, text->bytes, (size_t)text->count) < 0) return;
}

// Bound to the open file, so that no other descriptor of the process ends them. Returns 0 or an errno.
static int lock_bytes(int command, short type, off_t first, off_t count, struct flock *found) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    if (is_given) command = command == F_OFD_GETLK ? F_GETLK : F_SETLK;
    if (fcntl(device, command, &lock) != 0) return errno;
    if (found != NULL) *found = lock;
    return 0;
}

static int is_locked(off_t first, off_t count) {
    struct flock found;
    return device >= 0 && lock_bytes(F_OFD_GETLK, F_WRLCK, first, count, &found) == 0 && found.l_type != F_UNLCK;
}

// Without a device, or where it takes no locks, nobody can be waited for.
static int take_lock(void) {
    if (has_turn) return 0;
    if (device >= 0) {
        int problem = lock_bytes(F_OFD_SETLK, F_WRLCK, TURN, 1, NULL);
        if (problem == EAGAIN || problem == EACCES) return EAGAIN;
    }
    has_turn = 1;
    has_yielded = 0;
    return 0;
}

// From a handler, too.
static void yield_turn(void) {
    if (!has_turn) return;
    if (device >= 0) lock_bytes(F_OFD_SETLK, F_UNLCK, TURN, 1, NULL);
    has_turn = 0;
    has_yielded = 1;
}

// Another one's question must not be overwritten.
static int may_write(int fd) {
    return is_in_foreground(fd) && (has_turn || !is_locked(TURN, 1));
}

// The rest of a password must not be shown, or become a command of the shell. TCSAFLUSH leaves what the kernel has not yet
// handed to the terminal's line discipline, which on a busy machine may be the keys of some moments.
static void drop_input(int fd) {
    if (drops) tcflush(fd, TCIFLUSH);
}

static void restore_from_handler(void) {
    int fd = terminal;
    if (fd < 0 || !may_write(fd)) return;
    if (is_quiet) {
        drop_input(fd);
        tcsetattr(fd, TCSANOW, &saved);
        is_quiet = 0;
    }
    write_within(0, fd, &removal);
}

static void unblock(int number) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static int is_held_back(int number);

static long milliseconds_since(const struct timespec *then) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - then->tv_sec) * 1000 + (now.tv_nsec - then->tv_nsec) / 1000000;
}

static void tell_hold(int number) {
    if (!tells_hold || !is_in_foreground(STDERR_FILENO)) return;
    static const struct text line_end = {"\n", 1};
    if (terminal >= 0 && removal.count > 0) {
        write_within(0, terminal, &removal);
    } else if (number == SIGINT || number == SIGQUIT) {
        // The terminal has just echoed the key.
        write_within(0, STDERR_FILENO, &line_end);
    }
    write_within(0, STDERR_FILENO, &hold_notice);
}

// Returns the signal to die of now, 0 for none. timeout(1) sends its signal twice, and so does a terminal that is closed:
// what comes so soon after the first is the same request.
static int after_hold(int number) {
    if (!is_holding || !is_held_back(number)) return number;
    if (held) {
        if (milliseconds_since(&held_since) < SAME_REQUEST_MILLISECONDS) return 0;
        return number == SIGALRM ? held : number;
    }
    clock_gettime(CLOCK_MONOTONIC, &held_since);
    held = number;
    alarm(HOLD_SECONDS);
    tell_hold(number);
    return 0;
}

// By the default action, not by a handler that may have been there: Swift's backtracer would print memory.
static void die(int number) {
    int problem = errno;
    number = after_hold(number);
    errno = problem;
    if (number == 0) return;
    restore_from_handler();
    signal(number, SIG_DFL);
    raise(number);
    unblock(number);
}

static void stop(int number) {
    int problem = errno;
    restore_from_handler();
    yield_turn();
    struct sigaction mine;
    sigaction(number, &previous[number], &mine);
    raise(number);
    unblock(number);
    // Here the process lies still until the shell continues it. What is left is done after SIGCONT, since in the
    // background the settings must not be touched.
    sigaction(number, &mine, NULL);
    resumed = 1;
    errno = problem;
}

// Of a question, cprocess_terminal_wait takes care: in the background it has to stop the process.
static void resume(void) {
    int fd = terminal, problem = errno;
    resumed = 1;
    // A shell may have put it into the background, where it could not be given back.
    if (fd >= 0 && !is_in_foreground(fd)) yield_turn();
    if (!asks && fd >= 0 && may_write(fd) && (!has_yielded || take_lock() == 0)) {
        if (holds) is_quiet = tcsetattr(fd, TCSANOW, &quiet) == 0;
        // The shell may just be writing.
        write_within(100, fd, &shown);
    }
    errno = problem;
}

// Who comes to wait for the turn says so by SIGWINCH, or by SIGCONT, which may go to another user's process: nobody waits for what has
// no echo just so that typing is not seen.
static void let_next_ask(void) {
    int fd = terminal, problem = errno;
    // A notice of a login is on its way to be shown or taken away, and is over soon.
    if (fd < 0 || asks || turns > 0 || !lasts || !is_quiet || !is_locked(1, LONGEST_QUEUE)) return;
    restore_from_handler();
    yield_turn();
    shown.count = removal.count = 0;
    holds = lasts = has_yielded = 0;
    errno = problem;
}

static void note(int number) {
    if (number == SIGCONT) resume();
    if (number == SIGWINCH) resized = 1;
    let_next_ask();
}

static int is_crash(int number) {
    return number == SIGILL || number == SIGTRAP || number == SIGABRT || number == SIGBUS || number == SIGFPE
        || number == SIGSEGV;
}

static void (*handler_for(int number))(int) {
    switch (number) {
    case SIGKILL: case SIGSTOP: case SIGCHLD: case SIGURG: return NULL;
    // A connection or a pipe that breaks while an answer is waited for is an error of the call.
    case SIGPIPE: case SIGXFSZ: return asks ? die : NULL;
    // The last two come to a background process, whose terminal is the shell's.
    case SIGTSTP: case SIGTTIN: case SIGTTOU: return stop;
    case SIGCONT: case SIGWINCH: return note;
    default: return die;
    }
}

// What would end this process and is no crash.
static int is_held_back(int number) {
    return handler_for(number) == die && !is_crash(number) && number != SIGSYS && number != SIGPIPE && number != SIGXFSZ;
}

static void take(int number) {
    if (taken[number]) return;
    struct sigaction action = {.sa_handler = handler_for(number), .sa_flags = SA_ONSTACK | SA_RESTART};
    if (action.sa_handler == NULL || sigaction(number, NULL, &previous[number]) != 0) return;
    // What the caller of the program ignores stays ignored (nohup, a shell's background job). What cprocess_harden
    // ignores does not count.
    if (cprocess_was_ignored(number) && action.sa_handler != note) return;
    // While an answer is waited for, who handles a signal already goes on doing so.
    if (!asks && previous[number].sa_handler != SIG_DFL) return;
    // Nothing interrupts a handler; a crash inside one still kills, since the kernel does not let those be blocked.
    sigfillset(&action.sa_mask);
    if (is_crash(number)) sigemptyset(&action.sa_mask);
    taken[number] = sigaction(number, &action, NULL) == 0;
}

static void give_back(int number) {
    if (is_holding && is_held_back(number)) return;
    if (taken[number]) sigaction(number, &previous[number], NULL);
    taken[number] = 0;
}

static int set(int fd, int when, const struct termios *settings) {
    while (tcsetattr(fd, when, settings) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

// In two steps, so that a handler never finds half of it.
static void put(struct text *text, const char *bytes, size_t count) {
    text->count = 0;
    memcpy(text->bytes, bytes, count);
    // A notice may come from a thread that has all signals blocked.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    text->count = (sig_atomic_t)count;
}

static int fits(const char *text) {
    return strlen(text) <= sizeof shown.bytes;
}

static void write_all(int fd, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(fd, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        count -= (size_t)written;
    }
}

// /dev/tty is one file for every terminal and every user.
static int open_device(int fd) {
    unsigned int encoded;
    if (ioctl(fd, TIOCGDEV, &encoded) != 0) return -1;
    unsigned int number = encoded >> 8 & 0xfff, minor_number = (encoded & 0xff) | (encoded >> 12 & 0xfff00);
    enum { PSEUDOTERMINAL = 136 };
    char path[64], link[64], target[512];
    if (number == PSEUDOTERMINAL) {
        snprintf(path, sizeof path, "/dev/pts/%u", minor_number);
    } else {
        snprintf(link, sizeof link, "/sys/dev/char/%u:%u", number, minor_number);
        ssize_t count = readlink(link, target, sizeof target - 1);
        if (count < 0) return -1;
        target[count] = 0;
        const char *name = strrchr(target, '/');
        if (name == NULL || snprintf(path, sizeof path, "/dev%s", name) >= (int)sizeof path) return -1;
    }
    struct stat status;
    int opened = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    is_given = opened < 0 && errno == EACCES;
    for (int given = 0; is_given && opened < 0 && given <= STDERR_FILENO; given++) {
        int is_it = fstat(given, &status) == 0 && status.st_rdev == makedev(number, minor_number);
        if (is_it && (fcntl(given, F_GETFL) & O_ACCMODE) == O_RDWR) opened = fcntl(given, F_DUPFD_CLOEXEC, 3);
    }
    if (opened >= 0 && fstat(opened, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(number, minor_number)) {
        return opened;
    }
    if (opened >= 0) close(opened);
    return -1;
}

static void leave_queue(void) {
    if (queue_place > 0 && device >= 0) lock_bytes(F_OFD_SETLK, F_UNLCK, queue_place, 1, NULL);
    queue_place = 0;
}

// What keeps the terminal without echo keeps the turn.
static void give_turn_back(void) {
    if (turns > 0 || holds) return;
    yield_turn();
    has_yielded = 0;
    if (queue_place > 0 || terminal >= 0 || device < 0) return;
    int fd = device;
    device = -1;
    close(fd);
}

int cprocess_terminal_take_turn(int descriptor) {
    if (turns > 0 && !has_yielded) {
        turns++;
        return 0;
    }
    // In the background this stops the process until it is brought to the front, and changes nothing.
    while (tcdrain(descriptor) != 0) {
        if (errno != EINTR) return errno;
    }
    if (device < 0) device = open_device(descriptor);
    if (!is_in_foreground(descriptor) || take_lock() != 0) {
        if (queue_place == 0 && device >= 0) {
            off_t place = 1;
            while (place < LONGEST_QUEUE && lock_bytes(F_OFD_SETLK, F_WRLCK, place, 1, NULL) != 0) place++;
            queue_place = (int)place;
            kill(0, is_given ? SIGCONT : SIGWINCH);
        }
        return EAGAIN;
    }
    leave_queue();
    turns++;
    return 0;
}

void cprocess_terminal_leave_queue(void) {
    leave_queue();
    give_turn_back();
}

void cprocess_terminal_end_turn(void) {
    if (turns == 0 || --turns > 0) return;
    if (holds && is_locked(1, LONGEST_QUEUE)) cprocess_terminal_disarm();
    give_turn_back();
}

int cprocess_terminal_waiting(void) {
    int count = 0;
    if (!is_locked(1, LONGEST_QUEUE)) return 0;
    for (off_t place = 1; place <= LONGEST_QUEUE; place++) count += is_locked(place, 1);
    return count;
}

int cprocess_terminal_is_same(int descriptor, int other) {
    unsigned int one, two;
    return ioctl(descriptor, TIOCGDEV, &one) == 0 && ioctl(other, TIOCGDEV, &two) == 0 && one == two;
}

static int begin(int descriptor, int is_question) {
    int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (fd < 0) return errno;
    resumed = resized = holds = is_quiet = 0;
    shown.count = removal.count = 0;
    asks = is_question;
    terminal = fd;
    if (device < 0) device = open_device(fd);
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    sigaltstack(&stack, &previous_stack);
    for (int number = 1; number < SIGNALS; number++) take(number);
    return 0;
}

static void end(void) {
    for (int number = 1; number < SIGNALS; number++) give_back(number);
    sigaltstack(&previous_stack, NULL);
    close(terminal);
    terminal = -1;
    asks = holds = 0;
    give_turn_back();
}

// ISIG stays on: Ctrl-C and Ctrl-Z are the terminal's own. IXON is off, so that Ctrl-S cannot freeze the question, and
// IEXTEN, so that Ctrl-V does not put a control character in. OPOST stays, for the line ends of the messages.
static struct termios without_echo(struct termios settings) {
    settings.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN);
    settings.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | ISTRIP | IXON | IXOFF);
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    return settings;
}

int cprocess_terminal_arm(int descriptor, const char *last_words) {
    if (asks) return EBUSY;
    if (!fits(last_words)) return E2BIG;
    int lasted = lasts;
    cprocess_terminal_disarm();
    lasts = lasted;
    // In the background this stops the process until it is brought to the front (SIGTTOU), so it comes before the
    // saving: only then are the settings ours and not those of the shell's own line editor.
    while (tcflush(descriptor, TCIFLUSH) != 0) {
        if (errno != EINTR) return errno;
    }
    if (tcgetattr(descriptor, &saved) != 0) return errno;
    quiet = without_echo(saved);
    int problem = begin(descriptor, 1);
    if (problem != 0) return problem;
    put(&removal, last_words, strlen(last_words));
    holds = is_quiet = drops = 1;
    // FLUSH: what was typed before the question is not an answer to it (P7).
    problem = set(terminal, TCSAFLUSH, &quiet);
    if (problem != 0) cprocess_terminal_disarm();
    return problem;
}

void cprocess_terminal_hold(int to_the_end) {
    static int is_registered;
    if (!asks) return;
    removal.count = 0;
    asks = 0;
    lasts |= to_the_end;
    give_back(SIGPIPE);
    give_back(SIGXFSZ);
    // Ctrl-S pauses a long output, and lines are lines for another program on this terminal.
    quiet = saved;
    quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
    if (is_quiet && is_in_foreground(terminal)) set(terminal, TCSANOW, &quiet);
    // Whoever forgets to end it finds the terminal as it was all the same.
    if (!is_registered) is_registered = atexit(cprocess_terminal_disarm) == 0;
}

// Whoever waits for a login is about to be asked, or believes it: what is typed too early is not shown.
static void become_quiet(int fd) {
    if (holds || tcgetattr(fd, &saved) != 0) return;
    // Lines stay lines, for whoever reads them then.
    quiet = saved;
    quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
    holds = 1;
    drops = 0;
    is_quiet = set(fd, TCSADRAIN, &quiet) == 0;
}

int cprocess_terminal_show(int descriptor, const char *text, const char *its_removal, int only_if_free) {
    if (asks || (only_if_free && terminal >= 0 && (!lasts || shown.count > 0))) return EBUSY;
    if (!fits(text) || !fits(its_removal)) return E2BIG;
    int problem = terminal < 0 ? begin(descriptor, 0) : 0;
    if (problem != 0) return problem;
    // One without echo needs the turn, as long as it stands there.
    if (!may_write(terminal) || (!only_if_free && take_lock() != 0)) {
        if (!holds) end();
        return EAGAIN;
    }
    if (!only_if_free) become_quiet(terminal);
    put(&removal, its_removal, strlen(its_removal));
    // Before it is written: who is stopped in between writes it when it goes on, and then once more.
    put(&shown, text, strlen(text));
    words_begin = strncmp(text, its_removal, strlen(its_removal)) == 0 ? strlen(its_removal) : 0;
    words_end = strlen(text);
    write_all(terminal, text, strlen(text));
    return 0;
}

int cprocess_terminal_move(const char *tail) {
    int fd = terminal;
    size_t count = strlen(tail), words = words_end - words_begin;
    if (asks) return EBUSY;
    if (fd < 0 || shown.count == 0) return ENOENT;
    char line[sizeof shown.bytes];
    if (words + count + 2 > sizeof line) return E2BIG;
    if (!may_write(fd)) return EAGAIN;
    line[0] = '\r';
    memcpy(line + 1, shown.bytes + words_begin, words);
    line[1 + words] = ' ';
    memcpy(line + 2 + words, tail, count);
    put(&shown, line, words + count + 2);
    words_begin = 1;
    words_end = 1 + words;
    // A terminal that was stopped by Ctrl-S must not hold up what the notice is about.
    write_within(0, fd, &shown);
    return 0;
}

static void take_notice_away(void) {
    if (!asks && removal.count > 0 && may_write(terminal)) {
        write_all(terminal, removal.bytes, (size_t)removal.count);
    }
    shown.count = removal.count = 0;
}

void cprocess_terminal_hide(void) {
    if (terminal < 0) return;
    if (!lasts) cprocess_terminal_disarm();
    else if (asks) cprocess_terminal_hold(1);
    else take_notice_away();
}

void cprocess_terminal_disarm(void) {
    int fd = terminal;
    lasts = 0;
    if (fd < 0) return;
    take_notice_away();
    // Given back already where the process was stopped and goes on in the background.
    if (is_quiet) {
        drop_input(fd);
        set(fd, drops ? TCSAFLUSH : TCSADRAIN, &saved);
    }
    is_quiet = 0;
    end();
}

int cprocess_terminal_wait(int milliseconds, const int *others, size_t count) {
    sigset_t noted, before;
    sigemptyset(&noted);
    sigaddset(&noted, SIGTSTP);
    sigaddset(&noted, SIGCONT);
    sigaddset(&noted, SIGWINCH);
    // Blocked between the look at the flags and the wait, or a signal just then would be seen only at the next key.
    sigprocmask(SIG_BLOCK, &noted, &before);
    int seen = 0;
    struct pollfd inputs[1 + CPROCESS_MOST_OTHERS] = {{.fd = terminal, .events = POLLIN}};
    nfds_t used = 1;
    for (size_t i = 0; i < count && i < CPROCESS_MOST_OTHERS; i++) {
        inputs[used++] = (struct pollfd){.fd = others[i], .events = POLLIN};
    }
    const struct timespec limit = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    if (!resumed && !resized && ppoll(inputs, used, &limit, &before) > 0) {
        if (inputs[0].revents) seen |= CPROCESS_READABLE;
        for (nfds_t i = 1; i < used; i++) {
            if (inputs[i].revents) seen |= CPROCESS_OTHER;
        }
    }
    if (resized) seen |= CPROCESS_RESIZED;
    int again = resumed;
    if (again) seen |= CPROCESS_RESUMED;
    resized = resumed = 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    // In the background these calls stop the process (SIGTTOU), which goes on in the foreground.
    while (again && has_yielded && (tcdrain(terminal) == 0 || errno == EINTR)) {
        if (is_in_foreground(terminal) && take_lock() == 0) break;
        poll(NULL, 0, BETWEEN_LOOKS_MILLISECONDS);
        milliseconds -= BETWEEN_LOOKS_MILLISECONDS;
        // The caller looks at its own limits, and comes again.
        if (milliseconds > 0) continue;
        resumed = 1;
        return 0;
    }
    if (again) is_quiet = set(terminal, TCSADRAIN, &quiet) == 0;
    return seen;
}

void cprocess_hold_signals(const char *notice) {
    if (__atomic_fetch_add(&holders, 1, __ATOMIC_SEQ_CST) > 0) return;
    held = 0;
    tells_hold = notice != NULL && fits(notice) && isatty(STDERR_FILENO);
    if (tells_hold) put(&hold_notice, notice, strlen(notice));
    is_holding = 1;
    for (int number = 1; number < SIGNALS; number++) {
        if (is_held_back(number)) take(number);
    }
}

void cprocess_release_signals(void) {
    if (__atomic_sub_fetch(&holders, 1, __ATOMIC_SEQ_CST) > 0) return;
    is_holding = 0;
    // A question or a notice has handlers of its own, which are the same.
    for (int number = 1; terminal < 0 && number < SIGNALS; number++) give_back(number);
    if (held) die(held);
}

int cprocess_holds_signals(void) { return is_holding; }

int cprocess_kept_signal(void) { return is_holding ? held : 0; }
