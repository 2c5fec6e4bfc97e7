/* An LD_PRELOAD library that notes each change of the files under a folder, and ends the process,
 * signals it or fails the call at a chosen one. Compiled by the tests. It does nothing until a process
 * has called `mqt_begin`, as those that `forks.py` makes do.
 *
 * A record of the trace: 1 byte, which call; inode, offset or size (8 bytes each); lengths of path
 * and data (4 bytes each); path; data. Little-endian, as the machine is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, MKDIR, WRITE, TRUNCATE, RENAME, LINK, UNLINK, SYNC };

static char folder[PATH_MAX];
static size_t folder_length;
static int trace = -1;
static long signal_at, fail_at, calls;
static int signal_with, fail_with;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* From now on this process is watched.
 *
 *     path         the folder; absolute, without a slash at its end
 *     trace_path   file outside of it that calls are written to; "" for none
 *     at, with     number of the call, from 1, before which the process gets that signal; 0 for none
 *     failing, error   number of the call that fails, and with which errno; 0 for none
 */
void mqt_begin(const char *path, const char *trace_path, long at, int with, long failing, int error)
{
    snprintf(folder, sizeof folder, "%s", path);
    folder_length = strlen(folder);
    signal_at = at;
    signal_with = with;
    fail_at = failing;
    fail_with = error;
    calls = 0;
    if (*trace_path)
        trace = (int)syscall(SYS_openat, AT_FDCWD, trace_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Whether a path is the folder or in it. */
static int is_ours(const char *path)
{
    return folder_length && !strncmp(path, folder, folder_length)
        && (path[folder_length] == '/' || !path[folder_length]);
}

/* The absolute path; "" where there is none. */
static const char *full(int at, const char *path, char *buffer)
{
    char link[64], start[PATH_MAX];
    ssize_t length;
    if (path[0] == '/')
        return path;
    if (at == AT_FDCWD) {
        if (!getcwd(start, sizeof start))
            return "";
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        length = readlink(link, start, sizeof start - 1);
        if (length < 0)
            return "";
        start[length] = 0;
    }
    if ((size_t)snprintf(buffer, PATH_MAX, "%s/%s", start, path) >= PATH_MAX)
        return "";
    return buffer;
}

/* Whether a descriptor is of a file of ours; its inode, and its path as it is now. */
static int ours(int descriptor, uint64_t *inode, char *path)
{
    char link[64];
    struct stat status;
    ssize_t length;
    int saved = errno, is;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    is = is_ours(path) && !fstat(descriptor, &status);
    if (is)
        *inode = status.st_ino;
    errno = saved;
    return is;
}

static uint64_t inode_of(int at, const char *path)
{
    struct stat status;
    return fstatat(at, path, &status, AT_SYMLINK_NOFOLLOW) ? 0 : status.st_ino;
}

static void put(const void *data, size_t length)
{
    const char *rest = data;
    while (length && trace >= 0) {
        long written = syscall(SYS_write, trace, rest, length);
        if (written <= 0)
            abort();
        rest += written;
        length -= (size_t)written;
    }
}

static void note(int call, uint64_t inode, int64_t at, const char *path, const void *data, size_t length)
{
    unsigned char head[25];
    uint32_t lengths[2] = {(uint32_t)strlen(path), (uint32_t)length};
    int saved = errno;
    head[0] = (unsigned char)call;
    memcpy(head + 1, &inode, 8);
    memcpy(head + 9, &at, 8);
    memcpy(head + 17, lengths, 8);
    put(head, sizeof head);
    put(path, lengths[0]);
    put(data, length);
    errno = saved;
}

/* Before a call; 1 where it is to fail. The lock is held until `after`. */
static int before(void)
{
    pthread_mutex_lock(&one_at_a_time);
    calls++;
    if (calls == signal_at)
        kill(getpid(), signal_with);
    if (calls != fail_at)
        return 0;
    pthread_mutex_unlock(&one_at_a_time);
    errno = fail_with;
    return 1;
}

static void after(void)
{
    pthread_mutex_unlock(&one_at_a_time);
}


/* -- files ------------------------------------------------------------------------------------ */

static int opened(int at, const char *path, int flags, mode_t mode)
{
    char buffer[PATH_MAX];
    const char *whole = full(at, path, buffer);
    struct stat status;
    int descriptor, was_there;
    if (!is_ours(whole) || !(flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE)
        return (int)syscall(SYS_openat, at, path, flags, mode);
    was_there = !stat(whole, &status);
    if (before())
        return -1;
    descriptor = (int)syscall(SYS_openat, at, path, flags, mode);
    if (descriptor >= 0) {
        if (!was_there)
            note(CREATE, inode_of(at, path), 0, whole, "", 0);
        else if (flags & O_TRUNC && status.st_size)
            note(TRUNCATE, status.st_ino, 0, whole, "", 0);
    }
    after();
    return descriptor;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = (mode_t)va_arg(rest, int); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return opened(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) return opened(at, path, flags, mode); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

/* WRITTEN: at what offset, from the call or from where the file stands after it. */
#define WRITTEN(call, offset) \
    uint64_t inode; \
    char path[PATH_MAX]; \
    ssize_t length; \
    if (!ours(descriptor, &inode, path)) \
        return call; \
    if (before()) \
        return -1; \
    length = call; \
    if (length > 0) \
        note(WRITE, inode, offset, path, data, (size_t)length); \
    after(); \
    return length;

ssize_t write(int descriptor, const void *data, size_t size)
{
    WRITTEN(syscall(SYS_write, descriptor, data, size), lseek(descriptor, 0, SEEK_CUR) - length)
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at)
{
    WRITTEN(syscall(SYS_pwrite64, descriptor, data, size, at), at)
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t at)
{
    return pwrite(descriptor, data, size, at);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    ssize_t sum = 0, length;
    for (int at = 0; at < count; at++) {
        length = write(descriptor, parts[at].iov_base, parts[at].iov_len);
        if (length < 0)
            return sum ? sum : length;
        sum += length;
        if ((size_t)length < parts[at].iov_len)
            break;
    }
    return sum;
}

int ftruncate(int descriptor, off_t size)
{
    uint64_t inode;
    char path[PATH_MAX];
    int code;
    if (!ours(descriptor, &inode, path))
        return (int)syscall(SYS_ftruncate, descriptor, size);
    if (before())
        return -1;
    code = (int)syscall(SYS_ftruncate, descriptor, size);
    if (!code)
        note(TRUNCATE, inode, size, path, "", 0);
    after();
    return code;
}

int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

static int synced(int descriptor, long call)
{
    uint64_t inode;
    char path[PATH_MAX];
    int code;
    if (!ours(descriptor, &inode, path))
        return (int)syscall(call, descriptor);
    if (before())
        return -1;
    code = (int)syscall(call, descriptor);
    if (!code)
        note(SYNC, inode, 0, path, "", 0);
    after();
    return code;
}

int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

/* -- names ------------------------------------------------------------------------------------ */

/* NAMED: a call with one path. */
#define NAMED(kind, at, call) \
    char buffer[PATH_MAX]; \
    const char *whole = full(at, path, buffer); \
    int code; \
    if (!is_ours(whole)) \
        return (int)(call); \
    if (before()) \
        return -1; \
    code = (int)(call); \
    if (!code) \
        note(kind, kind == MKDIR ? inode_of(at, path) : 0, 0, whole, "", 0); \
    after(); \
    return code;

int mkdir(const char *path, mode_t mode) { NAMED(MKDIR, AT_FDCWD, syscall(SYS_mkdirat, AT_FDCWD, path, mode)) }
int mkdirat(int at, const char *path, mode_t mode) { NAMED(MKDIR, at, syscall(SYS_mkdirat, at, path, mode)) }
int unlink(const char *path) { NAMED(UNLINK, AT_FDCWD, syscall(SYS_unlinkat, AT_FDCWD, path, 0)) }
int unlinkat(int at, const char *path, int flags) { NAMED(UNLINK, at, syscall(SYS_unlinkat, at, path, flags)) }
int rmdir(const char *path) { NAMED(UNLINK, AT_FDCWD, syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR)) }

/* TWICE: a call with two paths; the second stands where others have their data. */
#define TWICE(kind, call) \
    char buffer[PATH_MAX], other[PATH_MAX]; \
    const char *whole = full(from_at, from, buffer), *target = full(to_at, to, other); \
    int code; \
    if (!is_ours(whole) && !is_ours(target)) \
        return (int)(call); \
    if (before()) \
        return -1; \
    code = (int)(call); \
    if (!code) \
        note(kind, 0, 0, whole, target, strlen(target)); \
    after(); \
    return code;

int renameat(int from_at, const char *from, int to_at, const char *to)
{
    TWICE(RENAME, syscall(SYS_renameat2, from_at, from, to_at, to, 0))
}

int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
    TWICE(LINK, syscall(SYS_linkat, from_at, from, to_at, to, flags))
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
