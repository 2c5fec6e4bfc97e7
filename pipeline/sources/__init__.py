"""Logs that every estate has, read by Spark into tables: event logs, and what else is to come.

Which form a file has is told from its content. Each form is read by column expressions alone.
"""
