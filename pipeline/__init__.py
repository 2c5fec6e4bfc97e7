"""Spark over snapshots and archives: the contents of queues become sizes, causes and forecasts.

The only home of pyspark, which the extra `spark` brings. Jobs are functions from
DataFrame to DataFrame; they use column expressions alone, so that no Python runs on the workers.
"""
