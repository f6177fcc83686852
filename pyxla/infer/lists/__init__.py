"""Lists laid out in columns: those whose length is known at run time only, or that data indexes."""
