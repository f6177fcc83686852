"""Arrays on the heap: views, reading and writing through these, functions that share memory."""
