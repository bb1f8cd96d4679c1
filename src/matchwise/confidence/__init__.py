"""Predictions that carry a confidence: ranking, curves, calibration."""
