"""Calls that a process keeps in memory for a while, before its file shows them."""
