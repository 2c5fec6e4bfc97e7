"""What a server holds back from the file for some milliseconds."""
