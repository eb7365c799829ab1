"""AG-UI 1.0: requests of its clients, and runs in its events."""
