/* GNU readline, which is opened by the first prompt: a command that asks nobody does not load it.
 *
 * creadline_open comes first; everything else may be called after it has succeeded. What has readline's own name behind the
 * prefix does what readline(3) says. Readline's globals are reached through functions, since Swift takes them for shared
 * mutable state, which they are. */
#ifndef CREADLINE_H
#define CREADLINE_H

#include <stdio.h>
#include <readline/readline.h>

/* Returns the reason why the library cannot be used; NULL if it can. */
const char *creadline_open(void);

/* Everything of readline that a prompt replaces for its own time. */
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

/* Puts new settings in place and returns the ones before, so that whoever else uses readline in this process finds it as it
 * was. */
struct creadline_settings creadline_exchange(struct creadline_settings next);

void creadline_set_redisplay(rl_voidfunc_t *redisplay);

/* LINES and COLUMNS stay as they are. */
void creadline_keep_environment(void);

int creadline_initialize(void);
int creadline_variable_bind(const char *name, const char *value);
Keymap creadline_make_bare_keymap(void);
int creadline_bind_key_in_map(int key, rl_command_func_t *command, Keymap keymap);
void creadline_free_keymap(Keymap keymap);
void creadline_extend_line_buffer(int count);
char *creadline_readline(const char *prompt);
void creadline_free_line_state(void);

/* The line that is being typed: its bytes, how many there are, and where the cursor stands. */
char *creadline_line(void);
int creadline_count(void);
int creadline_cursor(void);
void creadline_set_position(int count, int cursor);

/* Ends the line as Enter does. */
void creadline_accept(void);

#endif
