"""Clients and helpers that only tests use."""
