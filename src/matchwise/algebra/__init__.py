"""What is compared: similarities as pure data, with the standard library only."""
