/* What GIO and libsecret do asynchronously only, or not within a given time. */
#ifndef CSECRET_STEP_H
#define CSECRET_STEP_H

#include "service.h"

/* One asynchronous step. On the heap, since GLib may come back to it after we have given up waiting. */
struct step {
    csecret_service *service;
    GAsyncReadyCallback finish;
    void *result;
    GError *error;
    bool is_done;
};

/* The callback to start a step with. */
void csecret_step_is_done(void *source, GAsyncResult *result, void *data);

/* Starts a step, waits for it, and gives its result, or NULL and an outcome. */
void *csecret_perform(csecret_service *service, void (*start)(struct step *, GCancellable *),
                      GAsyncReadyCallback finish, csecret_outcome *outcome);

#endif
