"""Security policies of Advanced Message Security, as far as scripts set them (SET POLICY).

A policy protects what is put to the queue of its name. What a live queue manager has is not asked.

Source: IBM MQ documentation, "SET POLICY" and "setmqspl".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mqtriage.definitions.estate import DefiningCommand, Estate, Location
from mqtriage.definitions.rules.finding import Severity, Violation, Violations, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.mqsc.tree import Command
from mqtriage.records import dataclass

_DEPRECATED: Final = {"SIGNALG": ("MD5", "SHA1"), "ENCALG": ("RC2", "DES", "3DES")}
_STRONGER: Final = {"SIGNALG": "SHA256", "ENCALG": "AES256"}


@dataclass(frozen=True, slots=True)
class _Policy:
    """What the commands for one name amount to; "NONE" is no algorithm.

    Attributes:
        recipients: their distinguished names, without blanks beside commas and equals signs.
    """

    name: str
    source: DefiningCommand
    algorithms: Mapping[str, str]
    recipients: frozenset[str] = frozenset()
    signers: bool = False

    def place(self, keyword: str = "") -> Location:
        parameter = self.source.command.parameter(keyword)
        return self.source.place if parameter is None else self.source.place_of(parameter)

    def violation(self, keyword: str, message: str) -> Violation:
        return Violation("POLICY", self.name, self.place(keyword), message)


def _recipients(command: Command) -> frozenset[str]:
    texts = (
        value.text
        for parameter in command.parameters
        if parameter.keyword == "RECIP"
        for value in parameter.values or ()
    )
    return frozenset(re.sub(r"\s*([,=])\s*", r"\1", text.strip()) for text in texts) - {""}


def _policies(estate: Estate) -> dict[str, _Policy]:
    """By name; ACTION(ADD) adds names to a policy, ACTION(REMOVE) takes some away."""
    policies: dict[str, _Policy] = {}
    for source in estate.commands:
        command = source.command
        name = command.named() if command.noun == "POLICY" else ""
        if not name:
            continue
        if command.verb != "SET":
            if command.verb == "DELETE":
                policies.pop(name, None)
            continue
        recipients, signers = _recipients(command), command.has("SIGNER")
        action = (command.value("ACTION") or "REPLACE").upper()
        earlier = policies.get(name)
        if action == "REPLACE":
            words = {key: (command.value(key) or "NONE").upper() for key in _DEPRECATED}
            policies[name] = _Policy(name, source, words, recipients, signers)
        elif action == "ADD" and earlier is not None:
            policies[name] = replace(
                earlier,
                recipients=earlier.recipients | recipients,
                signers=earlier.signers or signers,
            )
        elif action == "REMOVE" and earlier is not None:
            policies[name] = replace(earlier, recipients=earlier.recipients - recipients)
    return policies


@rule(Severity.WARNING)
def ams001_backout_queue_less_protected(estate: Estate) -> Violations:
    policies = _policies(estate)
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        policy, target = policies.get(queue.name), queue.text("BOQNAME")
        if policy is None or not target:
            continue
        other = policies.get(target)
        lacking = [
            verb
            for keyword, verb in (("ENCALG", "encrypts"), ("SIGNALG", "signs"))
            if policy.algorithms[keyword] != "NONE"
            and (other is None or other.algorithms[keyword] == "NONE")
        ]
        if lacking:
            message = (
                f"the policy of {queue.name} {' and '.join(lacking)}, that of BOQNAME({target})"
                f" {'does not' if other else 'is not set'}: poison messages are not protected there"
            )
            yield violation(queue, "BOQNAME", message)
        elif other is not None and (missing := policy.recipients - other.recipients):
            message = (
                f"{', '.join(sorted(missing))} can decrypt messages of {queue.name}, but not"
                f" those of BOQNAME({target}): a poison message that is requeued cannot be read"
            )
            yield violation(queue, "BOQNAME", message, severity=Severity.INFO)


@rule(Severity.ERROR)
def ams002_policy_incomplete(estate: Estate) -> Violations:
    for policy in _policies(estate).values():
        signs, encrypts = (policy.algorithms[key] != "NONE" for key in ("SIGNALG", "ENCALG"))
        if encrypts and not policy.recipients:
            message = (
                f"ENCALG({policy.algorithms['ENCALG']}) without RECIP: nobody can decrypt the"
                " messages"
            )
            yield policy.violation("ENCALG", message)
        if policy.signers and not signs:
            message = "SIGNER without SIGNALG: messages are not signed"
            yield policy.violation("SIGNER", message)


@rule(Severity.WARNING)
def ams003_deprecated_algorithm(estate: Estate) -> Violations:
    for policy in _policies(estate).values():
        for keyword, words in _DEPRECATED.items():
            word = policy.algorithms[keyword]
            if word in words:
                message = f"{keyword}({word}) is deprecated; use {keyword}({_STRONGER[keyword]})"
                yield policy.violation(keyword, message)


@rule(Severity.WARNING)
def ams004_policy_for_no_queue(estate: Estate) -> Violations:
    for policy in _policies(estate).values():
        why = estate.absence("QLOCAL", policy.name)
        if why:
            yield policy.violation("", f"{policy.name} {why}: the policy protects nothing")
