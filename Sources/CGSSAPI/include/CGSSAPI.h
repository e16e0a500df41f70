/* The Kerberos side of Negotiate (RFC 4559, RFC 4121) by MIT's GSSAPI library, which is opened on first use: nothing
 * links it. libcurl makes the tokens of its own requests; this tells beforehand whose ticket there is, and why none is
 * to be had. */
#ifndef CGSSAPI_H
#define CGSSAPI_H

#include <stddef.h>

enum { CGSSAPI_NAME_CAPACITY = 512, CGSSAPI_REASON_CAPACITY = 1024 };

typedef enum {
    CGSSAPI_VALID,
    CGSSAPI_EXPIRED,
    /* No credential cache, or none that can be used. */
    CGSSAPI_MISSING,
    /* The Kerberos server cannot be found or reached. */
    CGSSAPI_UNREACHABLE,
    /* The Kerberos server gives no ticket for this service. */
    CGSSAPI_REFUSED,
    CGSSAPI_NO_LIBRARY,
} cgssapi_state;

typedef struct {
    /* Empty where it is not known. */
    char principal[CGSSAPI_NAME_CAPACITY];
    /* Seconds that are left. */
    unsigned lifetime;
    /* GSSAPI's own words, where the state is not VALID. */
    char reason[CGSSAPI_REASON_CAPACITY];
} cgssapi_ticket;

/* The default credential, from the cache that KRB5CCNAME names. Asks no network. */
cgssapi_state cgssapi_find(cgssapi_ticket *ticket);

/* Has the Kerberos server give a ticket for the service `name`, as in "HTTP@host", unless the cache has one already.
 * Nothing goes to the service itself, and no delegation is asked for. */
cgssapi_state cgssapi_request(const char *name, cgssapi_ticket *ticket);

/* The token that begins SPNEGO with the service `name`, to be free(3)d; the last two are set only where the state is VALID. */
cgssapi_state cgssapi_begin(const char *name, cgssapi_ticket *ticket, void **token, size_t *count);

#endif
