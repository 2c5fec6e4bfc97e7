/* cmqbc.h: not IBM's: an interface-compatible test double made by mqtriage.

   The administration interface (MQAI), as far as programs must compile.

   Its bags are not emulated: every call ends with MQRC_FUNCTION_NOT_SUPPORTED (2298). The extension
   of pymqi includes this header and calls these functions, but nothing of pymqi's own Python does:
   its PCFExecute puts the command message itself, as programs of today do. */
#include <cmqcfc.h>

typedef MQLONG MQHBAG;
typedef MQHBAG *PMQHBAG;
#define MQHB_UNUSABLE_HBAG (-1)
#define MQHB_NONE (-2)
#define MQCBO_ADMIN_BAG 1
#define MQSEL_ANY_USER_SELECTOR (-30002)
#define MQSEL_ALL_USER_SELECTORS (-30002)
#define MQIND_NONE (-1)
#define MQBL_NULL_TERMINATED (-1)
#define MQIT_INTEGER 1
#define MQIT_STRING 2
#define MQIT_BAG 3
#define MQITEM_INTEGER 1
#define MQITEM_STRING 2
#define MQITEM_BAG 3
#define MQITEM_BYTE_STRING 4
#define MQHA_BAG_HANDLE 4001
#define MQIASY_COMP_CODE (-6)
#define MQIASY_REASON (-7)

#define MQ_NOT_EMULATED(call, ...) \
    __attribute__((unused)) static void call(__VA_ARGS__, PMQLONG pCompCode, PMQLONG pReason) \
    { *pCompCode = MQCC_FAILED; *pReason = MQRC_FUNCTION_NOT_SUPPORTED; }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
MQ_NOT_EMULATED(mqCreateBag, MQLONG options, PMQHBAG bag)
MQ_NOT_EMULATED(mqDeleteBag, PMQHBAG bag)
MQ_NOT_EMULATED(mqCountItems, MQHBAG bag, MQLONG selector, PMQLONG count)
MQ_NOT_EMULATED(mqAddByteString, MQHBAG bag, MQLONG selector, MQLONG length, PMQBYTE value)
MQ_NOT_EMULATED(mqAddInquiry, MQHBAG bag, MQLONG selector)
MQ_NOT_EMULATED(mqAddInteger, MQHBAG bag, MQLONG selector, MQLONG value)
MQ_NOT_EMULATED(mqAddIntegerFilter, MQHBAG bag, MQLONG selector, MQLONG value, MQLONG operation)
MQ_NOT_EMULATED(mqAddString, MQHBAG bag, MQLONG selector, MQLONG length, PMQCHAR value)
MQ_NOT_EMULATED(mqAddStringFilter, MQHBAG bag, MQLONG selector, MQLONG length, PMQCHAR value,
                MQLONG operation)
MQ_NOT_EMULATED(mqInquireBag, MQHBAG bag, MQLONG selector, MQLONG index, PMQHBAG value)
MQ_NOT_EMULATED(mqInquireByteString, MQHBAG bag, MQLONG selector, MQLONG index, MQLONG room,
                PMQBYTE value, PMQLONG length)
MQ_NOT_EMULATED(mqInquireInteger, MQHBAG bag, MQLONG selector, MQLONG index, PMQLONG value)
MQ_NOT_EMULATED(mqInquireItemInfo, MQHBAG bag, MQLONG selector, MQLONG index,
                PMQLONG outSelector, PMQLONG type)
MQ_NOT_EMULATED(mqInquireString, MQHBAG bag, MQLONG selector, MQLONG index, MQLONG room,
                PMQCHAR value, PMQLONG length, PMQLONG ccsid)
MQ_NOT_EMULATED(mqExecute, MQHCONN connection, MQLONG command, MQHBAG options, MQHBAG request,
                MQHBAG response, MQHOBJ toQueue, MQHOBJ replyQueue)
#pragma GCC diagnostic pop
