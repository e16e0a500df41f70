#include "CProcess.h"

#include <stdio.h>
#include <sys/xattr.h>

int cprocess_has_access_list(int descriptor) {
    // fgetxattr(2) refuses a descriptor that was opened for its path alone.
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}
