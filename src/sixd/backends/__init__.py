"""Backends: tables from primitives to code."""
