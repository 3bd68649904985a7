"""From a problem to a solution: the search, and the file of what it found."""
