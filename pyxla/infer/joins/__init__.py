"""Where paths meet: one state of several, and the values that are one of several."""
