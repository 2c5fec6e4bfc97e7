"""A queue manager in one SQLite file: the behaviour of `mqtriage.mq`, over time."""
