"""Questions: what is answered from the records that were listed."""

from baselines.tiny.scene import Refused, Scene
from baselines.tiny.wording import (
    Exchange,
    any_row,
    described,
    measure,
    near_miss,
    shown,
    size_of,
)


def copying(scene: Scene) -> Exchange:
    """Repeats values of the records, in another order than they stand."""
    fields = [scene.listing.id, *scene.listing.fields]
    values = [shown(row[field]) for row in scene.rows for field in fields if row.get(field)]
    drawn = scene.rng.sample(values, min(len(values), scene.rng.randint(3, 8)))
    text = "; ".join(drawn)
    return Exchange(f"Repeat: {text}", lambda: scene.reply(text))


def reading(scene: Scene) -> Exchange:
    """Tells a field of the record with an id."""
    row, field = any_row(scene), scene.rng.choice([*scene.listing.fields])
    value, word = shown(row.get(field, "")), scene.listing.fields[field]
    if not value:
        raise Refused("the field is empty")
    return Exchange(f"What is the {word} of {row[scene.listing.id]}?", lambda: scene.reply(value))


def finding(scene: Scene) -> Exchange:
    """Names the record that fits a description."""
    row, which = described(scene)
    found = str(row[scene.listing.id])
    return Exchange(f"Which {scene.listing.noun} has {which}?", lambda: scene.reply(found))


def crossing(scene: Scene) -> Exchange:
    """Tells one field of the record that another field describes."""
    row, which = described(scene)
    field = scene.rng.choice([*scene.listing.fields])
    word, value = scene.listing.fields[field], shown(row.get(field, ""))
    if not value or f"{word} {value}" in which:
        raise Refused("asked for what is given")
    text = f"What is the {word} of the {scene.listing.noun} with {which}?"
    return Exchange(text, lambda: scene.reply(value))


def quizzing(scene: Scene) -> Exchange:
    """Answers a row of short questions, each repeated before its answer."""
    listing, asked = scene.listing, {}
    for _ in range(scene.rng.randint(4, 10)):
        field = scene.rng.choice([*listing.fields])
        row, which = described(scene)
        one = str(row[listing.id])
        known = one if scene.rng.random() < 0.6 else f"the {listing.noun} with {which}"
        value, word = shown(row.get(field, "")), listing.fields[field]
        if value and f"{word} {value}" not in which:
            asked[f"{word} of {known}"] = value
        asked[f"{listing.noun} with {which}"] = one
    drawn = scene.rng.sample(sorted(asked), min(len(asked), scene.rng.randint(3, 8)))
    text = "; ".join(f"{question}: {asked[question]}" for question in drawn)
    return Exchange(f"Tell me: {'; '.join(drawn)}.", lambda: scene.reply(text))


def all_of(scene: Scene) -> Exchange:
    """Names all records with a value, in their order."""
    row, field = any_row(scene), scene.rng.choice([*scene.listing.fields])
    value = shown(row.get(field, ""))
    ids = [str(r[scene.listing.id]) for r in scene.rows if shown(r.get(field, "")) == value]
    if not value:
        raise Refused("the field is empty")
    text = f"List the {scene.listing.noun} ids with {scene.listing.fields[field]} {value}."
    return Exchange(text, lambda: scene.reply(", ".join(ids)))


def counting(scene: Scene) -> Exchange:
    """Tells how many were listed."""
    number = str(len(scene.rows))
    return Exchange(f"How many {scene.listing.noun}s are listed?", lambda: scene.reply(number))


def ordering(scene: Scene) -> Exchange:
    """Names the record with the first or last date, the smallest or largest amount."""
    field, words = measure(scene)
    rows = sorted(scene.rows, key=lambda row: size_of(row[field]))
    last = scene.rng.random() < 0.5
    found = str(rows[-1 if last else 0][scene.listing.id])
    return Exchange(f"Which {scene.listing.noun} is the {words[last]}?", lambda: scene.reply(found))


def narrowing(scene: Scene) -> Exchange:
    """Names the first or last of the records that share a value."""
    row, field = any_row(scene), scene.rng.choice([*scene.listing.fields])
    by, words = measure(scene)
    value = shown(row.get(field, ""))
    rows = [r for r in scene.rows if shown(r.get(field, "")) == value]
    rows.sort(key=lambda r: size_of(r[by]))
    if not value or field == by or len(rows) < 2:
        raise Refused("nothing to narrow down")
    last = scene.rng.random() < 0.5
    found = str(rows[-1 if last else 0][scene.listing.id])
    word = scene.listing.fields[field]
    text = f"Which {scene.listing.noun} with {word} {value} is the {words[last]}?"
    return Exchange(text, lambda: scene.reply(found))


def bounding(scene: Scene) -> Exchange:
    """Names the records on one side of a date or an amount."""
    field, words = measure(scene)
    bound = shown(any_row(scene)[field])
    late = scene.rng.random() < 0.5
    side = [row for row in scene.rows if (size_of(row[field]) > size_of(bound)) == late]
    side = [row for row in side if shown(row[field]) != bound]
    ids = [str(row[scene.listing.id]) for row in side]
    text = f"List the {scene.listing.noun} ids {words[2 + late]} {bound}."
    return Exchange(text, lambda: scene.reply(", ".join(ids) or "none"))


def checking(scene: Scene) -> Exchange:
    """Says whether a field has a value, or which it has."""
    row, field = any_row(scene), scene.rng.choice([*scene.listing.fields])
    value, other = (shown(r.get(field, "")) for r in (row, any_row(scene)))
    if not value or not other:
        raise Refused("the field is empty")
    other = value if scene.rng.random() < 0.4 else near_miss(scene, other)
    answer = "yes" if other == value else f"no, {value}"
    text = f"Is the {scene.listing.fields[field]} of {row[scene.listing.id]} {other}?"
    return Exchange(text, lambda: scene.reply(answer))
