/* GNU readline, opened on first use: a start that asks nobody does not pay for it. Its header declares what is called, so the compiler
 * checks each call; a call that goes past this file does not link. Everything here only after creadline_open has returned NULL. */
#ifndef CREADLINE_H
#define CREADLINE_H

#include <stdio.h>
#include <readline/readline.h>

/* Opens the library with this name. Returns NULL, or what went wrong: text of dlerror(3). */
const char *creadline_open(const char *name);

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

/* Puts new settings in place and returns the ones before, so that whoever else uses readline in this process finds it as it was. */
struct creadline_settings creadline_exchange(struct creadline_settings next);
void creadline_set_redisplay(rl_voidfunc_t *redisplay);

/* rl_initialize; LINES and COLUMNS stay as they are. */
void creadline_initialize(void);
/* rl_variable_bind */
void creadline_set_variable(const char *name, const char *value);

/* A keymap without a binding, and one binding in it; NULL where there is no memory. */
Keymap creadline_make_keymap(void);
void creadline_bind(Keymap keymap, int key, rl_command_func_t *command);
void creadline_free_keymap(Keymap keymap);

/* One line, without a prompt; to be freed. NULL at the end of the input. */
char *creadline_read(void);
/* rl_free_line_state */
void creadline_forget_line(void);

/* The line that is being typed: room for it, its bytes, how many there are, and where the cursor stands. */
void creadline_make_room(int size);
char *creadline_line(void);
int creadline_count(void);
int creadline_cursor(void);
void creadline_set_position(int count, int cursor);

/* Ends the line as Enter does. */
void creadline_accept(void);

#endif
