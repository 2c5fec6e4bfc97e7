"""The command line: argv to request, result to exit code. The only home of typer."""

import gc

# what a start imports is no garbage: to look for some after every 700 objects of it, as Python does
# where nobody says otherwise, takes a fifth of the processor time of a short command
gc.set_threshold(50_000, 10, 10)
