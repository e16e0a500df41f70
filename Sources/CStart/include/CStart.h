// Has nothing to call: it acts by being linked into a program (start.c).
#ifndef CSTART_H
#define CSTART_H
#endif
