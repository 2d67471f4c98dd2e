"""All kinds of questions and orders that drills are made of, by name."""

from collections.abc import Callable, Mapping

from baselines.tiny import appointments, orders, questions
from baselines.tiny.scene import Scene
from baselines.tiny.wording import Exchange

KINDS: Mapping[str, Callable[[Scene], Exchange]] = {
    kind.__name__: kind
    for kind in (
        questions.copying, questions.reading, questions.finding, questions.crossing,
        questions.quizzing, questions.all_of, questions.counting, questions.ordering,
        questions.narrowing, questions.bounding, questions.checking, orders.opening,
        orders.looking_inside, orders.acting, orders.writing, orders.walking, orders.searching,
        orders.visiting, appointments.slotting, appointments.booking, appointments.comparing,
    )
}  # fmt: skip
"""What each does stands in its own words; each answer follows from the records."""
