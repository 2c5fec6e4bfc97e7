"""`mqtriage incident`: what a problem record needs, whole, private, nothing secret in it."""

from __future__ import annotations

import json
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from stat import S_IMODE

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.commands.incident import masked_command, masked_where
from mqtriage.messages.filters.selection import Selection
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import Bench

SECRETS = ("DE02120300000000202051", "4111-1111", "alice77", "C0FFEE" * 8)
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "dl", "dt", "dd",
    "nav", "ul", "li", "a", "main", "section", "p", "div", "table", "thead", "tbody", "tr", "th",
    "td", "pre",
}  # fmt: skip


def foreign(**fields: str) -> MQMD:
    """The descriptor of a message whose sender sets all context."""
    return MQMD(
        **fields,  # type: ignore[arg-type]  # texts alone
        user_identifier=SECRETS[2],
        put_appl_name=HOSTILE[:28],
        put_date="20260131",
        put_time="10000025",
    )


@pytest.fixture
def troubled(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Poison on a backout queue, and messages full of what must stay in the house."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    bench.define("OTHER", **{"PAY.BO": "", "PAY.IN": "BOTHRESH=2 BOQNAME=PAY.BO"})
    for queue in ("PAY.IN", "PAY.BO"):
        for number in range(3):
            body = f'{{"iban": "{SECRETS[0]}", "n": {number}, "kind": "card"}}'
            line = ("msg", "put", queue, body, "--md-format", "MQSTR", "--yes", "-q")
            bench.ok(*line, "--prop", f"card={SECRETS[1]}", "--correlid", SECRETS[3])
    with bench.connected() as backend:
        backend.put1(
            "PAY.IN", foreign(format="MQSTR"), HOSTILE.encode(), cmqc.MQPMO_SET_ALL_CONTEXT
        )
    bench.ok("msg", "put", "OTHER", "elsewhere", "--yes")
    bench.ok("emulator", "lab", "rollback", "PAY.IN", "--times", "2")
    return bench


def texts(folder: Path) -> str:
    return "\n".join(
        path.read_text("utf-8") for path in folder.iterdir() if path.suffix != ".index"
    )


def test_a_folder_has_every_part_and_nothing_is_changed_or_taken(troubled: Bench) -> None:
    before = troubled.ok("emulator", "ls", "QM1").out
    ran = troubled.ok("incident", "PAY.IN", "--out", "record", "-o", "json")
    assert troubled.ok("emulator", "ls", "QM1").out == before
    assert ran.item["queues"] == ["PAY.IN", "PAY.BO"]
    assert (ran.item["message_count"], ran.item["redacted"]) == (7, True)
    folder = Path("record")
    assert {path.name for path in folder.iterdir()} == set(ran.item["files"])
    assert S_IMODE(folder.stat().st_mode) == 0o700
    assert {S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}

    def items(name: str) -> list[dict[str, object]]:
        items: list[dict[str, object]] = json.loads((folder / name).read_text())["items"]
        return items

    assert [item["curdepth"] for item in items("queue-status.json")] == [4, 3]
    assert items("backout.json")[0]["boqname"] == "PAY.BO"
    assert [item["backout_count"] for item in items("backout-pending.json")] == [2]
    assert items("backout-causes.json")
    assert items("delay-status.json")[0]["queue"] == "SYSTEM.DDELAY.LOCAL.QUEUE"
    assert items("journal.json")[0]["action"] == "put"
    assert "DEFINE QLOCAL('PAY.IN')" in (folder / "definitions.mqsc").read_text()
    assert json.loads((folder / "about.json").read_text())["item"]["version"]
    assert troubled.ok("archive", "verify", "record/messages.ndjson", "-o", "json").items[0][
        "message_count"
    ] == 7  # fmt: skip


def test_an_empty_queue_with_a_problem_is_in_it_and_what_is_wrong_comes_first(
    troubled: Bench,
) -> None:
    troubled.define(CLOSED="PUT=DISABLED", IDLE="")
    ran = troubled.ok("incident", "--out", "record", "-o", "json")
    assert "CLOSED" in ran.item["queues"] and "IDLE" not in ran.item["queues"]
    (wrong,) = json.loads(Path("record/problems.json").read_text())["items"]
    assert (wrong["queue"], wrong["problem"]) == ("CLOSED", "PUT(DISABLED)")
    for page, heading in (("incident.md", "## "), ("index.html", "<section ")):
        first = Path("record", page).read_text("utf-8").split(heading)[1]
        assert "What is wrong" in first.partition("\n")[0] and "PUT(DISABLED)" in first
    troubled.ok("incident", "IDLE", "--out", "calm")
    calm = Path("calm/incident.md").read_text("utf-8")
    assert "none of these queues is full, closed to programs" in calm
    assert "without a reader for a minute or more" in " ".join(calm.split())


def test_nothing_that_an_application_wrote_is_in_it(troubled: Bench) -> None:
    troubled.ok("incident", "--out", "record")
    text = texts(Path("record"))
    for secret in (*SECRETS, "elsewhere", "alert(2)"):
        assert secret.lower() not in text.lower(), secret
    causes = json.loads(Path("record/backout-causes.json").read_text())["items"]
    conditions = json.dumps([(cause["where"], cause["also_share"]) for cause in causes])
    assert "body.iban = ***" in conditions.replace('\\"', "")


def test_ids_and_users_can_be_followed_from_one_file_to_another(troubled: Bench) -> None:
    with troubled.connected() as backend:
        md = foreign(appl_identity_data="customer 7")._replace(accounting_token=b"\x16" * 32)
        backend.put1("PAY.IN", md, b"poison", cmqc.MQPMO_SET_ALL_CONTEXT)
    troubled.ok("emulator", "lab", "rollback", "PAY.IN", "--times", "3")
    troubled.ok("emulator", "lab", "rollback", "PAY.IN", "--times", "3")
    troubled.ok("incident", "PAY.IN", "--out", "record")
    pending = json.loads(Path("record/backout-pending.json").read_text())["items"]
    lines = map(json.loads, Path("record/messages.ndjson").read_text().splitlines())
    archived = {line["msg_id"]: line for line in lines if line["kind"] == "Message"}
    users = "user_identifier", "accounting_token", "appl_identity_data", "correl_id"
    assert pending
    for item in pending:
        line = archived[item["msg_id"]]
        assert {key: item[key] for key in users} == {key: line[key] for key in users}


def test_causes_are_those_that_healthy_messages_do_not_share(troubled: Bench) -> None:
    troubled.ok("msg", "purge", "PAY.BO", "--confirm", "PAY.BO", "--yes", "-q")
    for body in ('{"iban": "1", "n": 1, "kind": "giro"}', '{"iban": "', '{"n": 1}'):
        troubled.ok("msg", "put", "PAY.BO", body, "--md-format", "MQSTR", "--yes", "-q")
    troubled.ok("incident", "PAY.IN", "--out", "record")
    causes = json.loads(Path("record/backout-causes.json").read_text())["items"]
    assert {item["where"]: item["against_count"] for item in causes} == {
        "damage = 'json'": 0,  # what is wrong with it, not what is in it
        "format = 'MQSTR' AND body_kind = 'json' AND damage IS NULL": 0,
    }
    page = Path("record/index.html").read_text()
    assert "What poison messages have in common, compared with messages on their input" in page
    assert "<h2>Poison messages not yet moved</h2>" in page


def test_a_value_that_healthy_messages_do_not_have_is_the_cause(troubled: Bench) -> None:
    healthy, poison = '{"pay": {"currency": "EUR"}}', '{"pay": {"currency": "XXX"}}'
    troubled.define(IN="BOTHRESH=2 BOQNAME=BO", BO="")
    troubled.ok("msg", "put", "IN", healthy, "--count", "9", "--yes", "-q")
    troubled.ok("msg", "put", "BO", poison, "--count", "9", "--yes", "-q")
    troubled.ok("incident", "BO", "--out", "record")
    (cause,) = json.loads(Path("record/backout-causes.json").read_text())["items"]
    assert (cause["where"], cause["against_count"]) == ("body.pay.currency = ***", 0)


def test_causes_without_the_input_queue_where_it_cannot_be_read(troubled: Bench) -> None:
    troubled.ok("queue", "set", "PAY.IN", "GET=DISABLED", "--yes")
    troubled.run("incident", "PAY.BO", "--out", "record")
    causes = json.loads(Path("record/backout-causes.json").read_text())
    assert [item["against_count"] for item in causes["items"]] == [None] * len(causes["items"])
    assert "PAY.BO is not compared with PAY.IN: " in causes["warnings"][0]


def test_equal_bodies_are_known_in_a_record_without_them(troubled: Bench) -> None:
    troubled.define(SAME="")
    for body in ("same", "same", "other"):
        troubled.ok("msg", "put", "SAME", body, "--yes", "-q")
    troubled.ok("incident", "SAME", "--out", "record")
    lines = map(json.loads, Path("record/messages.ndjson").read_text().splitlines())
    messages = [line for line in lines if line["kind"] == "Message" and line["queue"] == "SAME"]
    assert [line["sha256"] for line in messages] == [None] * 3
    one, same, other = (line["body_hmac"] for line in messages)
    assert one == same != other


def test_unredacted_has_the_messages_as_they_are(troubled: Bench) -> None:
    troubled.ok("incident", "PAY.BO", "--unredacted", "--out", "record")
    again = ("msg", "load", "record/messages.ndjson", "--to", "OTHER", "--yes")
    troubled.ok(*again, "--allow-duplicates")
    bodies = [item["body"] for item in troubled.ok("msg", "browse", "OTHER", "-o", "json").items]
    assert sum(SECRETS[0] in body for body in bodies) == 3


class Tags(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in ("href", "src", "action")}


@pytest.mark.parametrize("more", [(), ("--unredacted",)])
def test_the_page_has_no_tag_of_a_message_and_loads_nothing(
    troubled: Bench, more: tuple[str, ...]
) -> None:
    with troubled.connected() as backend:
        md = foreign(format="<svg>")
        backend.put1("PAY.BO", md, HOSTILE.encode(), cmqc.MQPMO_SET_ALL_CONTEXT)
    troubled.ok("incident", *more, "--out", "record")
    page = Path("record/index.html").read_text("utf-8")
    tags = Tags()
    tags.feed(page)
    assert tags.tags <= TAGS
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert all(link.startswith("#") for link in tags.links)
    assert "default-src 'none'" in page
    assert "&lt;svg&gt;" in page
    assert "&lt;script&gt;alert(1)" in page  # PutApplName


def test_the_text_for_a_ticket_has_every_part_and_no_tag_of_a_message(troubled: Bench) -> None:
    with troubled.connected() as backend:
        md = foreign(format="<svg>")
        backend.put1("PAY.BO", md, HOSTILE.encode(), cmqc.MQPMO_SET_ALL_CONTEXT)
    troubled.ok("queue", "set", "OTHER", "GET=DISABLED", "--yes")
    assert troubled.run("incident", "--unredacted", "--out", "record").code == 3
    text = Path("record/incident.md").read_text("utf-8")
    page = Path("record/index.html").read_text("utf-8")
    first, about, *others = re.findall("^## (.*)", text, re.MULTILINE)
    assert about == "About"
    assert [first, *others] == re.findall("<h2>(.*?)</h2>", page)
    assert "| PAY.BO |" in text.partition("## Queues")[2].partition("## ")[0]
    assert "DEFINE QLOCAL('PAY.IN')" in text.partition("```mqsc")[2]
    assert "MQRC_GET_INHIBITED" in text
    assert "8 messages in messages.ndjson: " in text
    assert "ids are hashes" not in text + page
    assert not re.search(r"(?<!\\)<(?!br>)", text)


def test_beside_hashed_ids_both_pages_say_that_they_are_hashes(troubled: Bench) -> None:
    troubled.ok("incident", "PAY.IN", "--out", "record")
    for name in ("incident.md", "index.html"):
        text = Path("record", name).read_text("utf-8")
        _, *parts = text.split("\n## " if name.endswith("md") else "<h2>")
        noted = {
            part.split("\n")[0].partition("<")[0] for part in parts if "ids are hashes" in part
        }
        assert "Poison messages not yet moved" in noted
        assert not {"What is wrong", "Open handles"} & noted
        assert "--unredacted" in text


def test_the_messages_of_each_queue_are_counted_even_if_none_were_chosen(troubled: Bench) -> None:
    ran = troubled.ok("incident", "PAY.IN", "--where", "backout > 0", "--out", "a", "-o", "json")
    assert ran.item["messages_by_queue"] == {"PAY.IN": 1, "PAY.BO": 0}
    text = Path("a/incident.md").read_text("utf-8")
    assert "1 message in messages.ndjson: PAY.IN 1, PAY.BO 0\n" in text


def test_a_queue_that_could_not_be_read_is_not_counted_as_empty(troubled: Bench) -> None:
    troubled.ok("queue", "set", "PAY.IN", "GET=DISABLED", "--yes")
    ran = troubled.run("incident", "PAY.IN", "--out", "a", "-o", "json")
    assert (ran.code, ran.item["messages_by_queue"]["PAY.IN"]) == (3, None)
    assert "PAY.IN not read" in Path("a/incident.md").read_text("utf-8")


def test_a_zip_has_the_same_files_below_its_name(troubled: Bench) -> None:
    ran = troubled.ok("incident", "PAY.IN", "--out", "ticket.zip", "-o", "json")
    assert S_IMODE(Path("ticket.zip").stat().st_mode) == 0o600
    with zipfile.ZipFile("ticket.zip") as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [f"ticket/{name}" for name in ran.item["files"]]
        assert {info.external_attr >> 16 & 0o777 for info in archive.infolist()} == {0o600}
    assert [path.name for path in Path().iterdir()] == ["ticket.zip"]


@pytest.mark.parametrize("name", ["record", "record.zip"])
def test_what_exists_already_stays(troubled: Bench, name: str) -> None:
    Path(name).write_text("mine")
    ran = troubled.run("incident", "--out", name)
    assert (ran.code, ran.error_line) == (8, f"{name} already exists")
    assert Path(name).read_text() == "mine"


def test_a_queue_that_is_not_there_leaves_nothing(troubled: Bench) -> None:
    assert troubled.run("incident", "PAY.IN", "NOPE", "--out", "record").code == 5
    assert troubled.run("incident", "PAY.*.X", "--out", "record").code == 2
    assert list(Path().iterdir()) == []


def test_a_queue_that_cannot_be_read_is_told_and_the_others_are(troubled: Bench) -> None:
    troubled.ok("queue", "set", "OTHER", "GET=DISABLED", "--yes")
    ran = troubled.run("incident", "--out", "record", "-o", "json")
    assert ran.code == 3
    assert any("OTHER" in text and "2016" in text for text in ran.json["warnings"])
    assert ran.item["message_count"] == 7
    assert "MQRC_GET_INHIBITED" in Path("record/index.html").read_text()


def test_without_a_look_at_messages_nothing_can_expire(troubled: Bench) -> None:
    with troubled.connected() as backend:
        backend.put1("PAY.IN", MQMD(expiry_tenths=10), b"gone soon")
    troubled.ok("emulator", "clock", "+5s")
    assert troubled.depth("PAY.IN") == 5
    ran = troubled.ok("incident", "PAY.IN", "--no-expiry-effects", "--out", "record", "-o", "json")
    assert (troubled.depth("PAY.IN"), ran.item["message_count"]) == (5, 0)
    assert "messages.ndjson" not in ran.item["files"]
    assert "discard" not in ran.err


def test_only_chosen_messages_and_so_many_are_in_it(troubled: Bench) -> None:
    ran = troubled.ok("incident", "PAY.IN", "--limit", "2", "--out", "two", "-o", "json")
    assert ran.item["message_count"] == 4  # and of PAY.BO
    ran = troubled.ok("incident", "PAY.IN", "--backout", ">=2", "--out", "poison", "-o", "json")
    assert ran.item["message_count"] == 1


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1))
@pytest.mark.slow
def test_a_masked_condition_never_has_the_value(value: str) -> None:
    quoted = value.replace("'", "''")
    text = masked_where(f"format = 'MQSTR' AND prop.Card = '{quoted}' AND body.a.b <> '{quoted}'")
    assert text == "format = 'MQSTR' AND prop.Card = *** AND body.a.b <> ***"


def test_what_is_cut_says_so(troubled: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds are lowered, since ten thousand messages take a while."""
    for _ in range(3):
        troubled.ok("msg", "put", "PAY.BO", "x", "--count", "3", "--yes", "-q")
    monkeypatch.setattr("mqtriage.commands.incident.MOST_COMPARED", 4)
    monkeypatch.setattr("mqtriage.commands.incident._COMPARED", Selection(limit=4))
    monkeypatch.setattr("mqtriage.commands.incident.MOST_OPERATIONS", 2)
    monkeypatch.setattr("mqtriage.cli.incident._MOST_MESSAGES", 5)
    ran = troubled.ok("incident", "PAY.IN", "--out", "cut", "-o", "json")
    left_out = (
        "PAY.BO has more than 5 messages: only the first 5 are included; --limit N includes more"
    )
    assert ran.json["warnings"] == [left_out]  # PAY.IN has five
    page = Path("cut/index.html").read_text("utf-8")
    assert "PAY.BO: the first 4 of 12 messages were compared" in page
    assert "the last 2 operations; " in page
    assert left_out in page
    warnings = json.loads(Path("cut/journal.json").read_text("utf-8"))["warnings"]
    assert [text.startswith("the last 2 operations; ") for text in warnings] == [True]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("mqtriage msg put PAY.IN 'secret body' --prop card=4711 --yes",
         "mqtriage msg put PAY.IN *** --prop *** --yes"),
        ("mqtriage msg move PAY.IN --to PAY.BO --msgid A1B2 --where \"body.iban = 'X'\" --batch 5",
         "mqtriage msg move PAY.IN --to PAY.BO --msgid *** --where 'body.iban = ***' --batch 5"),
        ("mqtriage msg load /home/anna/file.ndjson --to=PAY.BO --where=",
         "mqtriage msg load *** --to=PAY.BO --where=***"),
        ("mqtriage msg purge PAY.IN --where \"body LIKE '%4711%' OR prop.card IN ('1', '2')\"",
         "mqtriage msg purge PAY.IN --where 'body LIKE *** or prop.card IN ***'"),
        ("mqtriage msg put PAY.IN secret", "mqtriage msg put PAY.IN ***"),
        ("mqtriage 'unfinished", None),
    ],
)  # fmt: skip
def test_a_command_keeps_its_verb_and_options_without_values_of_messages(
    command: str, shown: str | None
) -> None:
    assert masked_command(command, {"queue": "PAY.IN", "target": "PAY.BO"}) == shown


def test_the_journal_of_a_record_says_what_was_run(troubled: Bench) -> None:
    troubled.ok("msg", "put", "PAY.IN", "iban DE02 here", "--yes")
    troubled.ok("incident", "PAY.IN", "--out", "record")
    text = Path("record/journal.json").read_text("utf-8")
    assert "iban DE02" not in text
    commands = [item["command"] for item in json.loads(text)["items"]]
    assert any("msg put PAY.IN *** --yes" in command for command in commands), commands


def test_the_journal_of_a_record_says_what_was_changed(troubled: Bench) -> None:
    troubled.ok("queue", "set", "PAY.IN", "MAXDEPTH=77", "PUT=DISABLED", "--yes")
    troubled.ok("queue", "define", "PAY.NEW", "--yes")
    troubled.ok("msg", "put", "PAY.BO", "x", "--yes")
    troubled.ok("incident", "PAY.IN", "--out", "changed")
    rows = json.loads(Path("changed/journal.json").read_text("utf-8"))["items"]
    assert [row["change"] for row in rows[:3]] == [
        None,
        "defined QLOCAL(PAY.NEW)",
        "MAXDEPTH 5000 -> 77, and 1 more",
    ]
    assert "MAXDEPTH 5000 -" in Path("changed/incident.md").read_text("utf-8")


def test_the_journal_of_a_record_names_the_objects_that_a_script_changed(
    troubled: Bench, tmp_path: Path
) -> None:
    one, several = tmp_path / "one.mqsc", tmp_path / "several.mqsc"
    one.write_text("ALTER QLOCAL(PAY.IN) PUT(DISABLED)\n", "utf-8")
    several.write_text("ALTER QLOCAL(PAY.IN) MAXDEPTH(77)\nALTER QMGR DESCR('x')\n", "utf-8")
    troubled.ok("mqsc", str(one), "--yes")
    troubled.ok("mqsc", str(several), "--yes")
    troubled.ok("journal", "undo", "--yes")
    troubled.ok("apply", str(several), "--yes")
    troubled.ok("incident", "PAY.IN", "--out", "named")
    rows = json.loads(Path("named/journal.json").read_text("utf-8"))["items"]
    of_several = "QLOCAL(PAY.IN) MAXDEPTH 5000 -> 77, and 1 more"
    back = "QLOCAL(PAY.IN) MAXDEPTH 77 -> 5000, and 1 more"
    assert [(row["queue"], row["change"]) for row in rows[:4]] == [
        ("QM1", of_several),
        ("QM1", back),
        ("QM1", of_several),
        ("PAY.IN", "PUT ENABLED -> DISABLED"),
    ]
    listed = troubled.ok("journal", "ls", "mqsc", "-o", "json").items
    assert [item["queue"] for item in listed] == ["QM1", "PAY.IN"]
    scripts = troubled.ok("journal", "ls", "mqsc", "QM1", "-o", "json").items
    assert len(scripts) == 2  # a script is still found by the name of the queue manager


def test_the_journal_of_a_record_shows_no_user_that_a_change_named(
    troubled: Bench, tmp_path: Path
) -> None:
    file = tmp_path / "user.mqsc"
    file.write_text("DEFINE CHANNEL(APP.C) CHLTYPE(SVRCONN)\n", "utf-8")
    troubled.ok("mqsc", str(file), "--yes")
    file.write_text("ALTER CHANNEL(APP.C) CHLTYPE(SVRCONN) MCAUSER('alice')\n", "utf-8")
    troubled.ok("mqsc", str(file), "--yes")
    troubled.ok("incident", "PAY.IN", "--out", "users")
    rows = json.loads(Path("users/journal.json").read_text("utf-8"))["items"]
    assert rows[0]["change"] == "altered MCAUSER of CHANNEL(APP.C)"
    assert "alice" not in Path("users/incident.md").read_text("utf-8")
