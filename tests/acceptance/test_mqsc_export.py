"""`mqtriage mqsc export`: a folder of scripts that says what a queue manager is."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from mqtriage.commands.qmgr.mqsc_export import own_folder
from mqtriage.commands.qmgr.mqsc_scripts import export
from mqtriage.definitions.desired import CLIENT_CHANNELS, OTHER_KINDS, settable
from mqtriage.definitions.live_definitions import read_live
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.shared import sharing
from mqtriage.mq.errors import Refused
from tests.acceptance.conftest import Bench
from tests.support.bank_estates import STYLES

_CORPUS = Path(
    os.environ.get("MQTRIAGE_CORPUS", Path(__file__).resolve().parents[3] / "shared" / "corpus")
)
TEXT = """\
ALTER QMGR DEADQ(MY.DLQ) MAXMSGL(8388608) CHLEV(ENABLED)
ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(9000)
DEFINE QLOCAL(MY.DLQ) MAXMSGL(8388608)
DEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME(ORDERS.BO) DESCR('it''s') MAXDEPTH(5000)
DEFINE QLOCAL(ORDERS.BO) LIKE(ORDERS.IN) BOTHRESH(0) BOQNAME(' ')
DEFINE QALIAS(A.ORDERS) TARGET(ORDERS.IN)
DEFINE QREMOTE(PAY.OUT) RNAME(PAY.IN) RQMNAME(QM2) XMITQ(QM2)
DEFINE QLOCAL(QM2) USAGE(XMITQ)
DEFINE QLOCAL(PAY_REPLY)
DEFINE TOPIC(PAY.TOPIC) TOPICSTR('pay/all')
DEFINE SUB(AUDIT.SUB) TOPICOBJ(PAY.TOPIC) TOPICSTR('x') DEST(PAY_REPLY)
DEFINE SUB(AUDIT.MANAGED) TOPICSTR('pay/+') DESTCLAS(MANAGED)
DEFINE CHANNEL(PAY.TO.QM2) CHLTYPE(SDR) CONNAME('h(1414),i(1415)') XMITQ(QM2) USERID(u) +
       PASSWORD('hunter2')
DEFINE CHANNEL(PAY.CLIENT) CHLTYPE(SVRCONN) MCAUSER('pay') MAXINST(10)
DEFINE CHANNEL(PAY.CCDT) CHLTYPE(CLNTCONN) CONNAME('h(1414)') QMNAME(QM9)
DEFINE LISTENER(TCP.1414) TRPTYPE(TCP) PORT(1414) CONTROL(QMGR)
DEFINE NAMELIST(PAY.LIST) NAMES(PAY.OUT,ORDERS.IN)
DEFINE PROCESS(PAY.RUN) APPLICID('/opt/pay/run "a b"')
DEFINE AUTHINFO(LDAP) AUTHTYPE(IDPWLDAP) CONNAME('ldap(389)') LDAPUSER('cn=x') LDAPPWD('hunter3') +
       SHORTUSR('uid') CLASSUSR('person')
DEFINE SERVICE(PAY.SERVICE) STARTCMD('+MQ_INSTALL_PATH+/bin/run') SERVTYPE(SERVER)
SET CHLAUTH('PAY.*') TYPE(ADDRESSMAP) ADDRESS('10.1.*') USERSRC(CHANNEL)
SET CHLAUTH('PAY.*') TYPE(BLOCKUSER) USERLIST('nobody','*MQADMIN')
SET CHLAUTH('SYSTEM.*') TYPE(ADDRESSMAP) ADDRESS('*') ACTION(REMOVE)
SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET,PUT)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ)
"""


def agreed(bench: Bench, *args: str) -> None:
    """A command that changes something, with the name that it takes."""
    ran = bench.run(*args, "--yes")
    if asked := re.search(r"--confirm (\S+)$", ran.err, re.MULTILINE):
        ran = bench.run(*args, "--yes", "--confirm", asked[1].strip("'"))
    assert ran.code == 0, ran.out + ran.err


def applied(bench: Bench, text: str, name: str = "QM1") -> None:
    file = bench.home / "given.mqsc"
    file.write_text(text)
    agreed(bench, "apply", str(file), "-m", name)
    # what a plan leaves out
    clients = [c for c in text.replace(" +\n", " ").splitlines() if "CHLTYPE(CLNTCONN)" in c]
    if clients:
        bench.ok("mqsc", "-", "--yes", "-m", name, answer="\n".join(clients) + "\n")


def definitions(bench: Bench, name: str = "QM1") -> set[str]:
    """All that can be set of every object and record, of client channels too: a line for each."""
    with bench.connected(name) as backend:
        live = read_live(backend, kinds=OTHER_KINDS, depths=False)
    groups = {"queue": live.queues, "QMGR": live.objects("QMGR"), **live.others}
    return {
        f"{group} {object_.kind}({object_.name}) {keyword}({value})".replace(f"({name})", "(ME)")
        for group, objects in groups.items()
        for object_ in objects.values()
        if not object_.name.startswith("SYSTEM.MANAGED.")
        for keyword, value in settable(object_.kind, object_.attributes, live.platform).items()
    }


def scripts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("*.mqsc"))}


def checked_export(bench: Bench, folder: Path, *args: str) -> dict[str, str]:
    """The scripts of an export of QM1, of which a plan is empty, in the form of fmt."""
    ran = bench.ok("mqsc", "export", *args, "-m", "QM1", "--out", str(folder))
    assert "would not be empty" not in ran.err
    assert "nothing to change" in bench.ok("plan", str(folder), "-m", "QM1").out
    whole = bench.run("drift", str(folder), "-m", "QM1", "--exact", "--complete")
    assert whole.code == 0, whole.out
    bench.ok("mqsc", "fmt", "--check", *map(str, folder.glob("*.mqsc")))
    known = str(folder / "lint-baseline.json")
    linted = bench.ok("lint", str(folder), "--baseline", known, "--fail-on", "info")
    assert "0 errors, 0 warnings, 0 infos" in linted.err
    return scripts(folder)


@pytest.mark.slow
def test_a_plan_of_the_folder_is_empty_and_makes_the_same_queue_manager_elsewhere(
    bench: Bench, tmp_path: Path
) -> None:
    applied(bench, TEXT)
    folder = tmp_path / "definitions"
    texts = checked_export(bench, folder)
    names = ["00-queue-manager", "AUDIT", "ORDERS", "PAY", "others"]
    assert list(texts) == [f"{name}.mqsc" for name in names]
    # a line for each, without what the default object gives
    assert "DEFINE QALIAS('A.ORDERS') TARGET('ORDERS.IN') REPLACE" in texts["others.mqsc"]
    assert "MAXDEPTH(5000)" in texts["ORDERS.mqsc"], "the default object of this one has 9000"
    for name, run in (("QM5", ("apply",)), ("QM6", ("mqsc",))):
        bench.ok("emulator", "create", name, "--clock", "frozen")
        agreed(bench, *run, str(folder), "-m", name)
        difference = definitions(bench) ^ definitions(bench, name)
        clients = {line for line in difference if line.startswith(CLIENT_CHANNELS)}
        assert difference == clients
        assert bool(clients) == (name == "QM5"), "a plan leaves those as they are"


def test_passwords_are_not_written_and_named(bench: Bench, tmp_path: Path) -> None:
    applied(bench, TEXT)
    ran = bench.ok("mqsc", "export", "-m", "QM1", "--out", str(tmp_path / "d"))
    assert (
        "passwords are not written: LDAPPWD of AUTHINFO(LDAP), PASSWORD of CHANNEL(PAY.TO.QM2)"
        in ran.err
    )
    assert "hunter" not in "".join(scripts(tmp_path / "d").values()) + ran.err + ran.out


@pytest.mark.slow
def test_a_dump_gives_what_the_queue_manager_gives(bench: Bench, tmp_path: Path) -> None:
    text = TEXT + "DEFINE COMMINFO(PAY.MCAST) TYPE(MULTICAST) GRPADDR('239.1.1.1')\n"
    applied(bench, text)
    live = checked_export(bench, tmp_path / "live")
    (tmp_path / "given.mqsc").write_text(
        "* Queue manager name: QM1\n" + text + "REFRESH SECURITY\n"
    )
    ran = bench.ok("mqsc", "export", str(tmp_path / "given.mqsc"), "--out", str(tmp_path / "dump"))
    dump = scripts(tmp_path / "dump")
    comminfo = "DEFINE COMMINFO('PAY.MCAST') GRPADDR('239.1.1.1') REPLACE\n"
    assert comminfo in live["PAY.mqsc"]
    assert comminfo in dump["PAY.mqsc"]
    assert list(dump) == list(live)
    assert "nothing to change" in bench.ok("plan", str(tmp_path / "dump"), "-m", "QM1").out
    bench.ok("drift", str(tmp_path / "dump"), "-m", "QM1", "--exact", "--complete")
    assert "not written, no definition: 1 x REFRESH SECURITY" in ran.err


@pytest.mark.slow
def test_a_map_says_which_script_has_what(bench: Bench, tmp_path: Path) -> None:
    applied(bench, TEXT)
    cut = tmp_path / "applications.toml"
    cut.write_text('payments = ["PAY*", "QM2"]\norders = "*ORDERS"\n')
    ran = bench.run("mqsc", "export", "--map", str(cut), "--out", str(tmp_path / "d"))
    assert (ran.code, "'*' at position 1" in ran.error_line) == (2, True)
    cut.write_text('payments = ["PAY*", "QM2"]\norders = ["ORDERS.*", "A.ORDERS"]\n')
    texts = checked_export(bench, tmp_path / "d", "--map", str(cut))
    assert list(texts) == [
        "00-queue-manager.mqsc", "orders.mqsc", "others.mqsc", "payments.mqsc"
    ]  # fmt: skip
    assert "QREMOTE('PAY.OUT')" in texts["payments.mqsc"]
    assert "QLOCAL('QM2')" in texts["payments.mqsc"]
    assert "PROFILE('ORDERS.**')" in texts["orders.mqsc"]
    # a subscription stands behind the queue that it needs
    assert "SUB('AUDIT.SUB')" in texts["payments.mqsc"]
    assert "SUB('AUDIT.MANAGED')" in texts["others.mqsc"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('"../x" = ["A.*"]\n', "a file name of letters"),
        ("orders = 3\n", "orders is 3"),
        ("orders = [3]\n", "orders[1] is 3"),
        ("orders\n", "applications.toml"),
    ],
)
def test_a_map_that_is_none_is_refused(bench: Bench, tmp_path: Path, text: str, why: str) -> None:
    cut = tmp_path / "applications.toml"
    cut.write_text(text)
    ran = bench.run("mqsc", "export", "--map", str(cut), "--out", str(tmp_path / "d"))
    assert (ran.code, why in ran.error_line) == (2, True), ran.err
    assert not (tmp_path / "d").exists()


def test_a_snapshot_has_the_queues_and_the_queue_manager(bench: Bench, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    applied(bench, TEXT)
    bench.ok("snapshot", "take", "-m", "QM1")
    bench.define("LATER.ON")
    folder = tmp_path / "d"
    ran = bench.ok("mqsc", "export", "--snapshot", "latest", "-m", "QM1", "--out", str(folder))
    assert "not written, because it is not read: NAMELIST, PROCESS, COMMINFO, TOPIC" in ran.err
    assert "nothing to change" in bench.ok("plan", str(folder), "-m", "QM1").out
    text = "".join(scripts(folder).values())
    assert "DEFINE QLOCAL('ORDERS.IN')" in text
    assert "LATER.ON" not in text
    missing = bench.run("mqsc", "export", "--snapshot", "2019", "--out", str(tmp_path / "e"))
    assert (missing.code, "no such snapshot" in missing.error_line) == (5, True)


def test_what_is_there_is_not_overwritten(bench: Bench, tmp_path: Path) -> None:
    applied(bench, TEXT)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "mine.mqsc").write_text("* mine\n")
    ran = bench.run("mqsc", "export", "-m", "QM1", "--out", str(tmp_path / "d"))
    assert (ran.code, "already exists" in ran.error_line) == (8, True)
    assert list(scripts(tmp_path / "d")) == ["mine.mqsc"]


def test_wrong_sources_are_refused_in_a_line(bench: Bench, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "d"))
    script = tmp_path / "s.mqsc"
    for text, why in (
        ("DEFINE QLOCAL(A) MAXDPTH(3)\n", "MAXDPTH"),
        ("ALTER QLOCAL(NOT.HERE) MAXDEPTH(3)\n", "is altered but not defined"),
        ("DEFINE QLOCAL(${NAME})\n", "placeholder"),
    ):
        script.write_text(text)
        ran = bench.run("mqsc", "export", str(script), *out)
        assert (ran.code, why in ran.error_line) == (2, True), ran.err
    both = bench.run("mqsc", "export", str(script), "--snapshot", "latest", *out)
    assert (both.code, "not both" in both.error_line) == (2, True)
    nothing = bench.run("mqsc", "export", "-m", "QM1", *out)
    assert (nothing.code, "has no definitions" in nothing.error_line) == (5, True)
    assert not (tmp_path / "d").exists()


@pytest.mark.slow
def test_each_of_several_queue_managers_has_a_folder_that_plan_reads(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    bench.ok("emulator", "create", "QM3")
    bench.ok(
        "mqsc", script(bench, "DEFINE QLOCAL(ONE.A)\nDEFINE QLOCAL(ONE.B)\n"), "-m", "QM1", "--yes"
    )
    bench.ok("mqsc", script(bench, "DEFINE QLOCAL(TWO.A)\n"), "-m", "QM2", "--yes")
    out = bench.home / "estate"
    ran = bench.ok("mqsc", "export", "-m", "QM1,QM2", "--out", str(out), "-o", "json")
    assert [(one["queue_manager"], one["file"], one["objects"]) for one in ran.items] == [
        ("QM1", str(out / "QM1" / "ONE.mqsc"), 2),
        ("QM2", str(out / "QM2" / "others.mqsc"), 1),
    ]
    assert (ran.json["summary"]["objects"], f"plan {out} -m" in ran.err) == (3, True)
    assert (out / "QM1" / "lint-baseline.json").exists()
    assert bench.ok("plan", str(out), "-m", "QM1,QM2", "-o", "json").items == []
    again = bench.run("mqsc", "export", "-m", "QM1,QM2", "--out", str(out))
    assert (again.code, again.err.count("already exists")) == (8, 2)
    every = bench.run("mqsc", "export", "-m", "QM*", "--out", str(bench.home / "every"))
    assert (every.code, "QM3: QM3 has no definitions" in every.err.replace("\n", " ")) == (
        3,
        True,
    )
    assert sorted(p.name for p in (bench.home / "every").iterdir()) == ["QM1", "QM2"]


def test_what_looks_like_a_variable_is_a_value_where_the_queue_manager_has_it(
    bench: Bench, tmp_path: Path
) -> None:
    text = """DEFINE PROCESS(P) APPLICID('/bin/sh -c "$HOME/run"') USERDATA('${A}')\n"""
    bench.ok("mqsc", script(bench, text), "-m", "QM1", "--yes")
    out = str(tmp_path / "d")
    bench.ok("mqsc", "export", "-m", "QM1", "--out", out)
    ran = bench.ok("plan", out, "-m", "QM1")
    assert "nothing to change" in ran.out + ran.err
    bench.ok("mqsc", script(bench, "ALTER PROCESS(P) USERDATA('x')\n"), "-m", "QM1", "--yes")
    other = bench.run("plan", out, "-m", "QM1")
    assert (other.code, "USERDATA(${A}) is a placeholder" in other.error_line) == (2, True)


def test_the_authority_to_create_objects_is_exported(bench: Bench, tmp_path: Path) -> None:
    given = "SET AUTHREC PROFILE('@CLASS') OBJTYPE(QUEUE) {}('{}') AUTHADD(CRT)\n"
    text = given.format("GROUP", "devops") + given.format("GROUP", "mqm")
    bench.ok("mqsc", script(bench, text), "-m", "QM1", "--yes")
    bench.ok("mqsc", "export", "-m", "QM1", "--out", str(tmp_path / "d"))
    written = "".join(p.read_text() for p in sorted((tmp_path / "d").glob("*.mqsc")))
    assert re.findall(r"GROUP\('(.*)'\)", written) == ["devops"]


def test_several_queue_managers_have_no_common_file_or_snapshot(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    out = ("-m", "QM1,QM2", "--out", str(bench.home / "d"))
    for words in (["x.mqsc"], ["--snapshot", "latest"]):
        ran = bench.run("mqsc", "export", *words, *out)
        assert (ran.code, "one queue manager at a time" in ran.error_line) == (2, True), ran.err


@pytest.mark.parametrize("name", ["A/B", "..", "."])
def test_a_name_that_would_leave_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused, match="cannot be the name of a folder"):
        own_folder(tmp_path, name)


def script(bench: Bench, text: str) -> str:
    path = bench.home / "script.mqsc"
    path.write_text(text)
    return str(path)


def test_a_value_that_cannot_be_written_is_named_and_the_rest_is_there(bench: Bench) -> None:
    with bench.connected() as backend:
        shipped = read_live(backend, kinds=OTHER_KINDS, depths=False)
    bench.define("GOOD.ONE", "BAD.ONE")
    with bench.connected() as backend:
        live = read_live(backend, kinds=OTHER_KINDS, depths=False)
    bad = live.queues["BAD.ONE"]
    bad = replace(bad, attributes={**bad.attributes, "DESCR": "two\nlines"})
    result = export(live._replace(queues={**live.queues, "BAD.ONE": bad}), shipped, {})
    (script,) = result.scripts
    assert ("GOOD.ONE" in script.text, "BAD.ONE" in script.text) == (True, False)
    assert result.incomplete
    assert any("not written: QLOCAL 'BAD.ONE'" in text for text in result.warnings)


def test_scripts_of_z_os_keep_what_a_plan_does_not_look_at(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "x.mqsc").write_text("* Queue manager platform: MVS\n" + STYLES["HOST"])
    ran = bench.ok("mqsc", "export", str(tmp_path / "x.mqsc"), "--out", str(tmp_path / "d"))
    assert "warning" not in ran.err
    text = "".join(scripts(tmp_path / "d").values())
    assert text.count("DEFINE STGCLASS") == STYLES["HOST"].count("DEFINE STGCLASS") > 0
    assert text.count("DEFINE CFSTRUCT") == STYLES["HOST"].count("DEFINE CFSTRUCT") > 0
    again = bench.ok("mqsc", "export", str(tmp_path / "d"), "--out", str(tmp_path / "e"))
    assert "warning" not in again.err
    assert scripts(tmp_path / "e") == scripts(tmp_path / "d")


@pytest.mark.slow
def test_storage_classes_and_cf_structures_of_a_queue_sharing_group_are_exported(
    zos_bench: Bench, tmp_path: Path
) -> None:
    """Planned, applied, exported, and applied to a queue manager of another group."""
    zos_bench.ok("emulator", "create", "QM5", "--platform", "zos", "--clock", "frozen")
    for name in ("QM1", "QM5"):
        sharing.join(open_manager(zos_bench.path(name)), f"QS{name[2:]}")
    script = tmp_path / "host.mqsc"
    script.write_text(STYLES["HOST"])
    agreed(zos_bench, "apply", str(script), "-m", "QM1")
    texts = checked_export(zos_bench, tmp_path / "d")
    text = texts["00-queue-manager.mqsc"]
    for kind in ("STGCLASS", "CFSTRUCT"):
        assert text.count(f"DEFINE {kind}") == STYLES["HOST"].count(f"DEFINE {kind}") > 0
    agreed(zos_bench, "apply", str(tmp_path / "d"), "-m", "QM5")
    difference = definitions(zos_bench) ^ definitions(zos_bench, "QM5")
    assert {line for line in difference if "QSGNAME" not in line} == set()
    zos_bench.ok("mqsc", "-", "--yes", "-m", "QM1", answer="ALTER STGCLASS(HOSTCLS) PSID(7)\n")
    (row,) = zos_bench.run("drift", str(tmp_path / "d"), "-m", "QM1", "-o", "json").items
    assert (row["object_type"], row["object"], row["attribute"]) == ("STGCLASS", "HOSTCLS", "PSID")


@pytest.mark.parametrize("style", [name for name in STYLES if name != "HOST"])
@pytest.mark.slow
def test_estates_in_four_styles_come_back_as_the_same_queue_manager(
    empty_bench: Bench, tmp_path: Path, style: str
) -> None:
    text = STYLES[style]
    empty_bench.ok("emulator", "create", "QM1", "--clock", "frozen")
    empty_bench.home.joinpath("x.mqsc").write_text(text)
    agreed(empty_bench, "apply", str(empty_bench.home / "x.mqsc"), "-m", "QM1")
    checked_export(empty_bench, tmp_path / "d")
    empty_bench.ok("emulator", "create", "QM5", "--clock", "frozen")
    agreed(empty_bench, "apply", str(tmp_path / "d"), "-m", "QM5")
    assert definitions(empty_bench) ^ definitions(empty_bench, "QM5") == set()


@pytest.mark.skipif(not _CORPUS.is_dir(), reason="no corpus: set MQTRIAGE_CORPUS")
@pytest.mark.slow
def test_a_whole_dump_of_four_thousand_lines_becomes_what_its_owner_set(
    empty_bench: Bench, tmp_path: Path
) -> None:
    (dump,) = (_CORPUS / "mqsc-in-the-wild").glob("118-*")
    empty_bench.ok("emulator", "create", "QUICKSTART", "--mq-version", "9.2")
    agreed(empty_bench, "apply", str(dump), "-m", "QUICKSTART")
    folder = tmp_path / "d"
    ran = empty_bench.ok("mqsc", "export", str(dump), "--out", str(folder))
    assert "warning: not written, no definition: 1 x REFRESH SECURITY\n" in ran.err
    assert ran.err.count("warning") == 1
    assert sum(len(text.splitlines()) for text in scripts(folder).values()) < 70
    empty_bench.ok("drift", str(folder), "--exact", "--complete", "-m", "QUICKSTART")
    assert "nothing to change" in empty_bench.ok("plan", str(folder), "-m", "QUICKSTART").out
