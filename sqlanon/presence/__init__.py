"""Who is in a table of a population: propagation in SQL, then exact counting."""
