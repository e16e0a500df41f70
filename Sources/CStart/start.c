// What authctl does before anything else. In the program alone: a library that is linked in must not change its host.
#include "CStart.h"

#include <CProcess.h>
#include <stddef.h>

// Swift's package manager calls the program's main authctl_main, and has the linker make that main. The tests have authctl's code
// inside, but a main of their own: nothing is done to them.
extern int main(int, char **);
extern int authctl_main(int, char **) __attribute__((weak));

// The environment may hold a password, and libraries allocate memory, and could crash, before main. A failure is seen in main, where
// this is done again.
static void forbid_cores(int count, char **arguments, char **environment) {
    (void)count, (void)arguments, (void)environment;
    if (authctl_main != NULL && authctl_main == main) (void)cprocess_forbid_cores();
}

// The first functions of all that the loader calls, before any library's (System V ABI, "Initialization and Termination Functions").
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = forbid_cores;
