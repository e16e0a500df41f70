#define _GNU_SOURCE
#include "CXML.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* HTML_PARSE_RECOVER, _NOERROR, _NOWARNING and _NONET of libxml/HTMLparser.h. */
enum { parse_options = 1 << 0 | 1 << 5 | 1 << 6 | 1 << 11 };
/* XML_READER_TYPE_ELEMENT of libxml/xmlreader.h. */
enum { element = 1 };

struct cxml_page {
    void *document;
    void *reader;
};

static struct {
    void *(*read)(const char *, int, const char *, const char *, int);
    void (*free_document)(void *);
    void *(*walker)(void *);
    void (*free_reader)(void *);
    int (*next)(void *);
    int (*type)(void *);
    int (*depth)(void *);
    const unsigned char *(*name)(void *);
    unsigned char *(*attribute)(void *, const unsigned char *);
    unsigned char *(*text)(void *);
    void *(*node)(void *);
    void (*on_error)(void *, void (*)(void *, void *));
    /* A variable that holds the function. */
    void (**free)(void *);
} table;

/* libxml2 would print some errors to stderr, whatever it is told to. */
static void ignore(void *context, void *error)
{
    (void)context;
    (void)error;
}

/* Through void **, as dlopen(3) shows, since ISO C does not convert an object pointer to a function pointer. */
static bool look_up(void *library, const char *name, void *place)
{
    return (*(void **)place = dlsym(library, name)) != NULL;
}

static const char *load(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return dlerror();
    bool found = look_up(library, "htmlReadMemory", &table.read) && look_up(library, "xmlFreeDoc", &table.free_document)
        && look_up(library, "xmlReaderWalker", &table.walker)
        && look_up(library, "xmlFreeTextReader", &table.free_reader)
        && look_up(library, "xmlTextReaderRead", &table.next)
        && look_up(library, "xmlTextReaderNodeType", &table.type)
        && look_up(library, "xmlTextReaderDepth", &table.depth)
        && look_up(library, "xmlTextReaderConstName", &table.name)
        && look_up(library, "xmlTextReaderGetAttribute", &table.attribute)
        && look_up(library, "xmlNodeGetContent", &table.text)
        && look_up(library, "xmlTextReaderCurrentNode", &table.node)
        && look_up(library, "xmlSetStructuredErrorFunc", &table.on_error) && look_up(library, "xmlFree", &table.free);
    return found ? NULL : dlerror();
}

const char *cxml_open(const char *library)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool opened = false;

    pthread_mutex_lock(&lock);
    const char *problem = opened ? NULL : load(library);
    opened = problem == NULL;
    pthread_mutex_unlock(&lock);
    return problem;
}

cxml_page *cxml_read(const void *bytes, size_t count, const char *encoding)
{
    if (count == 0 || count > INT_MAX)
        return NULL;
    cxml_page *page = calloc(1, sizeof *page);
    if (page == NULL)
        return NULL;
    /* Kept for each thread. */
    table.on_error(NULL, ignore);
    page->document = table.read(bytes, (int)count, NULL, encoding, parse_options);
    if (page->document != NULL)
        page->reader = table.walker(page->document);
    if (page->reader != NULL)
        return page;
    cxml_free(page);
    return NULL;
}

void cxml_free(cxml_page *page)
{
    if (page == NULL)
        return;
    if (page->reader != NULL)
        table.free_reader(page->reader);
    if (page->document != NULL)
        table.free_document(page->document);
    free(page);
}

const char *cxml_next(cxml_page *page, int *depth)
{
    while (table.next(page->reader) == 1) {
        if (table.type(page->reader) != element)
            continue;
        *depth = table.depth(page->reader);
        return (const char *)table.name(page->reader);
    }
    return NULL;
}

char *cxml_attribute(cxml_page *page, const char *name)
{
    return (char *)table.attribute(page->reader, (const unsigned char *)name);
}

char *cxml_content(cxml_page *page)
{
    return (char *)table.text(table.node(page->reader));
}

char *cxml_text(cxml_page *page)
{
    return (char *)table.text(page->document);
}

void cxml_forget(char *text)
{
    if (text == NULL)
        return;
    explicit_bzero(text, strlen(text));
    (*table.free)(text);
}
