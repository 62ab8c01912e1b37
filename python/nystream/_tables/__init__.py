"""Tables of any format, read in pieces: CSV, JSON lines, Parquet, Arrow and NumPy files."""
