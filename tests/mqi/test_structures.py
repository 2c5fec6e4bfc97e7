"""The table of layouts against the `ibmmq` wheel, and our headers against the C compiler."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mqtriage.emulator.mqi.library import headers
from mqtriage.mq.errors import MQIError
from mqtriage.mq.structures import structure, structures
from tests.support.scale import for_all
from tests.unit.mq.test_constants import services, wheel

NO_LENGTHS = {"MQCHARV", "MQOR", "MQRR", "MQIEP", "MQWCR"}
"""Structures for which neither the wheel nor pymqi has lengths."""


def numbers(file: str) -> dict[str, int]:
    """The constants of one file of the wheel, read without importing the package."""
    spec = find_spec("ibmmq")
    if spec is None or spec.origin is None:
        pytest.skip("the ibmmq wheel is not installed (the extra dev)")
    text = (Path(spec.origin).parent / file).read_text("utf-8")
    constants = re.findall(r"^(MQ\w+)\s*=\s*\(?(-?(?:0x[0-9A-Fa-f]+|\d+))\)?", text, re.MULTILINE)
    return {name: int(value, 0) for name, value in constants}


@for_all(sorted(set(structures()) - NO_LENGTHS))
def test_each_version_of_a_structure_is_as_long_as_in_the_wheel(name: str) -> None:
    theirs: dict[str, Any] = {**numbers("CMQXC.py"), **wheel()}
    theirs |= services() if name.startswith("MQZ") else {}
    pattern = re.compile(rf"{name}_LENGTH_(\d+)")
    lengths = {
        int(matched[1]): value
        for key, value in theirs.items()
        if (matched := pattern.fullmatch(key))
    }
    assert structure(name).lengths == lengths
    ident = theirs.get(f"{name}_STRUC_ID")
    assert ident in (None, structure(name).ident.ljust(4).encode())


@pytest.mark.parametrize("section", ["cmqc", "cmqcfc", "cmqxc"])
def test_each_name_of_the_headers_has_its_number_of_the_wheel(section: str) -> None:
    theirs: dict[str, Any] = {**numbers("CMQXC.py"), **wheel()}
    ours = {k: v for k, v in headers.names(section).items() if isinstance(v, int)}
    assert len(ours) > 50
    wrong = {k: v for k, v in ours.items() if (theirs[k] - v) % 2**32}
    assert wrong == {}


def test_a_compiler_sees_the_same_offsets(sdk: Path, tmp_path: Path) -> None:
    source = tmp_path / "offsets.c"
    lines = ["#include <cmqc.h>", "#include <cmqcfc.h>", "#include <cmqec.h>"]
    for layout in structures().values():
        lines.append(f"static {layout.name} one_{layout.name} = {{{layout.name}_DEFAULT}};")
        for field in layout.fields:
            at = f"offsetof({layout.name}, {field.name})"
            lines.append(f'_Static_assert({at} == {field.offset}, "{field.name}");')
    lines.append("int main(void) { return (int)sizeof one_MQMD - 364")
    lines += [f"  + 0 * (int)sizeof one_{name}" for name in structures()]
    lines.append("; }")
    source.write_text("\n".join(lines))
    program = tmp_path / "offsets"
    ran = subprocess.run(
        ["cc", "-Wall", "-Wextra", "-Werror", f"-I{sdk}/inc", "-o", str(program), str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[:2000]
    assert subprocess.run([str(program)], check=False).returncode == 0


def test_every_header_with_its_initial_values_is_cplusplus_as_well(
    sdk: Path, tmp_path: Path
) -> None:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C++ compiler here")
    lines = [f"#include <{name}>" for name in headers.HEADERS]
    names = [*structures(), "MQMD1", "MQMD2", "MQCFH"]
    lines += [f"{name} one_{name} = {{{name}_DEFAULT}};" for name in names]
    lines.append("MQCD client = {MQCD_CLIENT_CONN_DEFAULT};")
    source = tmp_path / "all.cpp"
    source.write_text("\n".join(lines))
    command = [compiler, "-fsyntax-only", "-Wall", "-Wextra", f"-I{sdk}/inc", str(source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[:2000]


@pytest.mark.parametrize(("compiler", "ending"), [("cc", "c"), ("c++", "cpp")])
@pytest.mark.parametrize("order", [headers.HEADERS, headers.HEADERS[::-1]], ids=("a", "z"))
@pytest.mark.slow
def test_all_headers_together_in_any_order(
    sdk: Path, tmp_path: Path, compiler: str, ending: str, order: tuple[str, ...]
) -> None:
    """With exits and installable services, of which the emulator has none: 2298."""
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler} here")
    source, program = tmp_path / f"all.{ending}", tmp_path / "all"
    includes = "".join(f"#include <{name}>\n" for name in (*order, *order))
    source.write_text(f"#include <stdio.h>\n{includes}{EXIT}")
    command = [compiler, "-Wall", "-Wextra", "-Werror", f"-I{sdk}/inc", "-o", str(program)]
    link = [str(source), f"-L{sdk}/lib64", f"-Wl,-rpath,{sdk}/lib64", "-lmqm_r"]
    ran = subprocess.run([*command, *link], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[:2000]
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines() == [
        "264 264 IEP 2",
        "72 84 80 24 84 50216959 13",
        " MQPSTopic  </Command> <usr>",
        "2298",
        "2298 224 136 212",
    ]


EXIT = r"""
static void MQENTRY begin(MQHCONFIG config, MQLONG options, PMQCHAR name, MQLONG length,
                          PMQBYTE data, PMQLONG version, PMQLONG cc, PMQLONG rc) {
  (void)config, (void)options, (void)name, (void)length, (void)data;
  *version = MQZAS_VERSION_6, *cc = MQCC_OK, *rc = MQRC_NONE;
}
static void MQENTRY start(PMQAXP parms, PMQAXC context, PMQLONG cc, PMQLONG rc) {
  MQXEPO options = {MQXEPO_DEFAULT};
  (void)context;
  MQXEP(parms->Hconfig, MQXR_BEFORE, MQXF_PUT, (PMQFUNC)begin, &options, cc, rc);
}
int main(void) {
  MQIEP entries = {MQIEP_DEFAULT};
  MQAXP parms = {MQAXP_DEFAULT};
  PMQ_INIT_EXIT call = start;
  MQZED entity = {MQZED_DEFAULT};
  MQZAD authority = {MQZAD_DEFAULT};
  PMQZ_INIT_AUTHORITY function = begin;
  MQHCONFIG config = &entries;
  char folder[] = {MQRFH2_USER_FOLDER_BA, 0}, topic[] = {MQPS_TOPIC_A, 0};
  MQLONG cc, rc, version;
  function(config, MQZIO_PRIMARY, NULL, 0, NULL, &version, &cc, &rc);
  entity.EntityNamePtr = folder, authority.EntityDataPtr = &entity, entries.MQZEP_Call = MQZEP;
  printf("%d %d %.3s %d\n", (int)sizeof entries, MQIEP_CURRENT_LENGTH, entries.StrucId,
         MQIEPF_LOCAL_LIBRARY);
  printf("%d %d %d %d %d %d %d\n", (int)sizeof entity, (int)sizeof(MQZAC), (int)sizeof authority,
         (int)sizeof(MQZFP), (int)sizeof(MQZIC), MQZAO_ALL, MQZID_CHECK_PRIVILEGED);
  printf("%s %s %s\n", topic, MQPSC_COMMAND_E, authority.EntityDataPtr->EntityNamePtr);
  entries.MQZEP_Call(config, MQZID_INIT_AUTHORITY, (PMQFUNC)begin, &cc, &rc);
  printf("%d\n", rc);
  parms.Hconfig = config, call(&parms, NULL, &cc, &rc);
  printf("%d %d %d %d\n", rc, (int)sizeof(MQWXP1), (int)sizeof(MQWDR2), (int)sizeof(MQWQR3));
  return 0;
}
"""


def test_a_descriptor_of_version_2_begins_as_one(sdk: Path, tmp_path: Path) -> None:
    source = tmp_path / "descriptor.c"
    source.write_text(
        "#include <cmqc.h>\n"
        "int main(void) {\n"
        "  MQMD2 two = {MQMD2_DEFAULT}; MQMD one = {MQMD_DEFAULT}, same;\n"
        "  __builtin_memcpy(&same, &two, sizeof same);\n"
        "  same.Version = MQMD_VERSION_1;\n"
        "  if (one.Version != MQMD_VERSION_1 || two.Version != MQMD_VERSION_2) return 1;\n"
        "  return __builtin_memcmp(&one, &same, sizeof one) ? 2 : 0;\n"
        "}\n"
    )
    program = tmp_path / "descriptor"
    command = ["cc", "-Wall", "-Wextra", "-Werror", f"-I{sdk}/inc", "-o", str(program), str(source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[:2000]
    assert subprocess.run([str(program)], check=False).returncode == 0


def test_a_program_may_say_first_what_it_is_to_read_strings_in(sdk: Path, tmp_path: Path) -> None:
    source = tmp_path / "ccsid.c"
    source.write_text(
        "#define MQCCSI_APPL 1208\n#include <cmqc.h>\n"
        "int main(void) { MQCHARV one = {MQCHARV_DEFAULT}; return one.VSCCSID != 1208; }\n"
    )
    program = tmp_path / "ccsid"
    command = ["cc", "-Wall", "-Wextra", "-Werror", f"-I{sdk}/inc", "-o", str(program), str(source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[:2000]
    assert subprocess.run([str(program)], check=False).returncode == 0


def test_libraries_are_in_lib_as_well(sdk: Path) -> None:
    assert (sdk / "lib" / "libmqm_r.so").samefile(sdk / "lib64" / "libmqm_r.so")


@pytest.mark.parametrize("name", ["MQOD", "MQPMO", "MQGMO", "MQCNO", "MQSD", "MQSTS"])
def test_initial_values_decode_to_what_the_table_says(name: str) -> None:
    layout = structure(name)
    for version in layout.ends:
        data = layout.initial(version)
        assert layout.version_of(data, "test") == version
        for field in layout.fields:
            if field.kind == "i" and field.version <= version:
                assert layout.decode(data, "test")[field.name] == int(field.default)


@pytest.mark.parametrize("data", [b"", b"OD", b"XX  \1\0\0\0" + bytes(500), b"OD  \5" + bytes(500)])
def test_what_is_no_mqod_is_2044(data: bytes) -> None:
    with pytest.raises(MQIError) as caught:
        structure("MQOD").version_of(data, "test")
    assert caught.value.reason == 2044


def test_patching_leaves_what_the_version_does_not_have() -> None:
    layout = structure("MQOD")
    short = layout.initial(1)
    patched = layout.patched(short, ObjectName="NEW", ResolvedQName="FAR")
    assert len(patched) == len(short)
    assert layout.decode(patched, "test")["ObjectName"] == "NEW"
