// The terminal while a question is open: whatever ends or stops the process, its settings come back first (P4).
//
// Readline has handlers of its own for a few signals, but it runs them later, from its input loop, and it leaves the
// echo off for all the others. So its handlers are off and these take the place for every signal there is: they act at
// once, and there is no moment between "was a signal caught?" and "wait for a key" in which one gets lost.
//
// Everything here that is not reached from a handler runs on the one thread that asks. The saved settings are the one
// global state that the house rules allow.
#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <termios.h>
#include <unistd.h>

enum { SIGNALS = 65 };

static struct termios saved, quiet;
static struct sigaction previous[SIGNALS];
static volatile sig_atomic_t taken[SIGNALS];
static volatile sig_atomic_t terminal = -1;
static volatile sig_atomic_t resumed, resized;
static stack_t previous_stack;
// A stack overflow is a SEGV, too: its handler needs another stack.
static char handler_stack[64 * 1024];

// The modes of a terminal belong to whoever is in the foreground; in the background they are the shell's.
static int is_in_foreground(int fd) {
    return tcgetpgrp(fd) == getpgrp();
}

// No call here may block: the line may be stopped, and then only KILL would help.
static void restore_from_handler(void) {
    int fd = terminal;
    if (fd < 0 || !is_in_foreground(fd)) return;
    // The rest of a password must not become a command of the shell.
    tcflush(fd, TCIFLUSH);
    tcsetattr(fd, TCSANOW, &saved);
    struct pollfd output = {.fd = fd, .events = POLLOUT};
    if (poll(&output, 1, 0) == 1 && (output.revents & POLLOUT)) {
        // So that the shell's prompt starts at the left edge.
        if (write(fd, "\n", 1) < 0) return;
    }
}

static void unblock(int number) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

// By the default action, not by a handler that may have been there: Swift's backtracer would print memory.
static void die(int number) {
    restore_from_handler();
    signal(number, SIG_DFL);
    raise(number);
    unblock(number);
}

static void stop(int number) {
    int problem = errno;
    restore_from_handler();
    struct sigaction mine;
    sigaction(number, &previous[number], &mine);
    raise(number);
    unblock(number);
    // Here the process lies still until the shell continues it. What is left is done by cprocess_terminal_wait, since
    // in the background the settings must not be touched.
    sigaction(number, &mine, NULL);
    resumed = 1;
    errno = problem;
}

static void note(int number) {
    if (number == SIGCONT) resumed = 1;
    if (number == SIGWINCH) resized = 1;
}

static int is_crash(int number) {
    return number == SIGILL || number == SIGTRAP || number == SIGABRT || number == SIGBUS || number == SIGFPE
        || number == SIGSEGV;
}

static void (*handler_for(int number))(int) {
    switch (number) {
    case SIGKILL: case SIGSTOP: case SIGCHLD: case SIGURG: return NULL;
    // Stopping for these is right as it is: they come to a background process, whose terminal is the shell's.
    case SIGTTIN: case SIGTTOU: return NULL;
    case SIGTSTP: return stop;
    case SIGCONT: case SIGWINCH: return note;
    default: return die;
    }
}

static void take(int number) {
    struct sigaction action = {.sa_handler = handler_for(number), .sa_flags = SA_ONSTACK};
    if (action.sa_handler == NULL || sigaction(number, NULL, &previous[number]) != 0) return;
    // What the caller of the program ignores stays ignored (nohup, a shell's background job). What cprocess_harden
    // ignores does not count.
    if (cprocess_was_ignored(number) && action.sa_handler != note) return;
    // Nothing interrupts a handler; a crash inside one still kills, since the kernel does not let those be blocked.
    sigfillset(&action.sa_mask);
    if (is_crash(number)) sigemptyset(&action.sa_mask);
    taken[number] = sigaction(number, &action, NULL) == 0;
}

static void take_signals(void) {
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    sigaltstack(&stack, &previous_stack);
    for (int number = 1; number < SIGNALS; number++) take(number);
}

static void give_signals_back(void) {
    for (int number = 1; number < SIGNALS; number++) {
        if (taken[number]) sigaction(number, &previous[number], NULL);
        taken[number] = 0;
    }
    sigaltstack(&previous_stack, NULL);
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

static int set(int fd, int when, const struct termios *settings) {
    while (tcsetattr(fd, when, settings) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

int cprocess_terminal_arm(int descriptor) {
    if (terminal >= 0) return EBUSY;
    // In the background this stops the process until it is brought to the front (SIGTTOU), so it comes before the
    // saving: only then are the settings ours and not those of the shell's own line editor.
    while (tcflush(descriptor, TCIFLUSH) != 0) {
        if (errno != EINTR) return errno;
    }
    if (tcgetattr(descriptor, &saved) != 0) return errno;
    quiet = without_echo(saved);
    resumed = resized = 0;
    terminal = descriptor;
    take_signals();
    // FLUSH: what was typed before the question is not an answer to it (P7).
    int problem = set(descriptor, TCSAFLUSH, &quiet);
    if (problem != 0) cprocess_terminal_disarm();
    return problem;
}

void cprocess_terminal_disarm(void) {
    if (terminal < 0) return;
    set(terminal, TCSAFLUSH, &saved);
    give_signals_back();
    terminal = -1;
}

int cprocess_terminal_wait(int milliseconds) {
    sigset_t noted, before;
    sigemptyset(&noted);
    sigaddset(&noted, SIGTSTP);
    sigaddset(&noted, SIGCONT);
    sigaddset(&noted, SIGWINCH);
    // Blocked between the look at the flags and the wait, or a signal just then would be seen only at the next key.
    sigprocmask(SIG_BLOCK, &noted, &before);
    int seen = 0;
    struct pollfd input = {.fd = terminal, .events = POLLIN};
    const struct timespec limit = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    if (!resumed && !resized && ppoll(&input, 1, &limit, &before) > 0) seen |= CPROCESS_READABLE;
    if (resized) seen |= CPROCESS_RESIZED;
    int again = resumed;
    if (again) seen |= CPROCESS_RESUMED;
    resized = resumed = 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    // In the background this call stops the process (SIGTTOU) and goes on in the foreground.
    if (again) set(terminal, TCSADRAIN, &quiet);
    return seen;
}
