"""What an agent is declared to be, checked once: tools, filters, limits; every problem told together."""
