"""IBM MQ's REST API (mqweb) of emulated queue managers, over HTTPS."""
