"""What a run asks of the machine: files, locks, secrets."""
