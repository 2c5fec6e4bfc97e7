"""Archive files: written before what is removed is gone, read, verified and redacted."""
