"""Adversarial policies: they try to earn without doing the work, by what an agent sees alone."""
