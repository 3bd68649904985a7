"""What a method may ask: of a lattice, of a partition, of buckets."""
