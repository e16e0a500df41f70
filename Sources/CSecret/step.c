#define _GNU_SOURCE
#include "step.h"

#include <signal.h>
#include <stdlib.h>

void csecret_step_is_done(void *source, GAsyncResult *result, void *data)
{
    struct step *step = data;
    step->finish(source, result, step);
    step->is_done = true;
}

static int time_is_over(void *data)
{
    *(bool *)data = true;
    return 0;
}

/* Runs our own loop until the step is done or the time is over. */
static void iterate(csecret_service *service, const bool *is_done, int milliseconds)
{
    const struct csecret_library *lib = service->library;
    bool is_over = false;
    GSource *timer = lib->g_timeout_source_new((unsigned)milliseconds);
    lib->g_source_set_callback(timer, time_is_over, &is_over, NULL);
    lib->g_source_attach(timer, service->context);
    while (!*is_done && !is_over)
        lib->g_main_context_iteration(service->context, 1);
    lib->g_source_destroy(timer);
    lib->g_source_unref(timer);
}

/* The library's threads begin here. They inherit the mask, so that signals keep coming to the thread that reads keys. */
void *csecret_perform(csecret_service *service, void (*start)(struct step *, GCancellable *),
                      GAsyncReadyCallback finish, csecret_outcome *outcome)
{
    const struct csecret_library *lib = service->library;
    struct step *step = calloc(1, sizeof *step);
    if (step == NULL)
        abort();
    step->service = service;
    step->finish = finish;
    GCancellable *cancellable = lib->g_cancellable_new();
    lib->g_main_context_push_thread_default(service->context);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    start(step, cancellable);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    iterate(service, &step->is_done, csecret_left(service));
    bool was_late = !step->is_done;
    if (was_late) {
        lib->g_cancellable_cancel(cancellable);
        iterate(service, &step->is_done, 250);
    }
    lib->g_main_context_pop_thread_default(service->context);
    lib->g_object_unref(cancellable);
    /* Given up: whatever still runs keeps what it holds. */
    if (!step->is_done) {
        *outcome = CSECRET_TIMED_OUT;
        return NULL;
    }
    void *result = step->result;
    *outcome = result != NULL ? CSECRET_DONE : csecret_outcome_of(service, step->error);
    if (result == NULL && was_late)
        *outcome = CSECRET_TIMED_OUT;
    free(step);
    return result;
}
