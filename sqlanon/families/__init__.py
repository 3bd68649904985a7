"""From a solution to the published rows: steps, and the program of all of them."""
