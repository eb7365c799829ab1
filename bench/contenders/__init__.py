"""The rows of the bench: the floors and Treadle here, the others in `peers`."""
