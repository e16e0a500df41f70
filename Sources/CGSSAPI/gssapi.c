#include "CGSSAPI.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <gssapi/gssapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(F)                                                                                       \
    F(acquire_cred) F(inquire_cred) F(display_name) F(import_name) F(init_sec_context)                     \
    F(delete_sec_context) F(display_status) F(release_buffer) F(release_cred) F(release_name)

#define MEMBER(name) __typeof__(gss_##name) *name;
static struct { FUNCTIONS(MEMBER) } table;

/* RFC 4121: iso.member-body.us.mit.infosys.gssapi.krb5; RFC 4178: iso.org.dod.internet.security.mechanism.snego;
 * RFC 2743: the name type of a host-based service. */
static gss_OID_desc kerberos = {9, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"};
static gss_OID_desc spnego = {6, "\x2b\x06\x01\x05\x05\x02"};
static gss_OID_desc hostbased = {10, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"};

/* Of krb5.h, whose header is not needed otherwise: error codes of the table 'krb5'. */
enum {
    TICKET_EXPIRED = -1765328352,  /* KRB5KRB_AP_ERR_TKT_EXPIRED */
    NO_KDC = -1765328228,          /* KRB5_KDC_UNREACH */
    NO_REALM = -1765328230,        /* KRB5_REALM_UNKNOWN */
    REALM_NOT_RESOLVED = -1765328164, /* KRB5_REALM_CANT_RESOLVE */
};

static int ready(void) {
    static struct clibrary library = CLIBRARY_CLOSED;
#define FUNCTION(name) { "gss_" #name, &table.name },
    static const struct clibrary_function functions[] = { FUNCTIONS(FUNCTION) };
    size_t count = sizeof functions / sizeof *functions;
    return clibrary_open(&library, "libgssapi_krb5.so.2", RTLD_NOW, functions, count) == NULL;
}

static void append(char *text, size_t capacity, OM_uint32 code, int kind) {
    OM_uint32 minor, more = 0;
    do {
        gss_buffer_desc words = GSS_C_EMPTY_BUFFER;
        if (GSS_ERROR(table.display_status(&minor, code, kind, &kerberos, &more, &words))) return;
        size_t used = strlen(text);
        snprintf(text + used, capacity - used, "%s%.*s", used ? "; " : "", (int)words.length, (char *)words.value);
        table.release_buffer(&minor, &words);
    } while (more);
}

/* The mechanism's words say more than those of GSSAPI, if it has any. */
static void explain(OM_uint32 major, OM_uint32 minor, cgssapi_ticket *ticket) {
    ticket->reason[0] = 0;
    if (minor) append(ticket->reason, sizeof ticket->reason, minor, GSS_C_MECH_CODE);
    if (!ticket->reason[0]) append(ticket->reason, sizeof ticket->reason, major, GSS_C_GSS_CODE);
}

static void note_principal(gss_name_t name, cgssapi_ticket *ticket) {
    OM_uint32 minor;
    gss_buffer_desc text = GSS_C_EMPTY_BUFFER;
    if (GSS_ERROR(table.display_name(&minor, name, &text, NULL))) return;
    /* A name that was cut would be another name. */
    if (text.length < sizeof ticket->principal) {
        memcpy(ticket->principal, text.value, text.length);
        ticket->principal[text.length] = 0;
    }
    table.release_buffer(&minor, &text);
}

cgssapi_state cgssapi_find(cgssapi_ticket *ticket) {
    memset(ticket, 0, sizeof *ticket);
    if (!ready()) return CGSSAPI_NO_LIBRARY;
    OM_uint32 minor, ignored, lifetime = 0;
    gss_cred_id_t credential = GSS_C_NO_CREDENTIAL;
    gss_OID_set_desc mechanisms = {1, &kerberos};
    OM_uint32 major = table.acquire_cred(
        &minor, GSS_C_NO_NAME, GSS_C_INDEFINITE, &mechanisms, GSS_C_INITIATE, &credential, NULL, NULL);
    gss_name_t name = GSS_C_NO_NAME;
    if (!GSS_ERROR(major)) major = table.inquire_cred(&minor, credential, &name, &lifetime, NULL, NULL);
    if (name != GSS_C_NO_NAME) {
        note_principal(name, ticket);
        table.release_name(&ignored, &name);
    }
    if (credential != GSS_C_NO_CREDENTIAL) table.release_cred(&ignored, &credential);
    ticket->lifetime = lifetime;
    if (!GSS_ERROR(major) && lifetime > 0 && ticket->principal[0]) return CGSSAPI_VALID;
    if (GSS_ERROR(major)) explain(major, minor, ticket);
    int is_expired = GSS_ROUTINE_ERROR(major) == GSS_S_CREDENTIALS_EXPIRED || (!GSS_ERROR(major) && lifetime == 0);
    return is_expired ? CGSSAPI_EXPIRED : CGSSAPI_MISSING;
}

static cgssapi_state state(OM_uint32 major, OM_uint32 minor) {
    switch ((int)minor) {
    case TICKET_EXPIRED: return CGSSAPI_EXPIRED;
    case NO_KDC:
    case NO_REALM:
    case REALM_NOT_RESOLVED: return CGSSAPI_UNREACHABLE;
    }
    switch (GSS_ROUTINE_ERROR(major)) {
    case GSS_S_CREDENTIALS_EXPIRED: return CGSSAPI_EXPIRED;
    case GSS_S_NO_CRED: return CGSSAPI_MISSING;
    }
    return CGSSAPI_REFUSED;
}

/* The first token for a service, which the caller releases; what stays is the service's ticket in the cache. */
static cgssapi_state begin(const char *service, gss_OID mechanism, cgssapi_ticket *ticket, gss_buffer_t token) {
    memset(ticket, 0, sizeof *ticket);
    if (!ready()) return CGSSAPI_NO_LIBRARY;
    OM_uint32 minor, ignored;
    gss_buffer_desc text = {strlen(service), (void *)service};
    gss_name_t name = GSS_C_NO_NAME;
    gss_ctx_id_t context = GSS_C_NO_CONTEXT;
    OM_uint32 major = table.import_name(&minor, &text, &hostbased, &name);
    if (!GSS_ERROR(major)) {
        major = table.init_sec_context(
            &minor, GSS_C_NO_CREDENTIAL, &context, name, mechanism, GSS_C_MUTUAL_FLAG, 0, GSS_C_NO_CHANNEL_BINDINGS,
            GSS_C_NO_BUFFER, NULL, token, NULL, NULL);
        if (context != GSS_C_NO_CONTEXT) table.delete_sec_context(&ignored, &context, GSS_C_NO_BUFFER);
        table.release_name(&ignored, &name);
    }
    if (!GSS_ERROR(major)) return CGSSAPI_VALID;
    explain(major, minor, ticket);
    return state(major, minor);
}

/* Releases a token, having wiped it. */
static void forget(gss_buffer_t token) {
    if (token->length == 0) return;
    OM_uint32 ignored;
    explicit_bzero(token->value, token->length);
    table.release_buffer(&ignored, token);
}

cgssapi_state cgssapi_request(const char *service, cgssapi_ticket *ticket) {
    gss_buffer_desc token = GSS_C_EMPTY_BUFFER;
    cgssapi_state state = begin(service, &kerberos, ticket, &token);
    forget(&token);
    return state;
}

cgssapi_state cgssapi_begin(const char *service, cgssapi_ticket *ticket, void **token, size_t *count) {
    gss_buffer_desc made = GSS_C_EMPTY_BUFFER;
    cgssapi_state state = begin(service, &spnego, ticket, &made);
    if (state == CGSSAPI_VALID) {
        *token = malloc(made.length);
        if (*token == NULL) abort();
        memcpy(*token, made.value, made.length);
        *count = made.length;
    }
    forget(&made);
    return state;
}
