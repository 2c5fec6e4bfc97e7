"""Poison messages."""
