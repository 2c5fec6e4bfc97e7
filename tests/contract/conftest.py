"""One queue manager reached through each end of the port; a contract test runs on all of them.

emulator   in this process
pymqi      the real package, through our C library and a server
ibmmq      IBM's, the same way
rest       over HTTPS, from the emulator's web server; what it cannot do is in `REST_REFUSES`
real       a real queue manager, where MQTRIAGE_TEST_CONN names one:
           QM1@localhost(1414)/DEV.ADMIN.SVRCONN, with MQTRIAGE_USER and MQTRIAGE_PASSWORD
realrest   the same over its REST API, where MQTRIAGE_TEST_REST names that: https://host:9443/QM1;
           nothing is defined, put or deleted unless MQTRIAGE_TEST_REST_WRITES is 1
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.client.backend import ClientBackend
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Backend
from mqtriage.backends.registry import readonly
from mqtriage.backends.rest.backend import RestBackend
from mqtriage.emulator.open import open_manager
from mqtriage.model.client_settings import ClientSettings, LibraryName, PropertyForm
from mqtriage.model.rest_settings import RestSettings
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, Refused
from tests.mqi.conftest import Served as Server
from tests.mqi.conftest import ibmmq as ibmmq
from tests.mqi.conftest import pymqi as pymqi
from tests.mqi.conftest import pymqi_folder as pymqi_folder
from tests.mqi.conftest import sdk as sdk
from tests.support.web_server import WebServer

REAL = os.environ.get("MQTRIAGE_TEST_CONN", "")
REAL_REST = os.environ.get("MQTRIAGE_TEST_REST", "")
MAY_WRITE = os.environ.get("MQTRIAGE_TEST_REST_WRITES", "") == "1"
CLIENTS: tuple[LibraryName, ...] = ("pymqi", "ibmmq")
ENDS = (
    "emulator",
    *CLIENTS,
    "rest",
    *(("real",) if REAL else ()),
    *(("realrest",) if REAL_REST else ()),
)

TEXT = MQMD(format="MQSTR", ccsid=1208)
"""What every end can put: a text in UTF-8."""

REST_REFUSES: dict[str, set[str]] = {}
"""Test to what the end `rest` refuses in it, by docs/connecting.md: nothing else comes of it."""
for _why, _tests in {
    "can put only text messages (format MQSTR, CCSID 1208)": """
        test_a_backout_undoes_both_and_counts
        test_a_group_is_matched
        test_a_header_that_holds_no_properties_stays_in_the_data
        test_a_lifetime_runs_down_and_ends
        test_a_long_message_is_locked_and_got_whole
        test_a_message_of_which_no_copy_can_be_made_is_not_got
        test_a_message_that_is_gone_is_not_under_the_cursor
        test_a_put_that_ends_with_a_warning_is_done
        test_a_remote_queue_takes_messages_by_its_transmission_queue
        test_a_resume_finds_on_the_transmission_queue_what_a_lost_commit_had_sent
        test_a_resume_goes_on_after_a_connection_was_lost_at_a_commit
        test_a_resume_leaves_in_doubt_what_another_unit_of_work_may_hold
        test_a_selection_string_is_the_queue_managers_work
        test_a_snapshot_has_the_messages_the_queue_and_its_definition
        test_a_transmission_queue_without_room_is_refused_by_the_plan_and_by_the_act
        test_an_undo_gives_back_what_was_taken
        test_an_undo_gives_back_the_property_that_a_requeue_changed
        test_an_undo_says_of_what_went_to_a_remote_queue_that_it_is_on_its_way
        test_leaving_never_commits
        test_nothing_of_a_unit_of_work_is_seen_before_its_commit
        test_segments_are_put_together
        test_the_cursor_at_the_end_of_a_queue_learns_of_what_comes_behind_it
        test_the_message_under_the_cursor_can_be_browsed_again
        test_the_queue_manager_fills_in_what_is_left_open
        test_the_queue_manager_matches_ids
        test_two_browses_do_not_disturb_each_other
        test_what_is_locked_is_got_under_the_cursor
    """,
    "cannot set the context or these put options": """
        test_a_put_that_fails_backs_the_get_out_and_says_so
        test_a_put_that_the_user_may_not_do_leads_to_the_next_rule
        test_a_requeue_keeps_ids_and_context_and_is_proven
        test_context_is_passed_on_from_the_message_got_last
        test_passed_on_and_set_context_give_the_same_copy
        test_putaut_ctx_puts_with_the_authority_of_the_user_in_the_context
        test_two_messages_with_one_msgid_are_told_apart
        test_what_cannot_go_on_is_parked_in_the_same_unit_of_work
        test_what_was_put_for_another_user_is_taken_back_by_an_undo
    """,
    "has no units of work, so a message that it removes could be lost": """
        test_a_field_of_the_descriptor_has_a_last_good_value
        test_a_handle_that_outlives_its_connection_is_closed_quietly
        test_a_message_is_cut_into_no_more_segments_than_it_needs
        test_a_message_is_cut_where_it_may_be
        test_a_message_is_there_until_the_last_microsecond_of_its_lifetime
        test_a_message_may_be_as_long_as_maxmsgl_says
        test_a_message_of_a_group_has_a_number_from_1_on
        test_a_message_of_any_length_comes_whole
        test_a_temporary_queue_takes_what_is_not_persistent_when_it_is_resolved
        test_a_wait_ends_with_2033
        test_a_wait_may_be_without_end_and_not_below
        test_an_exclusive_reader_keeps_others_out
        test_an_open_queue_is_not_deleted
        test_as_many_messages_fit_as_maxdepth_says
        test_gets_are_refused_where_they_are_disabled
        test_of_a_message_as_much_comes_as_was_asked_for
        test_open_handles_are_listed_and_gone_when_closed
        test_status_tells_depth_and_handles
        test_the_queue_says_priority_and_persistence_where_the_message_leaves_it_to_it
        test_what_is_put_is_got_with_every_field
    """,
    "cannot set the context, so a copy would differ from the original": """
        test_a_copy_keeps_the_context_that_it_is_given
    """,
    "writes its own MQRFH2, and cannot reproduce this one": """
        test_properties_come_in_an_rfh2_whatever_the_queue_says
    """,
    "has no browse cursor, so it cannot find the next message": """
        test_a_handle_does_what_it_was_opened_for
    """,
    "writes its own MQRFH2, which contains only user properties": """
        test_a_property_selects_whichever_way_it_came
        test_each_type_is_the_same_property_in_a_handle_and_in_an_mqrfh2
    """,
    "writes properties in a header of at most": """
        test_a_handle_holds_the_properties_of_the_message_got_last
    """,
    "writes such a value": """
        test_a_get_takes_the_message_and_its_properties
        test_any_properties_are_told_alike
        test_as_the_queue_says
    """,
    "acts as the user who logged in, and has no equivalent of MQSET": """
        test_an_alternate_user_is_asked_for_authority_at_an_open
    """,
}.items():
    for _test in _tests.split():
        REST_REFUSES.setdefault(_test, set()).add(_why)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Over the REST API, what is listed is refused."""
    parameters = pyfuncitem.callspec.params if hasattr(pyfuncitem, "callspec") else {}
    is_rest = parameters.get("end") in ("rest", "realrest")
    why = REST_REFUSES.get(pyfuncitem.originalname) if is_rest else None
    if parameters.get("end") == "realrest" and not MAY_WRITE:
        try:
            return (yield)
        except Refused as error:
            if "this connection only reads" not in error.text and why is None:
                raise
            pytest.skip(f"{error.text}: MQTRIAGE_TEST_REST_WRITES=1 lets it")
    if why is None:
        return (yield)
    with pytest.raises(Refused) as caught:
        yield
    assert any(f"IBM MQ's REST API {one}" in caught.value.text for one in why), caught.value.text
    return True


class End:
    """A queue manager and the way to it."""

    def __init__(self, name: str, queue_manager: str = "QM1") -> None:
        self.name = name
        self.queue_manager = queue_manager
        self.notices: list[str] = []
        self._connected: list[Backend] = []
        self._defined: list[tuple[str, str]] = []

    def _connect(self, properties_as: PropertyForm) -> Backend:
        raise NotImplementedError

    def connect(self, properties_as: PropertyForm = "rfh2") -> Backend:
        """A connection of its own, ended after the test."""
        connection = self._connect(properties_as)
        self._connected.append(connection)
        return connection

    def _definer(self) -> Backend:
        """What queues are defined through."""
        return self.connect()

    def is_written_to(self) -> None:
        """Leave the test out where nothing may be written."""
        if self.name == "realrest" and not MAY_WRITE:
            pytest.skip("it defines an object: MQTRIAGE_TEST_REST_WRITES=1 lets it")

    def define(self, kind: str, **attributes: int | str) -> str:
        """A queue for this test alone; returns its name."""
        self.is_written_to()
        name = f"MQTRIAGE.TEST.{secrets.token_hex(6).upper()}"
        self._definer().define(kind, name, attributes)
        self._defined.append((kind, name))
        return name

    def local(self, **attributes: int | str) -> str:
        return self.define("QLOCAL", **attributes)

    def close(self) -> None:
        for backend in self._connected:
            backend.disconnect()
        if self._defined:
            backend = self._definer()
            for kind, name in self._defined:
                with suppress(MQIError):
                    backend.delete(kind, name, purge=kind == "QLOCAL")
            backend.disconnect()


class InProcess(End):
    def __init__(self, path: Path) -> None:
        super().__init__("emulator")
        self._path = path

    def _connect(self, properties_as: PropertyForm) -> Backend:
        return EmulatedBackend(open_manager(self._path), properties_as=properties_as)


class Client(End):
    """Through pymqi or ibmmq."""

    def __init__(self, name: str, settings: ClientSettings, queue_manager: str) -> None:
        super().__init__(name, queue_manager)
        self.settings = settings

    def _connect(self, properties_as: PropertyForm) -> Backend:
        return ClientBackend(
            self.settings, self.queue_manager, self.notices.append, properties_as=properties_as
        )


class Served(Client):
    """Through our C library to a server; queues are defined beside it, in this process, so that
    the tests of messages say nothing of the command server."""

    def __init__(self, library: LibraryName, path: Path) -> None:
        super().__init__(library, ClientSettings(library=library), "QM1")
        self._path = path

    def _definer(self) -> Backend:
        return EmulatedBackend(open_manager(self._path))

    def beside(self) -> Backend:
        """The same queue manager in this process."""
        emulated = EmulatedBackend(open_manager(self._path))
        self._connected.append(emulated)
        return emulated


class OverRest(End):
    """Over the REST API; queues are defined by it, too."""

    def __init__(self, name: str, settings: RestSettings, queue_manager: str) -> None:
        super().__init__(name, queue_manager)
        self.settings = settings

    def _connect(self, properties_as: PropertyForm) -> Backend:
        backend = RestBackend(
            self.settings, self.queue_manager, self.notices.append, shows_messages=True
        )
        return readonly(backend) if self.name == "realrest" and not MAY_WRITE else backend


def real_rest_end() -> OverRest:
    url, _, name = REAL_REST.rpartition("/")
    settings = RestSettings(
        url,
        user=os.environ.get("MQTRIAGE_USER", ""),
        password=os.environ.get("MQTRIAGE_PASSWORD", ""),
        ca=os.environ.get("MQTRIAGE_TEST_REST_CAFILE", ""),
    )
    return OverRest("realrest", settings, name)


def real_end() -> Client:
    address = re.fullmatch(r"([^@]+)@([^/]+)/(.+)", REAL)
    assert address, "MQTRIAGE_TEST_CONN is QMGR@HOST(PORT)/CHANNEL"
    settings = ClientSettings(
        connection=address[2],
        channel=address[3],
        user=os.environ.get("MQTRIAGE_USER", ""),
        password=os.environ.get("MQTRIAGE_PASSWORD", ""),
    )
    return Client("real", settings, address[1])


@pytest.fixture(scope="module")
def module_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A queue manager with its server for all tests of a module: they have queues of their own."""
    home = tmp_path_factory.mktemp("home")
    patch = pytest.MonkeyPatch()
    patch.setenv("MQTRIAGE_HOME", str(home))
    patch.delenv("MQTRIAGE_QMGR", raising=False)
    served = Server(home)
    yield served
    served.close()
    patch.undo()


def load(request: pytest.FixtureRequest, library: str) -> Any:
    """The package, on our C library."""
    return request.getfixturevalue(library)


@pytest.fixture(scope="module")
def module_web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """The same over HTTPS: one user administers, sends and receives."""
    home = tmp_path_factory.mktemp("web")
    web = WebServer(home, web_roles=("admin=MQWebAdmin", "admin=MQWebUser"))
    yield web
    web.close()


def rest_settings(web: WebServer) -> RestSettings:
    return RestSettings(web.url, user="admin", password="passw0rd", ca=web.serving.ca_file)


@pytest.fixture(params=ENDS)
def end(request: pytest.FixtureRequest, module_served: Server) -> Iterator[End]:
    name: str = request.param
    chosen: End
    if name == "emulator":
        chosen = InProcess(module_served.path)
    elif name == "real":
        chosen = real_end()
    elif name == "realrest":
        chosen = real_rest_end()
    elif name == "rest":
        chosen = OverRest("rest", rest_settings(request.getfixturevalue("module_web")), "QM1")
    else:
        load(request, name)
        chosen = Served("pymqi" if name == "pymqi" else "ibmmq", module_served.path)
    yield chosen
    chosen.close()


@pytest.fixture
def backend(end: End) -> Backend:
    return end.connect()
