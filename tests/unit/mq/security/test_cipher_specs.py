"""CipherSpecs: which two ends of a channel can agree on one."""

from __future__ import annotations

import pytest

from mqtriage.mq.security.cipher_specs import may_agree

TLS12, TLS13 = "ECDHE_RSA_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"


@pytest.mark.parametrize(
    ("several", "fits"),
    [
        ("ANY", {TLS12, TLS13}),
        ("ANY_TLS12", {TLS12}),
        ("ANY_TLS12_OR_HIGHER", {TLS12, TLS13}),
        ("ANY_TLS13", {TLS13}),
        ("ANY_TLS13_OR_HIGHER", {TLS13}),
    ],
)
def test_a_name_of_several_fits_those_of_its_versions(several: str, fits: set[str]) -> None:
    for one in (TLS12, TLS13, "TLS_RSA_WITH_AES_128_CBC_SHA"):
        assert may_agree(several, one) is may_agree(one, several) is (one in fits), one


def test_names_of_different_versions_do_not_agree() -> None:
    assert not may_agree("ANY_TLS12", "ANY_TLS13")
    assert may_agree("ANY_TLS12_OR_HIGHER", "ANY_TLS13")


def test_no_cipher_spec_agrees_only_with_none() -> None:
    assert may_agree("", " ")
    assert not may_agree("", "ANY")
