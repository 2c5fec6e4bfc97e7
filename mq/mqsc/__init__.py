"""MQSC: scripts read, checked and written, and what runmqsc prints read back."""
