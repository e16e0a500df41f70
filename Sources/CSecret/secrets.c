#include "service.h"

/* Arbitrary bytes: with text/plain, other programs would take them for a password to show. */
#define CONTENT_TYPE "application/octet-stream"

/* An (oayays), encrypted for the session; floating. libsecret's own copy lies in locked memory and is wiped. */
static GVariant *encoded(csecret_service *service, const void *bytes, size_t count)
{
    const struct csecret_library *lib = service->library;
    SecretValue *value = lib->secret_value_new(bytes, (ptrdiff_t)count, CONTENT_TYPE);
    GVariant *secret = lib->secret_service_encode_dbus_secret(service->session, value);
    lib->secret_value_unref(value);
    return secret;
}

static csecret_outcome not_encrypted(csecret_service *service)
{
    csecret_note(service, "libsecret cannot encrypt for this session");
    return CSECRET_FAILED;
}

csecret_outcome csecret_read(csecret_service *service, const char *item,
                             void (*take)(const void *bytes, size_t count, void *context), void *context)
{
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome;
    const char *session = lib->secret_service_get_session_dbus_path(service->session);
    GVariant *answer = csecret_call(service, item, CSECRET_ITEM, "GetSecret", lib->g_variant_new("(o)", session),
                                    "((oayays))", &outcome);
    if (answer == NULL)
        return outcome;
    GVariant *secret = lib->g_variant_get_child_value(answer, 0);
    SecretValue *value = lib->secret_service_decode_dbus_secret(service->session, secret);
    lib->g_variant_unref(secret);
    lib->g_variant_unref(answer);
    if (value == NULL) {
        csecret_note(service, "the secret was not encrypted for this session");
        return CSECRET_FAILED;
    }
    size_t count = 0;
    const char *bytes = lib->secret_value_get(value, &count);
    take(bytes, count, context);
    lib->secret_value_unref(value);
    return CSECRET_DONE;
}

csecret_outcome csecret_replace(csecret_service *service, const char *item, const void *bytes, size_t count)
{
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome;
    GVariant *secret = encoded(service, bytes, count);
    if (secret == NULL)
        return not_encrypted(service);
    GVariant *answer = csecret_call(service, item, CSECRET_ITEM, "SetSecret",
                                    lib->g_variant_new("(@(oayays))", secret), "()", &outcome);
    if (answer != NULL)
        lib->g_variant_unref(answer);
    return outcome;
}

csecret_outcome csecret_create(csecret_service *service, const char *collection, const char *label,
                               const csecret_attribute *attributes, size_t count, const void *bytes, size_t size,
                               char **prompt)
{
    const struct csecret_library *lib = service->library;
    csecret_outcome outcome;
    *prompt = NULL;
    GVariant *secret = encoded(service, bytes, size);
    if (secret == NULL)
        return not_encrypted(service);
    GVariantBuilder *properties = lib->g_variant_builder_new((const GVariantType *)"a{sv}");
    lib->g_variant_builder_add(properties, "{sv}", CSECRET_ITEM ".Label", lib->g_variant_new("s", label));
    lib->g_variant_builder_add(properties, "{sv}", CSECRET_ITEM ".Attributes",
                               csecret_dictionary(service, attributes, count));
    /* Never 'replace': the service would take any item that has these attributes and more for the old one. */
    GVariant *arguments = lib->g_variant_new("(@a{sv}@(oayays)b)", lib->g_variant_builder_end(properties), secret, 0);
    lib->g_variant_builder_unref(properties);
    GVariant *answer =
        csecret_call(service, collection, CSECRET_COLLECTION, "CreateItem", arguments, "(oo)", &outcome);
    if (answer == NULL)
        return outcome;
    const char *item, *path;
    lib->g_variant_get(answer, "(&o&o)", &item, &path);
    outcome = csecret_prompt_path(path, prompt);
    lib->g_variant_unref(answer);
    return outcome;
}
