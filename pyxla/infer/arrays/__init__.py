"""Arrays on the heap: their views, reading and writing through these, and functions that share memory."""
