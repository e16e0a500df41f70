#define _GNU_SOURCE
#include "CCurl.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions that are needed, by the names of libcurl without the prefix. */
#define FUNCTIONS(F)                                                                                       \
    F(global_init_mem) F(easy_init) F(easy_cleanup) F(easy_setopt) F(easy_getinfo) F(easy_strerror)        \
    F(easy_send) F(easy_recv) F(easy_pause)                                                                \
    F(multi_init) F(multi_setopt) F(multi_cleanup) F(multi_add_handle) F(multi_remove_handle)              \
    F(multi_perform) F(multi_poll) F(multi_info_read) F(slist_append) F(slist_free_all) F(url)             \
    F(url_cleanup) F(url_set) F(url_get) F(url_strerror) F(free) F(getdate)

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#define MEMBER(name) __typeof__(curl_##name) *name;
static struct { FUNCTIONS(MEMBER) } table;

void ccurl_forget_environment(void)
{
    static const char *const names[] = {
        "SSLKEYLOGFILE", "CURL_SSL_BACKEND", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "OPENSSL_CONF",
        "OPENSSL_MODULES", "OPENSSL_ENGINES", "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy",
        "ALL_PROXY", "no_proxy", "NO_PROXY",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* libcurl leaves the Basic header twice in freed memory, so whatever it frees is zeroed first. */
static void wiping_free(void *pointer)
{
    if (pointer == NULL)
        return;
    explicit_bzero(pointer, malloc_usable_size(pointer));
    free(pointer);
}

static void *wiping_realloc(void *pointer, size_t size)
{
    if (pointer == NULL)
        return malloc(size);
    void *next = malloc(size);
    if (next == NULL)
        return NULL;
    size_t old = malloc_usable_size(pointer);
    memcpy(next, pointer, old < size ? old : size);
    wiping_free(pointer);
    return next;
}

static const char *load(const char *library)
{
#define FUNCTION(name) { "curl_" #name, &table.name },
    static const struct clibrary_function functions[] = { FUNCTIONS(FUNCTION) };
    const char *problem = clibrary_find(library, RTLD_LAZY, functions, sizeof functions / sizeof *functions);
    if (problem != NULL)
        return problem;
    CURLcode code = table.global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wiping_free, wiping_realloc, strdup, calloc);
    return code == CURLE_OK ? NULL : table.easy_strerror(code);
}

const char *ccurl_open(const char *library)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool opened = false;

    pthread_mutex_lock(&lock);
    const char *problem = NULL;
    if (!opened) {
        ccurl_forget_environment();
        problem = load(library);
        opened = problem == NULL;
    }
    pthread_mutex_unlock(&lock);
    return problem;
}

CURL *ccurl_easy_init(void) { return table.easy_init(); }
void ccurl_easy_cleanup(CURL *handle) { table.easy_cleanup(handle); }
CURLcode ccurl_easy_send(CURL *handle, const void *bytes, size_t count, size_t *sent)
{
    return table.easy_send(handle, bytes, count, sent);
}

CURLcode ccurl_easy_recv(CURL *handle, void *bytes, size_t count, size_t *got)
{
    return table.easy_recv(handle, bytes, count, got);
}

CURLcode ccurl_easy_resume(CURL *handle) { return table.easy_pause(handle, CURLPAUSE_CONT); }

const char *ccurl_easy_strerror(CURLcode code) { return table.easy_strerror(code); }

CURLM *ccurl_multi_init(void)
{
    CURLM *multi = table.multi_init();
    if (multi != NULL)
        table.multi_setopt(multi, CURLMOPT_MAXCONNECTS, 1L);
    return multi;
}

void ccurl_multi_cleanup(CURLM *multi) { table.multi_cleanup(multi); }
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle) { return table.multi_add_handle(multi, handle); }
void ccurl_multi_remove_handle(CURLM *multi, CURL *handle) { table.multi_remove_handle(multi, handle); }
CURLMcode ccurl_multi_perform(CURLM *multi, int *running) { return table.multi_perform(multi, running); }

CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds)
{
    return table.multi_poll(multi, NULL, 0, milliseconds, NULL);
}

CURLcode ccurl_multi_result(CURLM *multi, CURL *handle)
{
    int left = 0;
    for (CURLMsg *message; (message = table.multi_info_read(multi, &left)) != NULL;)
        if (message->msg == CURLMSG_DONE && message->easy_handle == handle)
            return message->data.result;
    return CURLE_BAD_FUNCTION_ARGUMENT;
}

CURLcode ccurl_setopt_long(CURL *handle, CURLoption option, long value)
{
    return table.easy_setopt(handle, option, value);
}

CURLcode ccurl_setopt_offset(CURL *handle, CURLoption option, curl_off_t value)
{
    return table.easy_setopt(handle, option, value);
}

CURLcode ccurl_setopt_text(CURL *handle, CURLoption option, const char *text)
{
    return table.easy_setopt(handle, option, text);
}

CURLcode ccurl_setopt_pointer(CURL *handle, CURLoption option, const void *pointer)
{
    return table.easy_setopt(handle, option, pointer);
}

CURLcode ccurl_setopt_list(CURL *handle, CURLoption option, struct curl_slist *list)
{
    return table.easy_setopt(handle, option, list);
}

CURLcode ccurl_setopt_write(CURL *handle, CURLoption option, curl_write_callback callback)
{
    return table.easy_setopt(handle, option, callback);
}

CURLcode ccurl_setopt_read(CURL *handle, curl_read_callback callback)
{
    return table.easy_setopt(handle, CURLOPT_READFUNCTION, callback);
}

CURLcode ccurl_setopt_seek(CURL *handle, curl_seek_callback callback)
{
    return table.easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}

CURLcode ccurl_setopt_prerequest(CURL *handle, curl_prereq_callback callback)
{
    return table.easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}

CURLcode ccurl_setopt_opensocket(CURL *handle, curl_opensocket_callback callback)
{
    return table.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

CURLcode ccurl_setopt_blob(CURL *handle, CURLoption option, const void *bytes, size_t count)
{
    struct curl_blob blob = { (void *)bytes, count, CURL_BLOB_COPY };
    return table.easy_setopt(handle, option, &blob);
}

CURLcode ccurl_setopt_ssl_context(CURL *handle, curl_ssl_ctx_callback callback)
{
    return table.easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
}

CURLcode ccurl_getinfo_long(CURL *handle, CURLINFO info, long *value)
{
    return table.easy_getinfo(handle, info, value);
}

CURLcode ccurl_getinfo_offset(CURL *handle, CURLINFO info, curl_off_t *value)
{
    return table.easy_getinfo(handle, info, value);
}

CURLcode ccurl_getinfo_socket(CURL *handle, curl_socket_t *value)
{
    return table.easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}

CURLcode ccurl_getinfo_text(CURL *handle, CURLINFO info, const char **value)
{
    return table.easy_getinfo(handle, info, value);
}

CURLcode ccurl_getinfo_certificates(CURL *handle, struct curl_certinfo **certificates)
{
    return table.easy_getinfo(handle, CURLINFO_CERTINFO, certificates);
}

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text)
{
    return table.slist_append(list, text);
}

void ccurl_slist_free_all(struct curl_slist *list) { table.slist_free_all(list); }

CURLU *ccurl_url(void) { return table.url(); }
void ccurl_url_cleanup(CURLU *url) { table.url_cleanup(url); }

CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags)
{
    return table.url_set(url, part, text, flags);
}

CURLUcode ccurl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags)
{
    return table.url_get(url, part, text, flags);
}

static int is_ascii(const char *text)
{
    while (*text != 0 && (unsigned char)*text < 0x80)
        text++;
    return *text == 0;
}

CURLUcode ccurl_url_get_host(CURLU *url, char **text)
{
    CURLUcode plain = table.url_get(url, CURLUPART_HOST, text, 0);
    /* A locale is a file to be read, and is of use for other names alone. */
    if (plain != CURLUE_OK || is_ascii(*text))
        return plain;
    table.free(*text);
    /* CURLU_PUNYCODE came with 7.88; an older library ignores the bit, and the caller refuses what is not ASCII. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 == (locale_t)0 ? (locale_t)0 : uselocale(utf8);
    CURLUcode code = table.url_get(url, CURLUPART_HOST, text, CURLU_PUNYCODE);
    if (utf8 != (locale_t)0) {
        uselocale(before);
        freelocale(utf8);
    }
    return code;
}

const char *ccurl_url_strerror(CURLUcode code) { return table.url_strerror(code); }
time_t ccurl_getdate(const char *text) { return table.getdate(text, NULL); }
void ccurl_free(void *pointer) { table.free(pointer); }
