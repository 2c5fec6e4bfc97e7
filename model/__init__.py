"""Our own words: pure, standard library only."""
