"""Fuzz targets: long random attacks, bounded in time; `make fuzz` runs them."""
