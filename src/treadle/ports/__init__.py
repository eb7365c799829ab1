"""What the runtime asks of the world: one small protocol a file."""
