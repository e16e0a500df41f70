/* What libcurl has no option for, on the TLS context that it hands out (CURLOPT_SSL_CTX_FUNCTION). Needs libssl too. */
#ifndef CCRYPTO_TLS_H
#define CCRYPTO_TLS_H

/* Opens both libraries. Returns NULL, or what went wrong. */
const char *ccrypto_tls_open(void);

/* Has the certificate name this address as such: libcurl alone would take an address that stands in the common name
 * (RFC 9525, section 6.3 knows no such thing). Returns 0 where it cannot. */
int ccrypto_tls_require_address(void *context, const char *address);

/* Notes in *asked when a server asks for a client certificate, with whatever answer. It must live as long as the context's
 * connections. */
void ccrypto_tls_watch(void *context, int *asked);

/* Notes in *ended when a server says that it sends no more (close_notify). Without it an answer that only the end of the
 * connection ends can be cut anywhere (RFC 9112, section 9.8), and libcurl takes the one for the other. Lives as above. */
void ccrypto_tls_watch_end(void *context, int *ended);

#endif
