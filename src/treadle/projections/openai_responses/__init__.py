"""A run as Responses: a response is a segment."""
