"""Files: scratch files of one run."""
