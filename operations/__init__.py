"""How messages are removed and where they go, with a plan, a journal and an archive.

What carries out a plan raises an `MQTriageError` only where nothing was done, and says why; later
failures are in its report. A `StorageError` is a journal, plan or archive that cannot be read or
written, or is damaged; an `ObjectNotFound` a queue that is not there. What opens a queue, gets or
puts passes on the `MQIError` of the queue manager. Functions name only what else they raise.
"""
