/* libxml2's parsers, opened on first use: only a login with a page, or with a place in XML, needs them.
 *
 * Nothing links it and no header of it is needed: the functions below are the few whose prototypes have not changed since
 * libxml2 2.6, declared in CXML.c. A parsed page is walked node by node, in the order of the document.
 */
#ifndef CXML_H
#define CXML_H

#include <stddef.h>

typedef struct cxml_page cxml_page;

/* Opens the library, once. Returns NULL, or what went wrong: text that is valid until this thread's next call. */
const char *cxml_open(void);

/* Parses a page, repairing what is not HTML; asks no network and prints nothing. `encoding` may be NULL. Only after
 * cxml_open has returned NULL. Returns NULL where there is nothing to parse, where it would take too long, or no memory. */
cxml_page *cxml_read(const void *bytes, size_t count, const char *encoding);
/* Parses XML in UTF-8; the same, but NULL for what is not well-formed. */
cxml_page *cxml_read_xml(const void *bytes, size_t count);
void cxml_free(cxml_page *page);

/* Goes on to the next element. Returns its name (of HTML in lower case, of XML with its prefix), valid until the page is freed, and its depth; or NULL at the
 * end. */
const char *cxml_next(cxml_page *page, int *depth);

/* An attribute of the present element in UTF-8, or NULL. The caller hands it to cxml_forget. */
char *cxml_attribute(cxml_page *page, const char *name);
/* The text in the present element, in UTF-8, or NULL. The caller hands it to cxml_forget. */
char *cxml_content(cxml_page *page);
/* The text of the page, without its elements, in UTF-8, or NULL. The caller hands it to cxml_forget. */
char *cxml_text(cxml_page *page);
/* Zeroes and frees any of them. */
void cxml_forget(char *text);

#endif
