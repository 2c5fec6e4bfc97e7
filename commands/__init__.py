"""What each command does: a request and a backend in, a typed result out. Prints nothing."""
