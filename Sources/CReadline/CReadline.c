#include "CReadline.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#define TEXT_OF(number) #number
#define NAME_OF(version) "libreadline.so." TEXT_OF(version)

/* The functions and the variables that are needed, by readline's names without the prefix. */
#define FUNCTIONS(F)                                                                                       \
    F(initialize) F(variable_bind) F(make_bare_keymap) F(bind_key_in_map) F(free_keymap)                   \
    F(extend_line_buffer) F(free_line_state) F(get_keymap) F(set_keymap)
#define VARIABLES(V)                                                                                       \
    V(instream) V(outstream) V(getc_function) V(redisplay_function) V(prep_term_function)                  \
    V(deprep_term_function) V(startup_hook) V(catch_signals) V(catch_sigwinch) V(inhibit_completion)       \
    V(change_environment) V(line_buffer) V(end) V(point) V(done)

#define FUNCTION(name) __typeof__(rl_##name) *name;
#define VARIABLE(name) __typeof__(rl_##name) *name;
static struct {
    FUNCTIONS(FUNCTION)
    VARIABLES(VARIABLE)
    __typeof__(readline) *readline;
} table;

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static const char *problem;
static char problem_text[256];

/* Through void **, as dlopen(3) shows, since ISO C does not convert an object pointer to a function pointer. */
static bool look_up(void *library, const char *name, void *place)
{
    return (*(void **)place = dlsym(library, name)) != NULL;
}

static void load(void)
{
    void *library = dlopen(NAME_OF(RL_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
    bool is_whole = library != NULL && look_up(library, "readline", &table.readline);
#define LOOK_UP(name) is_whole = is_whole && look_up(library, "rl_" #name, &table.name);
    FUNCTIONS(LOOK_UP)
    VARIABLES(LOOK_UP)
    if (is_whole)
        return;
    const char *text = dlerror();
    snprintf(problem_text, sizeof problem_text, "%s", text ? text : NAME_OF(RL_VERSION_MAJOR) " cannot be used");
    problem = problem_text;
}

const char *creadline_open(void)
{
    pthread_once(&opened, load);
    return problem;
}

struct creadline_settings creadline_exchange(struct creadline_settings next)
{
    struct creadline_settings before = {
        *table.instream, *table.outstream, table.get_keymap(), *table.getc_function, *table.redisplay_function,
        *table.prep_term_function, *table.deprep_term_function, *table.startup_hook, *table.catch_signals,
        *table.catch_sigwinch, *table.inhibit_completion,
    };
    *table.instream = next.input;
    *table.outstream = next.output;
    table.set_keymap(next.keymap);
    *table.getc_function = next.read_key;
    *table.redisplay_function = next.redisplay;
    *table.prep_term_function = next.prepare_terminal;
    *table.deprep_term_function = next.restore_terminal;
    *table.startup_hook = next.start;
    *table.catch_signals = next.catches_signals;
    *table.catch_sigwinch = next.catches_resize;
    *table.inhibit_completion = next.inhibits_completion;
    return before;
}

void creadline_set_redisplay(rl_voidfunc_t *redisplay) { *table.redisplay_function = redisplay; }
void creadline_keep_environment(void) { *table.change_environment = 0; }

int creadline_initialize(void) { return table.initialize(); }
int creadline_variable_bind(const char *name, const char *value) { return table.variable_bind(name, value); }
Keymap creadline_make_bare_keymap(void) { return table.make_bare_keymap(); }

int creadline_bind_key_in_map(int key, rl_command_func_t *command, Keymap keymap)
{
    return table.bind_key_in_map(key, command, keymap);
}

void creadline_free_keymap(Keymap keymap) { table.free_keymap(keymap); }
void creadline_extend_line_buffer(int count) { table.extend_line_buffer(count); }
char *creadline_readline(const char *prompt) { return table.readline(prompt); }
void creadline_free_line_state(void) { table.free_line_state(); }

char *creadline_line(void) { return *table.line_buffer; }
int creadline_count(void) { return *table.end; }
int creadline_cursor(void) { return *table.point; }

void creadline_set_position(int count, int cursor)
{
    *table.end = count;
    *table.point = cursor;
}

void creadline_accept(void) { *table.done = 1; }
