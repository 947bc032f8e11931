/* Bytes that malloc has given out in this process, what it holds back for later left out. */
#include <malloc.h>
#include <stddef.h>

size_t malloc_in_use(void);

size_t malloc_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
