"""Mutations: the reference solution changed in one way, and what must happen to the score."""

from coworkgym.quality.mutations.changes import MUTATIONS, mutants
from coworkgym.quality.mutations.course import Course
from coworkgym.quality.mutations.mutant import Mutant, wrong_side
from coworkgym.quality.mutations.rewrites import rewrites

__all__ = ["MUTATIONS", "Course", "Mutant", "mutants", "rewrites", "wrong_side"]
