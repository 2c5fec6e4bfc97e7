"""What definitions should be: scripts, dumps and live objects as one estate."""
