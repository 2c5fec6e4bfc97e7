"""`mqtriage snapshot`: what a queue manager holds at one moment, as files."""
