#include "CReadline.h"

#include <CLibrary.h>
#include <dlfcn.h>

/* Of each function its address, and of each variable. */
static struct {
    __typeof__(readline) *readline;
    __typeof__(rl_initialize) *initialize;
    __typeof__(rl_variable_bind) *variable_bind;
    __typeof__(rl_make_bare_keymap) *make_bare_keymap;
    __typeof__(rl_bind_key_in_map) *bind_key_in_map;
    __typeof__(rl_free_keymap) *free_keymap;
    __typeof__(rl_get_keymap) *get_keymap;
    __typeof__(rl_set_keymap) *set_keymap;
    __typeof__(rl_free_line_state) *free_line_state;
    __typeof__(rl_extend_line_buffer) *extend_line_buffer;
    __typeof__(rl_instream) *instream;
    __typeof__(rl_outstream) *outstream;
    __typeof__(rl_getc_function) *getc_function;
    __typeof__(rl_redisplay_function) *redisplay_function;
    __typeof__(rl_prep_term_function) *prep_term_function;
    __typeof__(rl_deprep_term_function) *deprep_term_function;
    __typeof__(rl_startup_hook) *startup_hook;
    __typeof__(rl_catch_signals) *catch_signals;
    __typeof__(rl_catch_sigwinch) *catch_sigwinch;
    __typeof__(rl_inhibit_completion) *inhibit_completion;
    __typeof__(rl_change_environment) *change_environment;
    __typeof__(rl_line_buffer) *line_buffer;
    __typeof__(rl_end) *end;
    __typeof__(rl_point) *point;
    __typeof__(rl_done) *done;
} table;

const char *creadline_open(const char *name)
{
    static struct clibrary library = CLIBRARY_CLOSED;
    static const struct clibrary_function functions[] = {
        { "readline", &table.readline },
        { "rl_initialize", &table.initialize },
        { "rl_variable_bind", &table.variable_bind },
        { "rl_make_bare_keymap", &table.make_bare_keymap },
        { "rl_bind_key_in_map", &table.bind_key_in_map },
        { "rl_free_keymap", &table.free_keymap },
        { "rl_get_keymap", &table.get_keymap },
        { "rl_set_keymap", &table.set_keymap },
        { "rl_free_line_state", &table.free_line_state },
        { "rl_extend_line_buffer", &table.extend_line_buffer },
        { "rl_instream", &table.instream },
        { "rl_outstream", &table.outstream },
        { "rl_getc_function", &table.getc_function },
        { "rl_redisplay_function", &table.redisplay_function },
        { "rl_prep_term_function", &table.prep_term_function },
        { "rl_deprep_term_function", &table.deprep_term_function },
        { "rl_startup_hook", &table.startup_hook },
        { "rl_catch_signals", &table.catch_signals },
        { "rl_catch_sigwinch", &table.catch_sigwinch },
        { "rl_inhibit_completion", &table.inhibit_completion },
        { "rl_change_environment", &table.change_environment },
        { "rl_line_buffer", &table.line_buffer },
        { "rl_end", &table.end },
        { "rl_point", &table.point },
        { "rl_done", &table.done },
    };
    /* Its own calls are bound now. By the first call of each the loader would save the vector registers on the stack, and what they
     * hold of a secret with them. */
    return clibrary_open(&library, name, RTLD_NOW, functions, sizeof functions / sizeof *functions);
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

void creadline_initialize(void)
{
    *table.change_environment = 0;
    table.initialize();
}

void creadline_set_variable(const char *name, const char *value) { table.variable_bind(name, value); }

Keymap creadline_make_keymap(void) { return table.make_bare_keymap(); }
void creadline_bind(Keymap keymap, int key, rl_command_func_t *command) { table.bind_key_in_map(key, command, keymap); }
void creadline_free_keymap(Keymap keymap) { table.free_keymap(keymap); }

char *creadline_read(void) { return table.readline(""); }
void creadline_forget_line(void) { table.free_line_state(); }

void creadline_make_room(int size) { table.extend_line_buffer(size); }
char *creadline_line(void) { return *table.line_buffer; }
int creadline_count(void) { return *table.end; }
int creadline_cursor(void) { return *table.point; }

void creadline_set_position(int count, int cursor)
{
    *table.end = count;
    *table.point = cursor;
}

void creadline_accept(void) { *table.done = 1; }
