#define _GNU_SOURCE
#include "CProcess.h"

#include <sys/signalfd.h>

int cprocess_signal_descriptor(const sigset_t *signals) { return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK); }
