"""The catalogue: every rule, by code, and `lint`, which runs them over an estate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Finding
from mqtriage.definitions.rules.rule import Rule

RULE_FILES: Final = (
    "bko001_backout_queue_blank",
    "bko002_threshold_zero",
    "bko003_backout_queue_missing",
    "bko004_backout_queue_put_disabled",
    "bko005_backout_queue_too_short",
    "bko006_backout_queue_too_small",
    "bko007_backout_loop",
    "bko008_backout_queue_is_dead_letter_queue",
    "bko009_backout_queue_shared",
    "bko010_model_queue_without_backout",
    "bko011_reader_lacks_authority",
    "bko012_threshold_too_high",
    "bko013_second_hop",
    "bko014_no_poison_handling",
    "bko015_threshold_one",
    "bko016_backout_count_not_hardened",
    "bko017_backout_queue_expires",
    "bko018_backout_on_alias",
    "bko019_misspelt_keyword",
    "bko020_flow_without_transaction",
    "bko021_running_consumers_keep_old_values",
    "bko022_backout_queue_is_transmission_queue",
    "bko023_backout_queue_get_disabled",
    "dlq001_no_dead_letter_queue",
    "dlq002_dead_letter_queue_too_short",
    "dlq003_dead_letter_queue_default_depth",
    "dlq004_dead_letter_queue_not_local",
    "dlq005_dead_letter_queue_put_disabled",
    "dlq006_dead_letter_queue_full",
    "dlq007_dead_letter_queue_get_disabled",
    "dlq008_dead_letter_queue_is_transmission_queue",
    "dlq009_topic_without_dead_letters",
    "dly001_staging_queue_missing",
    "dly002_staging_depth",
    "dly003_staging_length",
    "dly004_staging_inhibited",
    "dly005_staging_order",
    "dly006_staging_authority",
    "dly007_clustered_target_bound",
    "dly008_topic_delivery",
    "dly009_target_not_ready",
    "dly010_nonpersistent_to_shared",
    "dly011_staging_storage_class",
    "dly012_staging_shared",
    "dly013_cap_below_delay",
    "dly014_lifetime_below_delay",
    "exp001_expiring_and_unread",
    "exp002_expiry_scan_off",
    "exp003_cap_on_system_queue",
    "exp004_cap_given_twice",
    "exp005_full_of_expired",
    "exp006_dead_letters_expire",
    "que001_queue_file_too_small",
    "que002_defined_twice",
    "que003_alias_leads_nowhere",
    "que004_stream_queue_smaller",
    "que005_longer_than_queue_manager",
    "que006_depth_marks_crossed",
    "que007_trigger_without_initiation_queue",
    "que008_shared_open_of_unshared",
    "que009_not_a_transmission_queue",
    "que010_command_on_what_is_gone",
    "que011_stream_queue_chained",
)
"""Files of definitions/rules; tests hold the folder to this list."""


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    found: list[Rule] = [import_module(f"mqtriage.definitions.rules.{n}").RULE for n in RULE_FILES]
    return tuple(sorted(found, key=lambda rule: rule.code))


def lint(estate: Estate, wanted: Callable[[str], bool] = lambda code: True) -> list[Finding]:
    """What the wanted rules find, by place.

    Args:
        wanted: says of a code whether its rule is to run.
    """
    findings = [finding for rule in rules() if wanted(rule.code) for finding in _run(rule, estate)]
    return in_order(findings)


def _run(rule: Rule, estate: Estate) -> Iterable[Finding]:
    for it in rule.check(estate):
        yield Finding(
            rule.code,
            it.severity or rule.severity,
            it.kind,
            it.name,
            it.place,
            it.message,
            it.fix,
            it.respelling,
        )


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """By file, line and column; what is nowhere in a file comes first, then by code."""
    return sorted(findings, key=lambda f: (f.place, f.code, f.name))
