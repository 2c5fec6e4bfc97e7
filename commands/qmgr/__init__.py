"""`mqtriage qmgr` and `mqtriage mqsc`: the queue manager as a whole."""
