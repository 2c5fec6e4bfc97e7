"""Delayed, poison and expired messages on IBM MQ: see them, act on them, check the definitions."""

__version__ = "0.1.0"
