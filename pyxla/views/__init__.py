"""Views: what a reference sees of an array, and how functions that show it again say so."""
