"""Files: durable writes, locks, private folders, standard input, scratch files of one run."""
