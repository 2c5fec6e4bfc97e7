"""MQSC in files of other kinds."""
