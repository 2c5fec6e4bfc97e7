"""Which messages are meant: `--where`, selection options and selection strings."""
