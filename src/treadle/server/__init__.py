"""Runs over HTTP: started, read, left, found again, stopped."""
