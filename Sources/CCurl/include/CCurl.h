/* libcurl, opened on first use.
 *
 * Nothing links it: a shared library costs at every start of authctl, and most commands never speak to a network. The
 * header of libcurl serves for its constants and types alone; a call to one of its own functions does not link.
 * curl_easy_setopt and curl_easy_getinfo are variadic, which Swift does not see: hence one wrapper for each type.
 *
 * Every function but ccurl_open and ccurl_forget_environment may be called only after ccurl_open has returned NULL.
 */
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stddef.h>

/* Macros with casts, which Swift does not see. */
static const long ccurl_auth_none = (long)CURLAUTH_NONE;
static const long ccurl_auth_basic = (long)CURLAUTH_BASIC;
static const long ccurl_auth_negotiate = (long)CURLAUTH_NEGOTIATE;

/* An enumerator up to curl 8.13, a macro since. */
static const long ccurl_netrc_ignored = (long)CURL_NETRC_IGNORED;

/* Removes from the environment what would change how libcurl and OpenSSL work. */
void ccurl_forget_environment(void);

/* Opens the library of this name, once. Returns NULL, or what went wrong: text that is valid until the next call. */
const char *ccurl_open(const char *library);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *handle);
const char *ccurl_easy_strerror(CURLcode code);

/* Goes on with a transfer whose reading function has returned CURL_READFUNC_PAUSE. */
CURLcode ccurl_easy_resume(CURL *handle);
/* Over a connection that CURLOPT_CONNECT_ONLY has made; without waiting, so that CURLE_AGAIN is no failure. */
CURLcode ccurl_easy_send(CURL *handle, const void *bytes, size_t count, size_t *sent);
CURLcode ccurl_easy_recv(CURL *handle, void *bytes, size_t count, size_t *got);
CURLcode ccurl_getinfo_socket(CURL *handle, curl_socket_t *value);

/* Holds the connections of the transfers that are run on it, one at a time, and keeps the last one for the next: of several libcurl would
 * take the oldest, but the server may have bound a nonce to the last. */
CURLM *ccurl_multi_init(void);
void ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle);
void ccurl_multi_remove_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
/* Waits for something to do, so many milliseconds at most. */
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds);
/* How the transfer of this handle has ended. */
CURLcode ccurl_multi_result(CURLM *multi, CURL *handle);

CURLcode ccurl_setopt_long(CURL *handle, CURLoption option, long value);
CURLcode ccurl_setopt_offset(CURL *handle, CURLoption option, curl_off_t value);
/* libcurl copies the text; NULL takes back what was set. */
CURLcode ccurl_setopt_text(CURL *handle, CURLoption option, const char *text);
/* libcurl keeps the pointer. */
CURLcode ccurl_setopt_pointer(CURL *handle, CURLoption option, const void *pointer);
CURLcode ccurl_setopt_list(CURL *handle, CURLoption option, struct curl_slist *list);
CURLcode ccurl_setopt_write(CURL *handle, CURLoption option, curl_write_callback callback);
CURLcode ccurl_setopt_read(CURL *handle, curl_read_callback callback);
CURLcode ccurl_setopt_seek(CURL *handle, curl_seek_callback callback);
CURLcode ccurl_setopt_prerequest(CURL *handle, curl_prereq_callback callback);
CURLcode ccurl_setopt_opensocket(CURL *handle, curl_opensocket_callback callback);
/* libcurl copies the bytes. */
CURLcode ccurl_setopt_blob(CURL *handle, CURLoption option, const void *bytes, size_t count);
CURLcode ccurl_setopt_ssl_context(CURL *handle, curl_ssl_ctx_callback callback);

CURLcode ccurl_getinfo_long(CURL *handle, CURLINFO info, long *value);
CURLcode ccurl_getinfo_offset(CURL *handle, CURLINFO info, curl_off_t *value);
CURLcode ccurl_getinfo_text(CURL *handle, CURLINFO info, const char **value);
/* What CURLOPT_CERTINFO asked for; it belongs to the handle. */
CURLcode ccurl_getinfo_certificates(CURL *handle, struct curl_certinfo **certificates);

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text);
void ccurl_slist_free_all(struct curl_slist *list);

CURLU *ccurl_url(void);
void ccurl_url_cleanup(CURLU *url);
CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags);
/* The caller gives *text back to ccurl_free. */
CURLUcode ccurl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags);
/* As above for the host as A-label; libcurl reads it in the locale's character set, which is UTF-8 for this call. */
CURLUcode ccurl_url_get_host(CURLU *url, char **text);
const char *ccurl_url_strerror(CURLUcode code);
void ccurl_free(void *pointer);

/* A date as cookies have it, in seconds of Unix time; -1 for what is none. */
time_t ccurl_getdate(const char *text);

/* zlib, which libcurl is linked with. Returns NULL, or what went wrong: text that is valid until the next call. No header of it is
 * needed. */
const char *ccurl_open_zlib(const char *library);
/* Unpacks what zlib's inflateInit2 calls by this window: 47 for gzip and zlib, -15 for neither. Returns how many bytes there are, -1 for
 * what cannot be unpacked or breaks off, -2 for more than the capacity. Without a place it only counts. */
ptrdiff_t ccurl_inflate(const void *bytes, size_t count, void *place, size_t capacity, int window);

#endif
