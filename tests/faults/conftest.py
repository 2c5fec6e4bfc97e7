"""The same queue manager of its own for each test as in the tests of messages."""

from tests.acceptance.messages.conftest import estate as estate
from tests.acceptance.messages.conftest import template as template
