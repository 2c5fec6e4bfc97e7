"""Write C headers of our own for programs that call the MQI: cmqc.h, cmqxc.h and so on.

They are made from the tables of names, numbers and layouts; nothing in them is IBM's text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Final

from mqtriage.mq import name_table
from mqtriage.mq.name_table import Value
from mqtriage.mq.structures import Structure, StructureField, structure, structures

NOTICE: Final = "not IBM's: an interface-compatible test double made by mqtriage"
"""Stands in every file of the SDK."""

_SERVICES: Final = ("MQZED", "MQZAC", "MQZAD", "MQZFP", "MQZIC")
_EXITS: Final = (
    "MQACH", "MQAXC", "MQAXP", "MQCXP", "MQDXP", "MQNXP", "MQPBC", "MQPSXP", "MQSBC", "MQWCR",
    "MQWDR", "MQWQR", "MQWXP", "MQXEPO",
)  # fmt: skip
_ELSEWHERE: Final = ("MQCHARV", "MQCD", "MQXQH", "MQEPH", "MQIEP", *_SERVICES, *_EXITS)
"""Structures of other headers, and those that come after what they need."""
_OF_EACH_VERSION: Final = ("MQWDR", "MQWQR", "MQWXP")
"""Structures that are there under names of each version too: MQWDR1 and so on."""
_POINTERS: Final = {
    "SecurityParmsPtr": "PMQCSP",
    "SecurityParms": "PMQCSP",
    "SSLConfigPtr": "PMQSCO",
    "EntityNamePtr": "PMQCHAR",
    "EntityDomainPtr": "PMQCHAR",
    "EntityDataPtr": "PMQZED",
    "NextChainAreaPtr": "PMQACH",
    "ExitChainAreaPtr": "PMQACH",
    "pChannelDefinition": "PMQCD",
    "Hconfig": "MQHCONFIG",
    "pEntryPoints": "PMQIEP",
    "pExitDataPtr": "PMQCHAR",
    "ppMQCDArrayPtr": "PPMQCD",
    "MsgDescPtr": "PMQMD",
    "DestinationArrayPtr": "PPMQWDR",
    "QArrayPtr": "PPMQWQR",
}
"""The types of fields that are a pointer, but no MQPTR."""
_INSIDE: Final = {"MsgDesc": "MQMD1", "PCFHeader": "MQCFH"}
"""Fields that are structures."""
_TYPES: Final = {"i": "MQLONG", "q": "MQINT64", "P": "MQPTR", "V": "MQCHARV", "B": "MQCHAR"}
_HANDLES: Final = ("OriginalMsgHandle", "NewMsgHandle", "MsgHandle", "ExitMsgHandle")
_NO_FAMILY: Final = ("MQ", "MQCMDL")
"""What is a length or a level is not looked up by its number."""
_OF_PROGRAMS: Final = ("MQCCSI_APPL",)
"""What a program may define before it includes the header: IBM MQ documentation, "MQCHARV"."""
_HEXES: Final = ("MQRO", "MQENC")
_INCLUDES: Final = {"cmqc.h": (), "cmqec.h": ("cmqc.h", "cmqxc.h", "cmqzc.h"), "cmqpsc.h": ()}
"""The headers that one includes; others include cmqc.h."""
_FOLDERS: Final = {"MQRFH2": "NAME_VALUE"} | dict.fromkeys(("MQMCD", "MQPSC", "MQPSCR"), "FOLDER")
"""What defines the tags of a folder says that by its version, as other headers of IBM's do."""
_CODES: Final = {"cmqc": ("MQRC_", "MQFB_"), "cmqcfc": ("MQRCCF_",)}


def names(section: str) -> dict[str, Value]:
    """Names and values of one header: "cmqc", "cmqcfc" or "cmqxc"."""
    prefixes = _CODES.get(section, ())
    codes = name_table.codes().items() if prefixes else ()
    numbers = {name: code.number for name, code in codes if name.startswith(prefixes)}
    return {**name_table.headers()[section], **numbers}


def header(name: str) -> str:
    """The text of one header.

    Args:
        name: one of `HEADERS`.
    """
    guard = name.partition(".")[0].upper().replace("CMQ", "MQ") + "_INCLUDED"  # as IBM's
    lines = [f"/* {name}: {NOTICE}. */", f"#ifndef {guard}", f"#define {guard}"]
    lines += [f"#include <{other}>" for other in _INCLUDES.get(name, ("cmqc.h",))]
    lines += ['#ifdef __cplusplus\nextern "C" {\n#endif', *_BODIES[name]()]
    lines += ["#ifdef __cplusplus\n}\n#endif", "#endif", ""]
    return "\n".join(lines)


# -- what is in them ------------------------------------------------------------------------------


def _cmqc() -> Iterator[str]:
    yield _text("cmqc_base.txt").rstrip()
    for length in _lengths("c"):
        yield f"typedef MQCHAR MQCHAR{length}[{length}];"
    for length in _lengths("b"):
        yield f"typedef MQBYTE MQBYTE{length}[{length}];"
    known: dict[str, None] = {}
    yield from _defines(names("cmqc"), known)
    yield _text("cmqc_strings.txt").rstrip()
    here = [described for described in structures().values() if described.name not in _ELSEWHERE]
    for described in here:
        yield _pointers(described.name)
    for described in here:
        yield from _structure(described, known)
    both = structure("MQMD")
    second = both._replace(name="MQMD2", ends={2: both.ends[2]}, lengths={2: both.lengths[2]})
    for one in (both.first(1)._replace(name="MQMD1"), second):
        yield _pointers(one.name)
        yield from _structure(one, known)
    yield _pointers("MQXQH")
    yield from _structure(structure("MQXQH"), known)
    yield _text("cmqc_more.txt").rstrip()
    yield from _prototypes("cmqc")


def _cmqxc() -> Iterator[str]:
    known: dict[str, None] = {}
    yield from _defines(names("cmqxc"), known)
    yield from _defines(names("conversion"), known)
    yield _pointers("MQCD")
    yield from _structure(structure("MQCD"), known)
    yield "#define MQCD_CLIENT_CONN_DEFAULT MQCD_DEFAULT"
    yield from map(_pointers, _EXITS)
    for name in _EXITS:
        whole = structure(name)
        yield from _structure(whole, known)
        for version in whole.ends if name in _OF_EACH_VERSION else ():
            yield _pointers(f"{name}{version}")
            yield from _structure(whole.first(version)._replace(name=f"{name}{version}"), known)
    yield from _prototypes("cmqxc")
    for section in ("cmqxc types", "cmqxc exits"):
        for name, parameters in _calls(section):
            yield from _function_type(name, parameters)


def _cmqzc() -> Iterator[str]:
    known: dict[str, None] = {}
    yield from _defines(names("cmqzc"), known)
    for name in _SERVICES:
        yield _pointers(name)
        yield from _structure(structure(name), known)
    yield from _prototypes("cmqzc")
    for name, parameters in _calls("cmqzc types"):
        yield from _function_type(name, parameters)


def _cmqec() -> Iterator[str]:
    known: dict[str, None] = {}
    yield from _defines(names("cmqec"), known)
    yield from _structure(structure("MQIEP"), known)


def _cmqpsc() -> Iterator[str]:
    """Each text as a string and as characters, in the forms that stand in messages."""
    for name, value in names("cmqpsc blanks").items():
        text = str(value)
        yield f'#define {name} "{text}"'
        yield f'#define {name}_B " {text} "'
        yield f"#define {name}_A {_array(f' {text} ')}"
    for folder, version in _FOLDERS.items():
        guard = f"{folder}_{version}_VERSION"
        yield f"#ifndef {guard}\n#define {guard} 1"
        for kind in ("tags", "words"):
            for name, value in names(f"cmqpsc {kind}").items():
                if name.startswith(f"{folder}_"):
                    yield from _text_of_folder(name, str(value), is_tag=kind == "tags")
        yield "#endif"


def _text_of_folder(name: str, text: str, *, is_tag: bool) -> Iterator[str]:
    yield f'#define {name} "{text}"'
    yield f"#define {name}_A {_array(text)}"
    if is_tag:
        for end, tag in (("B", f"<{text}>"), ("E", f"</{text}>")):
            yield f'#define {name}_{end} "{tag}"'
            yield f"#define {name}_{end}A {_array(tag)}"


def _array(characters: str) -> str:
    return ", ".join("0" if c == "\0" else f"'{c}'" for c in characters)


def _cmqcfc() -> Iterator[str]:
    known: dict[str, None] = {}
    yield from _defines(names("cmqcfc"), known)
    for line in _entries("pcf.txt"):
        yield from _pcf_structure(*line.split())
    yield _pointers("MQEPH")
    yield from _structure(structure("MQEPH"), known)


def _pcf_structure(name: str, *fields: str) -> Iterator[str]:
    """One PCF structure with its initial values; see pcf.txt."""
    values = []
    yield "typedef struct {"
    for field in fields:
        label, _, value = field.partition("=")
        kind, _, label = label.rpartition(":")
        yield f"  {kind or 'MQLONG'} {label};"
        values.append(value or ('{""}' if kind == "MQCHAR" else "{0}"))
    yield f"}} {name};"
    yield f"typedef {name} *P{name};"
    yield f"#define {name}_DEFAULT {', '.join(values)}"


def _cmqstrc() -> Iterator[str]:
    """A function for each family that names its numbers: MQRC_STR(2085)."""
    yield "#include <cmqcfc.h>\n#include <cmqxc.h>"
    families: dict[str, dict[int, str]] = {}
    for section in ("cmqc", "cmqcfc", "cmqxc"):
        for name, value in names(section).items():
            family, _, rest = name.partition("_")
            is_name = family not in _NO_FAMILY and not rest.startswith(("FIRST", "LAST"))
            if is_name and isinstance(value, int):
                families.setdefault(family, {}).setdefault(_signed(value), name)
    for family, known in families.items():
        yield f"static inline char *{family}_STR(MQLONG v) {{\n  switch (v) {{"
        for number, name in sorted(known.items()):
            yield f'  case {number}: return (char *)"{name}";'
        yield '  default: return (char *)"";\n  }\n}'


def _defines(values: Mapping[str, Value], known: dict[str, None]) -> Iterator[str]:
    """A macro for each name, which is *known* from then on."""
    for name, value in values.items():
        known[name] = None
        if isinstance(value, int):
            signed = _signed(value)
            is_hex = name.partition("_")[0] in _HEXES and signed >= 0
            line = f"#define {name} {hex(signed) if is_hex else f'({signed})'}"
            yield f"#ifndef {name}\n{line}\n#endif" if name in _OF_PROGRAMS else line
            continue
        if len(value) == 1:
            octet = value if isinstance(value, bytes) else value.encode("latin-1")
            yield f"#define {name} '\\x{octet.hex()}'"
            continue
        characters = value if isinstance(value, str) else value.decode("ascii")
        text = characters.replace("\0", "\\0")  # programs copy as many bytes as the field has
        yield f'#define {name} "{text}"'
        yield f"#define {name}_ARRAY {_array(characters)}"


def _signed(value: int) -> int:
    """The number as an MQLONG."""
    return value - 2**32 if value >= 2**31 else value


def _lengths(kind: str) -> list[int]:
    extra = {8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 128, 256, 264}
    lengths = {
        field.repeat
        for described in structures().values()
        for field in described.fields
        if field.kind == kind and field.repeat > 1 and field.name not in _INSIDE
    }
    return sorted(lengths | extra | {4})


def _pointers(name: str) -> str:
    return f"typedef struct tag{name} {name}, *P{name}, **PP{name};"


def _structure(described: Structure, known: dict[str, None]) -> Iterator[str]:
    """The structure with its lengths and initial values, without names that are *known* already."""
    name = described.name
    yield f"struct tag{name} {{"
    if described.ident:
        yield "  MQCHAR4 StrucId;\n  MQLONG Version;"
    for field in described.fields:
        members = f"[{field.repeat}]" if _is_array(field) else ""
        yield f"  {_type(name, field)} {field.name}{members};"
    yield "};"
    for label, number in described.numbers.items():
        if label not in known:
            yield f"#define {label} {number}"
    if described.ident:
        yield f'#define {name}_STRUC_ID "{described.ident:4}"'
        yield f"#define {name}_STRUC_ID_ARRAY {_array(described.ident.ljust(4))}"
    yield f"#define {name}_DEFAULT {', '.join(_initials(described))}"


def _type(structure: str, field: StructureField) -> str:
    if field.name in _HANDLES:
        return "MQHMSG"
    if field.name in _POINTERS:
        return _POINTERS[field.name]
    if structure == "MQIEP" and field.name.endswith("_Call"):
        return f"PMQ_{field.name[2:-5]}_CALL"
    if field.name in _INSIDE:
        return _INSIDE[field.name]
    if field.kind in "cb":
        return f"MQ{'CHAR' if field.kind == 'c' else 'BYTE'}{field.repeat}"
    return _TYPES[field.kind]


def _is_array(field: StructureField) -> bool:
    return field.kind == "i" and field.repeat > 1


def _initials(described: Structure) -> Iterator[str]:
    if described.ident:
        yield f"{{{described.name}_STRUC_ID_ARRAY}}"
        yield f"{described.first_version}"
    for field in described.fields:
        yield _initial(field)


def _initial(field: StructureField) -> str:
    if _is_array(field):
        return "{" + ", ".join([field.default] * field.repeat) + "}"
    if field.name in _INSIDE:
        return f"{{{_INSIDE[field.name]}_DEFAULT}}"
    if field.kind == "P":
        return "NULL"
    if field.kind in "iq":
        return field.default or "0"
    if field.kind == "V":
        return "{MQCHARV_DEFAULT}"
    if field.kind == "B":
        return f"'{field.default or ' '}'"
    text = field.default.ljust(field.repeat) if field.default == " " else field.default
    return "{" + (", ".join(f"'{c}'" for c in text) or "0") + "}"


def _prototypes(section: str) -> Iterator[str]:
    """The functions of a header, and the type of each."""
    for name, parameters in _calls(section):
        yield f"void MQENTRY {name}({parameters});"
        yield from _function_type(f"MQ_{name[2:]}_CALL", parameters)


def _function_type(name: str, parameters: str) -> Iterator[str]:
    yield f"typedef void MQENTRY {name}({parameters});"
    yield f"typedef {name} *P{name};"


def _calls(section: str) -> Iterator[tuple[str, str]]:
    """Functions of calls.txt with their parameters."""
    inside = False
    for line in _entries("calls.txt"):
        if line[0] == "[":
            inside = line == f"[{section}]"
        elif inside:
            name, _, parameters = line.partition(" ")
            codes = "" if section.endswith("exits") else "PMQLONG pCompCode, PMQLONG pReason"
            yield name, ", ".join(filter(None, (parameters, codes)))


def _entries(file: str) -> list[str]:
    """The entries below the head of a table; a line that begins with blanks continues one."""
    return _text(file).partition("\n\n")[2].replace("\n  ", " ").splitlines()


def _text(file: str) -> str:
    return (files("mqtriage.emulator.mqi.library") / file).read_text("utf-8")


_BODIES: Final = {
    "cmqc.h": _cmqc,
    "cmqxc.h": _cmqxc,
    "cmqcfc.h": _cmqcfc,
    "cmqbc.h": lambda: [_text("cmqbc.h")],
    "cmqpsc.h": _cmqpsc,
    "cmqzc.h": _cmqzc,
    "cmqec.h": _cmqec,
    "cmqstrc.h": _cmqstrc,
}
HEADERS: Final = tuple(_BODIES)
