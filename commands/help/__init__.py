"""What explains: versions, codes, manual pages, cheat sheets."""
