"""Logs that every estate has, read by Spark into tables: events, statistics, error logs, metrics.

Which form a file has is told from its content. Each form is read by column expressions alone.
"""
