"""Write C headers of our own for programs that call the MQI: cmqc.h, cmqxc.h and so on.

They are made from the tables of names, numbers and layouts; nothing in them is IBM's text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Final

from mqtriage.mq import name_table
from mqtriage.mq.name_table import Value
from mqtriage.mq.structures import Field, Structure, structure, structures

NOTICE: Final = "not IBM's: an interface-compatible test double made by mqtriage"
"""Stands in every file of the SDK."""

_ELSEWHERE: Final = ("MQCHARV", "MQCD", "MQXQH", "MQEPH")
"""Structures of other headers, and those that come after what they need."""
_INSIDE: Final = {"MsgDesc": "MQMD1", "PCFHeader": "MQCFH"}
"""Fields that are structures."""
_TYPES: Final = {"i": "MQLONG", "q": "MQINT64", "P": "MQPTR", "V": "MQCHARV", "B": "MQCHAR"}
_HANDLES: Final = ("OriginalMsgHandle", "NewMsgHandle", "MsgHandle")
_NO_FAMILY: Final = ("MQ", "MQCMDL")
"""What is a length or a level is not looked up by its number."""
_HEXES: Final = ("MQRO", "MQENC")
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
    guard = name.replace(".", "_").upper() + "_MQTRIAGE"
    lines = [f"/* {name}: {NOTICE}. */", f"#ifndef {guard}", f"#define {guard}"]
    if name != "cmqc.h":
        lines.append("#include <cmqc.h>")
    lines += ['#ifdef __cplusplus\nextern "C" {\n#endif', *_BODIES[name]()]
    lines += ["#ifdef __cplusplus\n}\n#endif", "#endif", ""]
    return "\n".join(lines)


# -- what is in them ------------------------------------------------------------------------------


def _cmqc() -> Iterator[str]:
    yield _BASE_TYPES
    for length in _lengths("c"):
        yield f"typedef MQCHAR MQCHAR{length}[{length}];"
    for length in _lengths("b"):
        yield f"typedef MQBYTE MQBYTE{length}[{length}];"
    known: dict[str, None] = {}
    yield from _defines(names("cmqc"), known)
    yield _VARIABLE_STRING
    here = [described for described in structures().values() if described.name not in _ELSEWHERE]
    for described in here:
        yield _pointers(described.name)
    for described in here:
        yield from _structure(described, known)
    yield _pointers("MQMD1")
    yield from _structure(structure("MQMD").first(1)._replace(name="MQMD1"), known)
    yield _pointers("MQXQH")
    yield from _structure(structure("MQXQH"), known)
    second = _initials(structure("MQMD"), version=2)
    yield f"#define MQMD2_DEFAULT {', '.join(second)}"
    yield _MORE_MESSAGE_DATA
    yield _CONSUMER
    yield from _prototypes()


def _cmqxc() -> Iterator[str]:
    known: dict[str, None] = {}
    yield from _defines(names("cmqxc"), known)
    yield from _defines(names("conversion"), known)
    yield _pointers("MQCD")
    yield from _structure(structure("MQCD"), known)
    yield "#define MQCD_CLIENT_CONN_DEFAULT MQCD_DEFAULT"


def _cmqcfc() -> Iterator[str]:
    known: dict[str, None] = {}
    yield from _defines(names("cmqcfc"), known)
    for name, fields in _PCF.items():
        yield from _pcf_structure(name, fields)
    yield _pointers("MQEPH")
    yield from _structure(structure("MQEPH"), known)


def _pcf_structure(name: str, fields: str) -> Iterator[str]:
    """One PCF structure with its initial values; see `_PCF`."""
    values = []
    yield "typedef struct {"
    for field in fields.split():
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
            yield f"#define {name} {hex(signed) if is_hex else f'({signed})'}"
            continue
        characters = value if isinstance(value, str) else value.decode("ascii")
        text = characters.replace("\0", "\\0")  # programs copy as many bytes as the field has
        yield f'#define {name} "{text}"'
        array = ", ".join("0" if c == "\0" else f"'{c}'" for c in characters)
        yield f"#define {name}_ARRAY {array}"


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
        characters = ", ".join(f"'{c}'" for c in described.ident.ljust(4))
        yield f'#define {name}_STRUC_ID "{described.ident:4}"'
        yield f"#define {name}_STRUC_ID_ARRAY {characters}"
    yield f"#define {name}_DEFAULT {', '.join(_initials(described))}"


def _type(structure: str, field: Field) -> str:
    if field.name in _HANDLES:
        return "MQHMSG"
    if (structure, field.name) == ("MQCNO", "SecurityParmsPtr"):
        return "PMQCSP"
    if (structure, field.name) == ("MQCNO", "SSLConfigPtr"):
        return "PMQSCO"
    if field.name in _INSIDE:
        return _INSIDE[field.name]
    if field.kind in "cb":
        return f"MQ{'CHAR' if field.kind == 'c' else 'BYTE'}{field.repeat}"
    return _TYPES[field.kind]


def _is_array(field: Field) -> bool:
    return field.kind == "i" and field.repeat > 1


def _initials(described: Structure, *, version: int | None = None) -> Iterator[str]:
    if described.ident:
        yield f"{{{described.name}_STRUC_ID_ARRAY}}"
        yield f"{version or described.first_version}"
    for field in described.fields:
        yield _initial(field)


def _initial(field: Field) -> str:
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


def _prototypes() -> Iterator[str]:
    for call in _text("calls.txt").partition("\n\n")[2].replace("\n  ", " ").splitlines():
        name, _, parameters = call.partition(" ")
        parameters += ", " if parameters else ""
        yield f"void MQENTRY {name}({parameters}PMQLONG pCompCode, PMQLONG pReason);"


def _text(file: str) -> str:
    return (files("mqtriage.emulator.mqi.library") / file).read_text("utf-8")


_BASE_TYPES: Final = """#include <stddef.h>
#include <stdint.h>
#ifndef MQENTRY
#define MQENTRY
#endif
#define MQPOINTER *
typedef int32_t MQLONG;
typedef uint32_t MQULONG;
typedef int64_t MQINT64;
typedef uint64_t MQUINT64;
typedef int8_t MQINT8;
typedef uint8_t MQUINT8;
typedef int16_t MQINT16;
typedef uint16_t MQUINT16;
typedef int32_t MQINT32;
typedef uint32_t MQUINT32;
typedef float MQFLOAT32;
typedef double MQFLOAT64;
typedef char MQCHAR;
typedef unsigned char MQBYTE;
typedef MQLONG MQBOOL;
typedef void MQVOID;
typedef void *MQPTR;
typedef MQLONG MQHCONN;
typedef MQLONG MQHOBJ;
typedef MQINT64 MQHMSG;
typedef MQLONG MQPID;
typedef MQLONG MQTID;
typedef MQLONG MQHCONFIG_INT;
typedef MQLONG *PMQLONG;
typedef MQULONG *PMQULONG;
typedef MQINT64 *PMQINT64;
typedef MQPTR *PMQPTR;
typedef MQINT8 *PMQINT8;
typedef MQINT16 *PMQINT16;
typedef MQINT32 *PMQINT32;
typedef MQFLOAT32 *PMQFLOAT32;
typedef MQFLOAT64 *PMQFLOAT64;
typedef MQBOOL *PMQBOOL;
typedef MQCHAR *PMQCHAR;
typedef MQBYTE *PMQBYTE;
typedef void *PMQVOID;
typedef void **PPMQVOID;
typedef MQHCONN *PMQHCONN;
typedef MQHOBJ *PMQHOBJ;
typedef MQHMSG *PMQHMSG;
typedef void (MQENTRY MQFUNC)(void);
typedef MQFUNC *PMQFUNC;"""

_VARIABLE_STRING: Final = """typedef struct tagMQCHARV {
  MQPTR VSPtr; MQLONG VSOffset; MQLONG VSBufSize; MQLONG VSLength; MQLONG VSCCSID;
} MQCHARV;
typedef MQCHARV *PMQCHARV;
#define MQCHARV_DEFAULT NULL, 0, 0, 0, MQCCSI_APPL
#define MQPROP_INQUIRE_ALL (MQPTR)(char *)"%", 0, 0, 1, MQCCSI_APPL
#define MQPROP_INQUIRE_ALL_USR (MQPTR)(char *)"usr.%", 0, 0, 5, MQCCSI_APPL"""

_MORE_MESSAGE_DATA: Final = """typedef MQMD MQMD2;
typedef MQMD2 *PMQMD2;
#define MQTMC_STRUC_ID "TMC "
#define MQTMC_VERSION_2 "   2"
#define MQTMC_CURRENT_VERSION MQTMC_VERSION_2"""

_CONSUMER: Final = """typedef void MQENTRY MQCB_FUNCTION(MQHCONN, PMQMD, PMQGMO, PMQVOID, PMQCBC);
typedef MQCB_FUNCTION *PMQCB_FUNCTION;"""


_PCF: Final = {
    "MQCFH": "Type=1 StrucLength=36 Version=1 Command=0 MsgSeqNumber=1 Control=1 CompCode=0"
    " Reason=0 ParameterCount=0",
    "MQCFBF": "Type=15 StrucLength=20 Parameter=0 Operator=0 FilterValueLength=0"
    " MQBYTE:FilterValue[1]",
    "MQCFBS": "Type=9 StrucLength=16 Parameter=0 StringLength=0 MQBYTE:String[1]",
    "MQCFGR": "Type=20 StrucLength=16 Parameter=0 ParameterCount=0",
    "MQCFIF": "Type=13 StrucLength=20 Parameter=0 Operator=0 FilterValue=0",
    "MQCFIL": "Type=5 StrucLength=16 Parameter=0 Count=0 Values[1]",
    "MQCFIL64": "Type=25 StrucLength=16 Parameter=0 Count=0 MQINT64:Values[1]",
    "MQCFIN": "Type=3 StrucLength=16 Parameter=0 Value=0",
    "MQCFIN64": "Type=23 StrucLength=24 Parameter=0 Reserved=0 MQINT64:Value=0",
    "MQCFSF": "Type=14 StrucLength=24 Parameter=0 Operator=0 CodedCharSetId=0"
    " FilterValueLength=0 MQCHAR:FilterValue[1]",
    "MQCFSL": "Type=6 StrucLength=24 Parameter=0 CodedCharSetId=0 Count=0 StringLength=0"
    " MQCHAR:Strings[1]",
    "MQCFST": "Type=4 StrucLength=20 Parameter=0 CodedCharSetId=0 StringLength=0 MQCHAR:String[1]",
}
"""Fields with their initial values; ``TYPE:`` stands in front of those that are no MQLONG."""

_BODIES: Final = {
    "cmqc.h": _cmqc,
    "cmqxc.h": _cmqxc,
    "cmqcfc.h": _cmqcfc,
    "cmqbc.h": lambda: [_text("cmqbc.h")],
    "cmqstrc.h": _cmqstrc,
}
HEADERS: Final = tuple(_BODIES)
