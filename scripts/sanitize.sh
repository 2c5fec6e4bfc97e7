#!/bin/sh
# sanitize.sh [PYTEST ARGUMENTS]: run tests of the C library with AddressSanitizer and UBSan built in.
#
# Without arguments: those that go through ibmmq and pymqi, and the C program. A finding ends the
# test that met it, with the sanitizer's report.
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python}
[ $# -gt 0 ] || set -- tests/mqi/test_ibmmq_messages.py tests/mqi/test_ibmmq_objects.py \
    tests/mqi/test_ibmmq_properties.py tests/mqi/test_c_program.py tests/mqi/test_pymqi.py \
    tests/mqi/test_in_doubt.py \
    tests/mqi/test_ccdt.py::test_a_table_says_by_which_channel_a_program_comes \
    tests/mqi/test_ccdt.py::test_a_table_that_cannot_be_read_is_2278_and_one_line \
    tests/mqi/test_reconnect.py::test_a_program_goes_on_after_its_server_was_gone \
    --deselect tests/mqi/test_c_program.py::test_valgrind_finds_nothing \
    --deselect tests/mqi/test_c_program.py::test_threads_do_not_race

asan=$(cc -print-file-name=libasan.so)
ubsan=$(cc -print-file-name=libubsan.so)
# the interpreter is not instrumented: the run-time has to be there before it, and what it keeps
# until its end is no leak of ours (test_c_program looks for leaks, under valgrind)
CC='cc -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined' \
LD_PRELOAD="$asan $ubsan" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
    exec "$PYTHON" -m pytest -q -p no:cacheprovider --capture=sys "$@"
