"""The shared cast of an office: people, firms and accounts that agree in all services."""

from coworkgym.company.cast import TIERS, Company
from coworkgym.company.lexicon import LANGUAGES, SPLITS, Language, Split
from coworkgym.company.records import Firm, Person, Supplier

__all__ = [
    "LANGUAGES",
    "SPLITS",
    "TIERS",
    "Company",
    "Firm",
    "Language",
    "Person",
    "Split",
    "Supplier",
]
