#include "libssl.h"

#include <dlfcn.h>
#include <stddef.h>

libssl_t libssl;

/* dlsym with a library's handle searches that library and those that it was linked with, and nowhere else: another libssl in the process, of a
 * database driver or preloaded, is not found. The handle is kept, and with it the library. */
const char *libssl_find(const char *extension) {
    void *handle = dlopen(extension, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) return "the library itself";
    libssl_t found;
#define LIBSSL_FIND(result, name, arguments) \
    if (!(found.name = (result (*) arguments)dlsym(handle, #name))) return #name;
    LIBSSL_FUNCTIONS(LIBSSL_FIND)
#undef LIBSSL_FIND
    libssl = found;
    return NULL;
}
