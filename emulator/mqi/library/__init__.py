"""The C library that programs link to, its headers, and what lays them out."""
