"""What is measured, against what; `python -m benchmarks.run` runs all and prints a table."""
