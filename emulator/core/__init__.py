"""The queue manager itself: its file, connections, units of work, queues, put and get."""
