"""The command line: argv to request, result to exit code. The only home of typer."""
