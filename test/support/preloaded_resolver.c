/* Put in front of the system's resolver by LD_PRELOAD: names that end in ".slow" are looked up for as long as the file
 * TRUNKLINE_RESOLVER_RELEASE is not there, and are 127.0.0.1 then. Everything else is the system's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int resolver(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static int is_slow(const char *name) {
    size_t length = name ? strlen(name) : 0;
    return length > 5 && strcmp(name + length - 5, ".slow") == 0;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    resolver *system_resolver = (resolver *)dlsym(RTLD_NEXT, "getaddrinfo");
    const struct timespec moment = {0, 1000000};

    if (!is_slow(name)) return system_resolver(name, service, hints, found);
    if (hints && (hints->ai_flags & AI_NUMERICHOST)) return EAI_NONAME;
    while (access(getenv("TRUNKLINE_RESOLVER_RELEASE"), F_OK) != 0) nanosleep(&moment, NULL);
    return system_resolver("127.0.0.1", service, hints, found);
}
