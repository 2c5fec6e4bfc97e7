"""What a request to the REST API is made of, what its answer is, and errors in IBM's shape.

Source: IBM MQ documentation, "REST API error handling" and the messages MQWB00xx, MQWB01xx and
MQWB03xx. Identifiers, codes and the beginning of each message are IBM's; the other words are ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, NamedTuple

JSON_TYPE: Final = "application/json;charset=utf-8"
TEXT_TYPE: Final = "text/plain; charset=utf-8"
CSRF_HEADER: Final = "ibm-mq-rest-csrf-token"
ErrorType = Literal["rest", "pcf", "java"]


class Request(NamedTuple):
    """One request.

    Attributes:
        path: its parts, decoded, those before the version left out.
        version: of the API, 1 to 3.
        query: last value of each parameter.
        headers: by names in lower case; several of one name joined by commas.
        is_gone: whether whoever asked has hung up.
    """

    method: str
    version: int
    path: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""
    is_gone: Callable[[], bool] = lambda: False


class Answer(NamedTuple):
    """One answer; Content-Length and what every answer has are added when it is sent."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


class RestError(Exception):
    """A request that is refused, with the answer that says so.

    Args:
        number: of a message in messages.tsv, which takes *inserts*.
        status, explanation, action: where they are not those of the table.
    """

    def __init__(
        self,
        number: str,
        *inserts: object,
        status: int = 0,
        explanation: str = "",
        action: str = "",
        codes: tuple[int, int] = (0, 0),
        error_type: ErrorType = "rest",
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        usual_status, text, usual_explanation, usual_action = _messages()[number]
        text = f"{number}: {text.format(*inserts)}"
        super().__init__(text)
        entry = {
            "action": action or usual_action,
            "completionCode": codes[0],
            "explanation": explanation or usual_explanation,
            "message": text,
            "msgId": number,
            "reasonCode": codes[1],
            "type": error_type,
        }
        self.answer = json_answer({"error": [entry]}, status or int(usual_status), headers)


@cache
def _messages() -> dict[str, list[str]]:
    """Status, text, explanation and action of each message, by its number."""
    rows = (files(__package__) / "messages.tsv").read_text("utf-8").splitlines()
    return {number: cells for number, *cells in (row.split("\t") for row in rows)}


def json_answer(
    content: Any, status: int = 200, headers: tuple[tuple[str, str], ...] = ()
) -> Answer:
    """An answer laid out as mqweb does: members by name, one a line."""
    body = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False).encode()
    return Answer(status, body, (("Content-Type", JSON_TYPE), *headers))


def check_media(headers: Mapping[str, str], known: Collection[str]) -> None:
    """Refuse a body that is of no media type that is known, or not UTF-8."""
    media, _, parameters = headers.get("content-type", "").partition(";")
    charset = parameters.replace(" ", "").lower().removeprefix("charset=").strip('"')
    if media.strip().lower() not in known:
        raise RestError("MQWB0306E", explanation=f"The resource accepts {', '.join(known)}.")
    if charset not in ("", "utf-8", "utf8"):
        raise RestError("MQWB0305E", charset[:40])


def bad_body(what: str) -> RestError:
    """The error for a body that the resource does not accept."""
    return RestError("MQWB2004E", what)


def unknown_attribute(name: str) -> RestError:
    """The error of an attribute or parameter that is none of the command's."""
    return RestError("MQWB0120E", printable(name))


def printable(text: str) -> str:
    """As much of what came with a request as an error shows of it."""
    return text[:60].encode("ascii", "backslashreplace").decode()
