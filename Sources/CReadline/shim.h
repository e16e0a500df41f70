// GNU readline, and inline accessors to those of its globals that a prompt needs: Swift refuses them as shared mutable state,
// which they are.
#ifndef CREADLINE_SHIM_H
#define CREADLINE_SHIM_H

#include <stdio.h>
#include <readline/readline.h>

// Everything of readline that a prompt replaces for its own time.
struct creadline_settings {
    FILE *input;
    FILE *output;
    Keymap keymap;
    rl_getc_func_t *read_key;
    rl_voidfunc_t *redisplay;
    rl_vintfunc_t *prepare_terminal;
    rl_voidfunc_t *restore_terminal;
    rl_hook_func_t *start;
    int catches_signals;
    int catches_resize;
    int inhibits_completion;
};

// Puts new settings in place and returns the ones before, so that whoever else uses readline in this process finds it as it
// was.
static inline struct creadline_settings creadline_exchange(struct creadline_settings next) {
    struct creadline_settings before = {
        rl_instream, rl_outstream, rl_get_keymap(), rl_getc_function, rl_redisplay_function, rl_prep_term_function,
        rl_deprep_term_function, rl_startup_hook, rl_catch_signals, rl_catch_sigwinch, rl_inhibit_completion,
    };
    rl_instream = next.input;
    rl_outstream = next.output;
    rl_set_keymap(next.keymap);
    rl_getc_function = next.read_key;
    rl_redisplay_function = next.redisplay;
    rl_prep_term_function = next.prepare_terminal;
    rl_deprep_term_function = next.restore_terminal;
    rl_startup_hook = next.start;
    rl_catch_signals = next.catches_signals;
    rl_catch_sigwinch = next.catches_resize;
    rl_inhibit_completion = next.inhibits_completion;
    return before;
}

static inline void creadline_set_redisplay(rl_voidfunc_t *redisplay) { rl_redisplay_function = redisplay; }

// LINES and COLUMNS stay as they are.
static inline void creadline_keep_environment(void) { rl_change_environment = 0; }

// The line that is being typed: its bytes, how many there are, and where the cursor stands.
static inline char *creadline_line(void) { return rl_line_buffer; }
static inline int creadline_count(void) { return rl_end; }
static inline int creadline_cursor(void) { return rl_point; }

static inline void creadline_set_position(int count, int cursor) {
    rl_end = count;
    rl_point = cursor;
}

// Ends the line as Enter does.
static inline void creadline_accept(void) { rl_done = 1; }

#endif
