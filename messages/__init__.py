"""One message as a record, and filters on it.

What people wrote and cannot be read is a `UsageError`; of a condition it has the column, what was
expected and what was found there.
"""
