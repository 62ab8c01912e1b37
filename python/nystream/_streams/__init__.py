"""Tables of any length, read some rows at a time, and what is learned from them."""
