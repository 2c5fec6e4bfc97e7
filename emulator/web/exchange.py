"""What a request to the REST API is made of, what its answer is, and errors in IBM's shape.

Source: IBM MQ documentation, "REST API error handling" and the messages MQWB00xx, MQWB01xx and
MQWB03xx. Identifiers, codes and the beginning of each message are IBM's; the other words are ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
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
    """A request that is refused, with the answer that says so."""

    def __init__(
        self,
        status: int,
        message_id: str,
        message: str,
        explanation: str,
        action: str,
        *,
        codes: tuple[int, int] = (0, 0),
        error_type: ErrorType = "rest",
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(f"{message_id}: {message}")
        entry = {
            "action": action,
            "completionCode": codes[0],
            "explanation": explanation,
            "message": f"{message_id}: {message}",
            "msgId": message_id,
            "reasonCode": codes[1],
            "type": error_type,
        }
        self.answer = json_answer({"error": [entry]}, status, headers)


def json_answer(
    content: Any, status: int = 200, headers: tuple[tuple[str, str], ...] = ()
) -> Answer:
    """An answer laid out as mqweb does: members by name, one a line."""
    body = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False).encode()
    return Answer(status, body, (("Content-Type", JSON_TYPE), *headers))


def check_media(headers: Mapping[str, str], known: Collection[str]) -> None:
    """Refuse a body that is of no media type that is known, or not UTF-8.

    Raises:
        RestError: 400, 415.
    """
    media, _, parameters = headers.get("content-type", "").partition(";")
    charset = parameters.replace(" ", "").lower().removeprefix("charset=").strip('"')
    if media.strip().lower() not in known:
        raise RestError(
            415, "MQWB0306E", "The media type is unsupported for this type of request.",
            f"The resource takes {', '.join(known)}.", "Send another Content-Type.",
        )  # fmt: skip
    if charset not in ("", "utf-8", "utf8"):
        raise unacceptable(charset)


def unacceptable(charset: str) -> RestError:
    return RestError(
        400, "MQWB0305E", f"The character set {charset[:40]} is not acceptable for the request.",
        "Requests and answers are in UTF-8.", "Ask for, or send, UTF-8.",
    )  # fmt: skip


def no_such_uri(path: str) -> RestError:
    return RestError(
        404, "MQWB0116E", f"The URI '{path}' does not correspond to an existing REST interface.",
        "The path of the request, in this version of the API, is none of the API's.",
        "Correct the path, or the version in it.",
    )  # fmt: skip


def not_found(queue_manager: str) -> RestError:
    return RestError(
        404, "MQWB0009E", f"Could not query the queue manager '{queue_manager}'.",
        "The request names a queue manager that is not served here.",
        "Name one that is; case matters.",
        codes=(2, 2058),
    )  # fmt: skip


def wrong_method(method: str, path: str) -> RestError:
    return RestError(
        405, "MQWB2005E",
        f"The {method} HTTP method is not allowed for the {path} resource request.",
        "The resource is there, and does not take this method.",
        "Use a method that it takes.",
    )  # fmt: skip


def bad_body(what: str) -> RestError:
    return RestError(
        400, "MQWB2004E", f"The body of the request could not be parsed: {what}.",
        "The body is not the JSON that this resource takes.",
        "Correct the body.",
    )  # fmt: skip


def unknown_attribute(name: str) -> RestError:
    return RestError(
        400, "MQWB0120E", f"The attribute '{name}' is not valid for the command.",
        "An attribute or parameter in the request is none of the command's.",
        "Leave it out, or correct its name.",
    )  # fmt: skip
