"""`mqtriage doctor` over HTTPS: roles and version of the API, and what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rest.conftest import Scripted, in_json
from tests.rest.test_commands import bench_at

TOLD = {
    "MQWebAdmin": {"definitions", "change"},
    "MQWebAdminRO": {"definitions"},
    "MQWebUser": {"definitions", "change", "look", "put"},
}


@pytest.mark.parametrize("role", TOLD)
def test_what_a_role_allows(tmp_path: Path, scripted: Scripted, role: str) -> None:
    scripted.answers = lambda asked: (
        in_json({"user": [{"name": "ops", "role": [role]}]})
        if (asked.method, asked.path[-6:]) == ("GET", "/login")
        else None
    )
    ran = bench_at(tmp_path, scripted.url, scripted.ca).run("doctor", "-o", "json")
    assert ran.code == (0 if role == "MQWebUser" else 6), ran.err
    rows = json.loads(ran.out)["item"]["authorities"]
    assert {row["group"] for row in rows if row["state"] == "granted"} == TOLD[role]
    assert {row["object"] for row in rows} == {"v3"}
    missing = [row["ask_for"] for row in rows if row["state"] == "missing"]
    assert all(text.startswith("mqwebuser.xml: security role ") for text in missing)


def test_a_server_that_does_not_tell(tmp_path: Path, scripted: Scripted) -> None:
    scripted.answers = lambda asked: (
        in_json({}, 404) if asked.method == "GET" and asked.path.endswith("/login") else None
    )
    ran = bench_at(tmp_path, scripted.url, scripted.ca).run("doctor", "-o", "json")
    assert {row["state"] for row in json.loads(ran.out)["item"]["authorities"]} == {"not tried"}
