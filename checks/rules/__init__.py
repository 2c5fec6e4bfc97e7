"""One rule a file, its page beside it under the same name."""
