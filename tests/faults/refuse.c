/*
 * Preloaded, it lets the system refuse what is done to files below a folder:
 *     REFUSE_BELOW    the folder
 *     REFUSE_CALLS    "write", "lock" or "open"
 *     REFUSE_ERRNO    the number of the error
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refused_at(const char *path, const char *calls)
{
    const char *below = getenv("REFUSE_BELOW"), *asked = getenv("REFUSE_CALLS");
    if (!below || !asked || strcmp(asked, calls) || strncmp(path, below, strlen(below)))
        return 0;
    errno = atoi(getenv("REFUSE_ERRNO"));
    return 1;
}

static int refused(int descriptor, const char *calls)
{
    char link[64], path[4096];
    ssize_t size;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (size < 0)
        return 0;
    path[size] = 0;
    return refused_at(path, calls);
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    return refused(descriptor, "write") ? -1 : syscall(SYS_write, descriptor, data, size);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t at)
{
    return refused(descriptor, "write") ? -1 : syscall(SYS_pwrite64, descriptor, data, size, at);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at)
{
    return pwrite64(descriptor, data, size, at);
}

int fcntl64(int descriptor, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *value = va_arg(more, void *);
    va_end(more);
    if ((command == F_SETLK || command == F_SETLKW) && refused(descriptor, "lock"))
        return -1;
    return syscall(SYS_fcntl, descriptor, command, value);
}

int fcntl(int descriptor, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *value = va_arg(more, void *);
    va_end(more);
    return fcntl64(descriptor, command, value);
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    return refused_at(path, "open") ? -1 : syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    return open64(path, flags, mode);
}
