"""What ``nystream bench`` does: plans runs, carries them out, and reports what came of them."""
