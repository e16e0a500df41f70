// What the program was started with.
#include "CProcess.h"

static char **words;
static int count;

// glibc hands them to every initialiser. Swift looks for them with the help of /proc, and where that is not mounted, in a
// chroot say, it finds none: the program would show its help and exit with 0, whatever it was asked.
__attribute__((constructor)) static void remember_arguments(int number, char **vector) {
    words = vector;
    count = number;
}

char *const *cprocess_arguments(int *number) {
    *number = count;
    return words;
}
