"""What definitions should be: scripts, dumps and live objects as one estate.

What reads files raises `NotFound` where there is none, `StorageError` where one cannot be read or
written, and a `UsageError` that names what is wrong in it or in an option; what asks a queue
manager passes on its `MQIError`. Functions name only what else they raise.
"""
