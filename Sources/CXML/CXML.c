#define _GNU_SOURCE
#include "CXML.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* HTML_PARSE_RECOVER, _NOERROR, _NOWARNING and _NONET of libxml/HTMLparser.h. */
enum { parse_options = 1 << 0 | 1 << 5 | 1 << 6 | 1 << 11 };
/* XML_PARSE_NOERROR, _NOWARNING and _NONET of libxml/parser.h: no entity is replaced and nothing else is loaded. */
enum { xml_options = 1 << 5 | 1 << 6 | 1 << 11 };
/* XML_READER_TYPE_ELEMENT of libxml/xmlreader.h. */
enum { element = 1 };
/* In milliseconds of processor time. It parses the largest page in 10, but compares each attribute of a tag with all others, so that
 * a page made of one tag would take 20 seconds. */
enum { most_time = 500 };

struct cxml_page {
    void *document;
    void *reader;
};

static struct {
    void *(*read)(int (*)(void *, char *, int), int (*)(void *), void *, const char *, const char *, int);
    void *(*read_xml)(const char *, int, const char *, const char *, int);
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

const char *cxml_open(void)
{
    /* 2.14 has another name, for functions that are not used here. */
    static const char *const names[] = { "libxml2.so.2", "libxml2.so.16" };
    static struct clibrary library = CLIBRARY_CLOSED;
    static const struct clibrary_function functions[] = {
        { "htmlReadIO", &table.read },
        { "xmlReadMemory", &table.read_xml },
        { "xmlFreeDoc", &table.free_document },
        { "xmlReaderWalker", &table.walker },
        { "xmlFreeTextReader", &table.free_reader },
        { "xmlTextReaderRead", &table.next },
        { "xmlTextReaderNodeType", &table.type },
        { "xmlTextReaderDepth", &table.depth },
        { "xmlTextReaderConstName", &table.name },
        { "xmlTextReaderGetAttribute", &table.attribute },
        { "xmlNodeGetContent", &table.text },
        { "xmlTextReaderCurrentNode", &table.node },
        { "xmlSetStructuredErrorFunc", &table.on_error },
        { "xmlFree", &table.free },
    };
    return clibrary_open_any(
        &library, names, sizeof names / sizeof *names, RTLD_NOW, functions, sizeof functions / sizeof *functions);
}

static cxml_page *walked(void *document)
{
    if (document == NULL)
        return NULL;
    cxml_page *page = calloc(1, sizeof *page);
    if (page == NULL) {
        table.free_document(document);
        return NULL;
    }
    page->document = document;
    page->reader = table.walker(document);
    if (page->reader != NULL)
        return page;
    cxml_free(page);
    return NULL;
}

static long long processor_time(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return LLONG_MAX;
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

struct source {
    const char *bytes;
    size_t left;
    long long end;
    int is_late;
};

/* Hands the parser the next bytes, also in the middle of a tag; none once it is late. */
static int more(void *context, char *place, int room)
{
    struct source *source = context;
    source->is_late = source->is_late || processor_time() > source->end;
    size_t count = source->left < (size_t)room ? source->left : (size_t)room;
    if (source->is_late || count == 0)
        return 0;
    memcpy(place, source->bytes, count);
    source->bytes += count;
    source->left -= count;
    return (int)count;
}

cxml_page *cxml_read(const void *bytes, size_t count, const char *encoding)
{
    if (count == 0)
        return NULL;
    /* Kept for each thread. */
    table.on_error(NULL, ignore);
    struct source source = { bytes, count, processor_time() + most_time, 0 };
    void *document = table.read(more, NULL, &source, NULL, encoding, parse_options);
    if (!source.is_late || document == NULL)
        return walked(document);
    table.free_document(document);
    return NULL;
}

cxml_page *cxml_read_xml(const void *bytes, size_t count)
{
    if (count == 0 || count > INT_MAX)
        return NULL;
    table.on_error(NULL, ignore);
    return walked(table.read_xml(bytes, (int)count, NULL, "utf-8", xml_options));
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
