"""`mqtriage delay`: the staging queue and the messages that wait on it."""
