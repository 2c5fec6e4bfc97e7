#include <stddef.h>
#include <stdint.h>
#ifndef MQENTRY
#define MQENTRY
#endif
#define MQPOINTER *
typedef int32_t MQLONG;
typedef uint32_t MQULONG;
typedef int64_t MQINT64;
typedef uint64_t MQUINT64;
typedef int8_t MQINT8;
typedef uint8_t MQUINT8;
typedef int16_t MQINT16;
typedef uint16_t MQUINT16;
typedef int32_t MQINT32;
typedef uint32_t MQUINT32;
typedef float MQFLOAT32;
typedef double MQFLOAT64;
typedef char MQCHAR;
typedef unsigned char MQBYTE;
typedef MQLONG MQBOOL;
typedef void MQVOID;
typedef void *MQPTR;
typedef MQLONG MQHCONN;
typedef MQLONG MQHOBJ;
typedef MQINT64 MQHMSG;
typedef MQLONG MQPID;
typedef MQLONG MQTID;
typedef MQLONG MQHCONFIG_INT;
typedef MQLONG *PMQLONG;
typedef MQULONG *PMQULONG;
typedef MQINT64 *PMQINT64;
typedef MQPTR *PMQPTR;
typedef MQINT8 *PMQINT8;
typedef MQINT16 *PMQINT16;
typedef MQINT32 *PMQINT32;
typedef MQFLOAT32 *PMQFLOAT32;
typedef MQFLOAT64 *PMQFLOAT64;
typedef MQBOOL *PMQBOOL;
typedef MQCHAR *PMQCHAR;
typedef MQBYTE *PMQBYTE;
typedef void *PMQVOID;
typedef void **PPMQVOID;
typedef MQHCONN *PMQHCONN;
typedef MQHOBJ *PMQHOBJ;
typedef MQHMSG *PMQHMSG;
typedef void (MQENTRY MQFUNC)(void);
typedef MQFUNC *PMQFUNC;
