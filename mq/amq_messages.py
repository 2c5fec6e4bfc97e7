"""Messages of runmqsc and the control commands: number, severity, text, and what to do.

Source: captured sessions and IBM MQ documentation, "AMQ8xxx: Administration". The texts were seen,
but for 8093 to 8095, 8415, 8691, 8692, 8863 and 8864 and those of processes, namelists, services,
authentication information and channels other than 8014, 8551, 8623, 8626, 8630 and 8878, which are
general knowledge. Real runmqsc ends AMQ8405 with I, whatever its meaning.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Message(NamedTuple):
    """One message: severity letter (I, W, E, S), text after the number, what to do."""

    severity: str
    text: str
    what_to_do: str


MESSAGES: Final[dict[int, Message]] = {
    7024: Message(
        "I",
        "The setmqaut command completed successfully.",
        "The authority was set. DISPLAY ENTAUTH shows what a user may do.",
    ),
    8005: Message("I", "IBM MQ queue manager changed.", "ALTER QMGR worked."),
    8006: Message("I", "IBM MQ queue created.", "DEFINE worked."),
    8007: Message("I", "IBM MQ queue deleted.", "DELETE worked."),
    8008: Message(
        "I",
        "IBM MQ queue changed.",
        "ALTER worked. JMS consumers keep BOTHRESH and BOQNAME that they have read already "
        "until they are started again.",
    ),
    8010: Message("I", "IBM MQ process created.", "DEFINE PROCESS worked."),
    8011: Message("I", "IBM MQ process deleted.", "DELETE PROCESS worked."),
    8012: Message("I", "IBM MQ process changed.", "ALTER PROCESS worked."),
    8014: Message("I", "IBM MQ channel created.", "DEFINE CHANNEL worked."),
    8015: Message("I", "IBM MQ channel deleted.", "DELETE CHANNEL worked."),
    8016: Message("I", "IBM MQ channel changed.", "ALTER CHANNEL worked."),
    8022: Message(
        "I",
        "IBM MQ queue cleared.",
        "CLEAR QLOCAL worked; the messages are gone and nobody was told.",
    ),
    8093: Message("I", "IBM MQ subscription changed.", "ALTER SUB worked."),
    8094: Message("I", "IBM MQ subscription created.", "DEFINE SUB worked."),
    8095: Message("I", "IBM MQ subscription deleted.", "DELETE SUB worked."),
    8096: Message("I", "IBM MQ subscription inquired.", "An answer to DISPLAY SUB."),
    8118: Message(
        "E",
        "IBM MQ queue manager does not exist.",
        "Check the name, case included: dspmq.",
    ),
    8135: Message(
        "E",
        "Not authorized.",
        "The user lacks the authority for the command: DISPLAY AUTHREC; see reason 2035.",
    ),
    8138: Message(
        "E",
        "The IBM MQ queue has an incorrect type.",
        "Use the command for the type that the queue has: 'mqtriage queue show NAME'.",
    ),
    8143: Message(
        "E",
        "IBM MQ queue not empty.",
        "Messages or uncommitted changes are on it: 'mqtriage queue status NAME', 'mqtriage msg "
        "purge NAME'.",
    ),
    8146: Message(
        "E",
        "IBM MQ queue manager not available.",
        "Start it (strmqm) or see why it ends: its error log.",
    ),
    8147: Message(
        "E",
        "IBM MQ object not found.",
        "Look for the name in its exact case: 'mqtriage queue ls'.",
    ),
    8148: Message(
        "E",
        "IBM MQ object in use.",
        "A program or channel holds it: DISPLAY QSTATUS(NAME) TYPE(HANDLE).",
    ),
    8149: Message(
        "S",
        "IBM MQ object damaged.",
        "Recover the object (rcrmqobj), or delete and define it again.",
    ),
    8150: Message("E", "IBM MQ object already exists.", "Use ALTER, or DEFINE with REPLACE."),
    8276: Message("I", "Display Connection details.", "An answer to DISPLAY CONN."),
    8405: Message(
        "I",
        "Syntax error detected at or near end of command segment below.",
        "The next line repeats the command up to the word that is wrong; 'mqtriage lint FILE' "
        "finds it without a queue manager.",
    ),
    8407: Message("I", "Display Process details.", "An answer to DISPLAY PROCESS."),
    8408: Message("I", "Display Queue Manager details.", "An answer to DISPLAY QMGR."),
    8409: Message("I", "Display Queue details.", "An answer to DISPLAY QUEUE."),
    8414: Message("I", "Display Channel details.", "An answer to DISPLAY CHANNEL."),
    8415: Message("I", "Ping IBM MQ Queue Manager command complete.", "PING QMGR worked."),
    8417: Message("I", "Display Channel Status details.", "An answer to DISPLAY CHSTATUS."),
    8420: Message(
        "I",
        "Channel Status not found.",
        "The channel is not running, or has never run.",
    ),
    8425: Message(
        "E",
        "An attribute value is not valid.",
        "Check the range of the attribute, for example 20 to 267386880 for MAXFSIZE.",
    ),
    8426: Message(
        "I",
        "Valid MQSC commands are:",
        "A list of commands: what was typed is none of them.",
    ),
    8427: Message(
        "I",
        "Valid syntax for the MQSC command:",
        "What was typed does not fit the command; the syntax follows.",
    ),
    8450: Message("I", "Display queue status details.", "An answer to DISPLAY QSTATUS."),
    8518: Message(
        "E",
        "LOGGEREV is not allowed with circular logging.",
        "Logger events need linear logging.",
    ),
    8550: Message("I", "Display namelist details.", "An answer to DISPLAY NAMELIST."),
    8551: Message("I", "IBM MQ namelist changed.", "ALTER NAMELIST worked."),
    8552: Message("I", "IBM MQ namelist created.", "DEFINE NAMELIST worked."),
    8553: Message("I", "IBM MQ namelist deleted.", "DELETE NAMELIST worked."),
    8560: Message("I", "IBM MQ security cache refreshed.", "REFRESH SECURITY worked."),
    8563: Message("I", "IBM MQ authentication information created.", "DEFINE AUTHINFO worked."),
    8564: Message("I", "IBM MQ authentication information deleted.", "DELETE AUTHINFO worked."),
    8565: Message(
        "E",
        "Queue Status not found.",
        "Nothing has the queue open, or it does not exist: 'mqtriage queue status NAME'.",
    ),
    8566: Message(
        "I", "Display authentication information details.", "An answer to DISPLAY AUTHINFO."
    ),
    8567: Message("I", "IBM MQ authentication information changed.", "ALTER AUTHINFO worked."),
    8623: Message("I", "IBM MQ listener changed.", "ALTER LISTENER worked."),
    8624: Message("I", "IBM MQ service changed.", "ALTER SERVICE worked."),
    8625: Message("I", "IBM MQ service created.", "DEFINE SERVICE worked."),
    8626: Message("I", "IBM MQ listener created.", "DEFINE LISTENER worked."),
    8627: Message("I", "IBM MQ service deleted.", "DELETE SERVICE worked."),
    8628: Message("I", "IBM MQ listener deleted.", "DELETE LISTENER worked."),
    8629: Message("I", "Display service information details.", "An answer to DISPLAY SERVICE."),
    8630: Message("I", "Display listener information details.", "An answer to DISPLAY LISTENER."),
    8631: Message("I", "Display listener status details.", "An answer to DISPLAY LSSTATUS."),
    8632: Message("I", "Display service status details.", "An answer to DISPLAY SVSTATUS."),
    8633: Message("I", "Display topic details.", "An answer to DISPLAY TOPIC."),
    8690: Message("I", "IBM MQ topic created.", "DEFINE TOPIC worked."),
    8691: Message("I", "IBM MQ topic changed.", "ALTER TOPIC worked."),
    8692: Message("I", "IBM MQ topic deleted.", "DELETE TOPIC worked."),
    8705: Message("I", "Display Queue Manager Status Details.", "An answer to DISPLAY QMSTATUS."),
    8862: Message("I", "IBM MQ authority record set.", "SET AUTHREC worked."),
    8863: Message("I", "IBM MQ authority record deleted.", "DELETE AUTHREC worked."),
    8864: Message("I", "Display authority record details.", "An answer to DISPLAY AUTHREC."),
    8877: Message("I", "IBM MQ channel authentication record set.", "SET CHLAUTH worked."),
    8878: Message(
        "I", "Display channel authentication record details.", "An answer to DISPLAY CHLAUTH."
    ),
}


def message_named(text: str) -> tuple[int, Message] | None:
    """Look up ``AMQ8147E``, ``AMQ8147`` or ``amq8147e``; None when it is no message we know.

    The severity letter may be missing or another one: it differs between releases.
    """
    words = text.strip().upper()
    digits = words.removeprefix("AMQ").rstrip("EISTW")
    if not words.startswith("AMQ") or len(digits) not in (4, 5) or digits.strip("0123456789"):
        return None
    message = MESSAGES.get(int(digits))
    return None if message is None else (int(digits), message)
