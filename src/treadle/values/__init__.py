"""What the rest of Treadle talks about: requests, turns, calls, usage, events, facts, records."""
