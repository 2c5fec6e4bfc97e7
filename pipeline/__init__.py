"""Spark over snapshots and archives: the contents of queues become sizes, causes and forecasts.

The only home of pyspark, which the extra `spark` brings. Jobs are functions from
DataFrame to DataFrame; they use column expressions alone, so that no Python runs on the workers.
Their arguments have the name of the function that makes them, or of the table that they are, with
the module's `COLUMNS`; *looked* are the looks at the queues.

A root or file that is not there is a `NotFound`, one that cannot be read or written a
`StorageError`, and a field that no snapshot holds a `UsageError`.
"""
