"""Which files have MQSC in them, by their names."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

_YAML: Final = re.compile(r".*\.ya?ml(?:[._](?:tpl|tmpl|template|j2|in))?")
_SHELL: Final = (".sh", ".bash", ".ksh", ".dockerfile", ".tf", ".groovy", ".jenkinsfile")
_BATCH: Final = (".bat", ".cmd")
_MARKDOWN: Final = (".md", ".markdown")
_IMAGES: Final = ("dockerfile", "containerfile")
_SHELL_NAMES: Final = (*_IMAGES, "jenkinsfile")
_JOBS: Final = (".jcl", ".cntl", ".job")
_TEMPLATE: Final = re.compile(r".*\.mqsc?[._](?:tpl|tmpl|template|j2|jinja2?|ftl|erb|in)")


def holds_mqsc(name: str) -> bool:
    """Whether a file of that name is read for the MQSC in it, and is none itself."""
    return kind_of(name) != ""


def is_yaml(name: str) -> bool:
    """Whether the MQSC of a file of that name is in scalars of YAML."""
    return kind_of(name) == "yaml"


def is_job(name: str) -> bool:
    """Whether a file of that name is a job of z/OS."""
    return name.lower().endswith(_JOBS)


def is_markdown(name: str) -> bool:
    """Whether what is in a file of that name is to be read rather than run."""
    return name.lower().endswith(_MARKDOWN)


def is_image(name: str) -> bool:
    """Whether a file of that name makes a container image."""
    base = PurePath(name).name.lower()
    return base.startswith(_IMAGES) or base.endswith(".dockerfile")


def is_template(name: str) -> bool:
    """Whether a file of that name is MQSC from which a script is made."""
    return _TEMPLATE.fullmatch(PurePath(name).name.lower()) is not None


def kind_of(name: str) -> str:
    base = PurePath(name).name.lower()
    if base.startswith(_SHELL_NAMES) or base.endswith(_SHELL):
        return "shell"
    if base.endswith(_BATCH):
        return "batch"
    if base.endswith(_JOBS):
        return "job"
    if is_template(name):
        return "template"
    if _YAML.fullmatch(base):
        return "yaml"
    return "markdown" if base.endswith(_MARKDOWN) else ""
