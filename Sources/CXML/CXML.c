#define _GNU_SOURCE
#include "CXML.h"

#include <CLibrary.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* HTML_PARSE_RECOVER, _NOERROR, _NOWARNING and _NONET of libxml/HTMLparser.h. */
enum { parse_options = 1 << 0 | 1 << 5 | 1 << 6 | 1 << 11 };
/* XML_PARSE_NOERROR, _NOWARNING and _NONET of libxml/parser.h: no entity is replaced and nothing else is loaded. */
enum { xml_options = 1 << 5 | 1 << 6 | 1 << 11 };
/* XML_READER_TYPE_ELEMENT of libxml/xmlreader.h. */
enum { element = 1 };

struct cxml_page {
    void *document;
    void *reader;
};

static struct {
    void *(*read)(const char *, int, const char *, const char *, int);
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
        { "htmlReadMemory", &table.read },
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

cxml_page *cxml_read(const void *bytes, size_t count, const char *encoding)
{
    if (count == 0 || count > INT_MAX)
        return NULL;
    /* Kept for each thread. */
    table.on_error(NULL, ignore);
    return walked(table.read(bytes, (int)count, NULL, encoding, parse_options));
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
