"""Evals: what runs come to, with intervals, and what two of them differ by; extra `[eval]`."""

from coworkgym.evals.breakdown import DIMENSIONS, breakdown
from coworkgym.evals.calibration import Fact, FactsError, facts_of, read_facts, write_facts
from coworkgym.evals.comparison import Comparison, Contrast, compare
from coworkgym.evals.differences import ALLOWABLE, Difference, RunsDiffer
from coworkgym.evals.estimate import Estimate, MissingExtra, estimate, estimates
from coworkgym.evals.evaluation import Evaluation, evaluate
from coworkgym.evals.figures import Figures, PassK, figures_of
from coworkgym.evals.habits import Habits, Within, habits_of
from coworkgym.evals.metrics import TooFewTrials, all_of_first_k, pass_at_k, pass_hat_k
from coworkgym.evals.quoted import NotComparable, Quoted
from coworkgym.evals.trial import Counts, EmptyRun, Trial, trials_of

__all__ = [
    "ALLOWABLE",
    "DIMENSIONS",
    "Comparison",
    "Contrast",
    "Counts",
    "Difference",
    "EmptyRun",
    "Estimate",
    "Evaluation",
    "Fact",
    "FactsError",
    "Figures",
    "Habits",
    "MissingExtra",
    "NotComparable",
    "PassK",
    "Quoted",
    "RunsDiffer",
    "TooFewTrials",
    "Trial",
    "Within",
    "all_of_first_k",
    "breakdown",
    "compare",
    "estimate",
    "estimates",
    "evaluate",
    "facts_of",
    "figures_of",
    "habits_of",
    "pass_at_k",
    "pass_hat_k",
    "read_facts",
    "trials_of",
    "write_facts",
]
