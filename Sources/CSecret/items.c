#define _GNU_SOURCE
#include "service.h"

#include <stdlib.h>
#include <string.h>

/* Object paths hold no blank, so one separates them. */
static char *joined(csecret_service *service, GVariantIter *paths)
{
    const struct csecret_library *lib = service->library;
    char *text = csecret_copy("");
    const char *path;
    while (lib->g_variant_iter_next(paths, "&o", &path)) {
        size_t had = strlen(text), more = strlen(path);
        char *longer = malloc(had + more + 2);
        if (longer == NULL)
            abort();
        memcpy(longer, text, had);
        if (had > 0)
            longer[had++] = ' ';
        memcpy(longer + had, path, more + 1);
        free(text);
        text = longer;
    }
    lib->g_variant_iter_free(paths);
    return text;
}

csecret_outcome csecret_search(csecret_service *service, const csecret_attribute *attributes, size_t count,
                               char **unlocked, char **locked)
{
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome;
    GVariant *arguments = lib->g_variant_new("(@a{ss})", csecret_dictionary(service, attributes, count));
    GVariant *answer =
        csecret_call(service, CSECRET_PATH, CSECRET_SERVICE, "SearchItems", arguments, "(aoao)", &outcome);
    if (answer == NULL)
        return outcome;
    GVariantIter *open_items, *locked_items;
    lib->g_variant_get(answer, "(aoao)", &open_items, &locked_items);
    *unlocked = joined(service, open_items);
    *locked = joined(service, locked_items);
    lib->g_variant_unref(answer);
    return CSECRET_DONE;
}

csecret_outcome csecret_collection(csecret_service *service, const char *alias, char **path)
{
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome;
    GVariant *answer = csecret_call(service, CSECRET_PATH, CSECRET_SERVICE, "ReadAlias",
                                    lib->g_variant_new("(s)", alias), "(o)", &outcome);
    if (answer == NULL)
        return outcome;
    const char *found;
    lib->g_variant_get(answer, "(&o)", &found);
    if (strcmp(found, "/") == 0)
        outcome = CSECRET_NOTHING;
    else
        *path = csecret_copy(found);
    lib->g_variant_unref(answer);
    return outcome;
}

/* The value itself, without the variant round it. */
static GVariant *property(csecret_service *service, const char *object, const char *interface, const char *name,
                          const char *type, csecret_outcome *outcome)
{
    const struct csecret_library *lib = service->library;
    GVariant *answer = csecret_call(service, object, "org.freedesktop.DBus.Properties", "Get",
                                    lib->g_variant_new("(ss)", interface, name), "(v)", outcome);
    if (answer == NULL)
        return NULL;
    GVariant *value;
    lib->g_variant_get(answer, "(v)", &value);
    lib->g_variant_unref(answer);
    if (lib->g_variant_is_of_type(value, (const GVariantType *)type))
        return value;
    lib->g_variant_unref(value);
    csecret_note(service, "a property of another type than the specification says");
    *outcome = CSECRET_FAILED;
    return NULL;
}

csecret_outcome csecret_is_locked(csecret_service *service, const char *collection, bool *locked)
{
    csecret_outcome outcome;
    GVariant *value = property(service, collection, CSECRET_COLLECTION, "Locked", "b", &outcome);
    if (value == NULL)
        return outcome;
    int is_locked;
    service->library->g_variant_get(value, "b", &is_locked);
    service->library->g_variant_unref(value);
    *locked = is_locked != 0;
    return CSECRET_DONE;
}

csecret_outcome csecret_has(csecret_service *service, const char *item, const csecret_attribute *attributes,
                            size_t count, bool *has)
{
    csecret_outcome outcome;
    GVariant *value = property(service, item, CSECRET_ITEM, "Attributes", "a{ss}", &outcome);
    if (value == NULL)
        return outcome;
    *has = true;
    for (size_t i = 0; i < count; i++) {
        const char *text;
        *has = *has && service->library->g_variant_lookup(value, attributes[i].name, "&s", &text)
            && strcmp(text, attributes[i].value) == 0;
    }
    service->library->g_variant_unref(value);
    return CSECRET_DONE;
}

csecret_outcome csecret_delete(csecret_service *service, const char *item, char **prompt)
{
    csecret_outcome outcome;
    *prompt = NULL;
    GVariant *answer = csecret_call(service, item, CSECRET_ITEM, "Delete", NULL, "(o)", &outcome);
    if (answer == NULL)
        return outcome;
    const char *path;
    service->library->g_variant_get(answer, "(&o)", &path);
    outcome = csecret_prompt_path(path, prompt);
    service->library->g_variant_unref(answer);
    return outcome;
}
