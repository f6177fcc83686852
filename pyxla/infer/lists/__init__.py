"""Lists whose length is known at run time only, laid out in columns of bounded extent."""
