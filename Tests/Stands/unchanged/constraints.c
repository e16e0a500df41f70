/* The authority of a run as authctl makes it, and what authctl never signs: constraints FOLDER HOST OTHER writes root.pem, and a
 * certificate with its key for each of the two hosts. */
#include "../../../Sources/CCrypto/authority.c"

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.pem", folder, name);
    FILE *file = fopen(path, "a");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        perror(path);
}

int main(int count, char **words)
{
    static char text[4096];
    if (count != 4 || open_libcrypto() != NULL)
        return 2;
    EVP_PKEY *signer = make_key(), *key = make_key();
    X509 *root = make_root(signer, words[2]);
    if (!write_certificate(root, text, sizeof text))
        return 1;
    write_file(words[1], "root", text);
    for (int i = 2; i < 4; i++) {
        X509 *leaf = make_leaf(key, words[i], root, signer);
        if (leaf == NULL || !write_certificate(leaf, text, sizeof text))
            return 1;
        write_file(words[1], words[i], text);
        if (!write_key(key, text, sizeof text))
            return 1;
        write_file(words[1], words[i], text);
    }
    return 0;
}
