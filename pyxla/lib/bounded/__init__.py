"""Arrays of bounded extent: what the library's functions mean for them."""
