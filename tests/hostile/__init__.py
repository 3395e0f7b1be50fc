"""What is hostile to a radio, in any number: forged and replayed frames, damaged bytes, days of restarts."""
