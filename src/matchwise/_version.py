"""The version, written once: the package, its metadata and every signature read it here."""

__version__ = "1.0.0rc1"
