"""Snapshots: their schema, files and readers, without Spark."""
