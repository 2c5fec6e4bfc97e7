"""Simulated clients of an emulated queue manager."""
