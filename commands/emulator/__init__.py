"""`mqtriage emulator`: queue managers in a file."""
