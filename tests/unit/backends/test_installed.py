"""Finding the MQ client on a machine, and the fix for each way in which it is not usable."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.backends.client.installed import (
    LibraryFile,
    build_problems,
    client_version,
    fix,
    library_files,
)
from mqtriage.emulator.mqi.library.headers import NOTICE

ELF_64 = b"\x7fELF\x02\x01\x01"
ELF_32 = b"\x7fELF\x01\x01\x01"


def library(folder: Path, content: bytes = ELF_64, name: str = "libmqm_r.so") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def test_libraries_are_found_where_the_client_is_put_with_their_width(tmp_path: Path) -> None:
    wide = library(tmp_path / "opt/mqm/lib64")
    narrow = library(tmp_path / "opt/mqm/lib", ELF_32)
    text = library(tmp_path / "elsewhere", b"not a library")
    files = library_files({"LD_LIBRARY_PATH": f"{tmp_path / 'elsewhere'}:"}, tmp_path)
    assert [(file.path, file.bits, file.is_searched) for file in files] == [
        (text, 0, True), (wide, 64, False), (narrow, 32, False),
    ]  # fmt: skip
    assert {file.by for file in files} == {"IBM"}


def test_a_test_double_is_not_taken_for_ibms(tmp_path: Path) -> None:
    library(tmp_path / "sdk" / "lib64")
    (tmp_path / "sdk" / "README.txt").write_text(NOTICE)
    (library_file,) = library_files({"MQ_FILE_PATH": str(tmp_path / "sdk")}, tmp_path)
    assert library_file.by == "mqtriage"


HERE = [LibraryFile(Path("/opt/mqm/lib64/libmqm_r.so"), 64, "IBM", False)]


@pytest.mark.parametrize(
    ("text", "files", "hint"),
    [
        pytest.param(
            "libmqic_r.so: cannot open shared object file: No such file or directory",
            [], "install IBM's MQ client", id="no-client",
        ),
        pytest.param(
            "libmqm_r.so: cannot open shared object file: No such file or directory",
            HERE, "export LD_LIBRARY_PATH=/opt/mqm/lib64", id="client-not-searched",
        ),
        pytest.param(
            "libmqm_r.so: wrong ELF class: ELFCLASS32",
            HERE, "the lib64 folder of the MQ client, here /opt/mqm/lib64", id="32-bit-first",
        ),
        pytest.param(
            "ibmmqc.so: undefined symbol: MQINQMP", HERE, "install a newer one", id="too-old",
        ),
        pytest.param("something else", HERE, "pip install --force-reinstall", id="unknown"),
    ],
)  # fmt: skip
def test_each_install_error_has_its_fix(text: str, files: list[LibraryFile], hint: str) -> None:
    assert hint in fix("ibmmq", text, files)


def test_what_pip_lacks_to_build_pymqi_is_named(tmp_path: Path) -> None:
    lacking = build_problems({"CC": "no-such-compiler"}, tmp_path)
    assert any("cmqc.h" in problem and "MQ_FILE_PATH" in problem for problem in lacking)
    assert any("no-such-compiler" in problem for problem in lacking)
    (tmp_path / "opt/mqm/inc").mkdir(parents=True)
    (tmp_path / "opt/mqm/inc/cmqc.h").write_text("")
    assert not any("cmqc.h" in problem for problem in build_problems({}, tmp_path))


def test_the_level_of_a_client_is_what_its_dspmqver_says(tmp_path: Path) -> None:
    assert client_version(tmp_path) == ""
    command = tmp_path / "bin" / "dspmqver"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n[ \"$*\" = '-b -f 2' ] && echo 9.4.1.0\n")
    command.chmod(0o755)
    assert client_version(tmp_path) == "9.4.1.0"
    command.write_text("#!/bin/sh\necho broken; exit 3\n")
    assert client_version(tmp_path) == ""
