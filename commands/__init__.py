"""What each command does: a request and a backend in, a typed result out. Prints nothing.

What takes the name of a queue raises the same everywhere: UsageError for what is not a name,
ObjectNotFound where there is no such queue (2085) or an alias leads to none (2082), and another
MQIError where it is the wrong kind of queue (2057, 2001).
"""
