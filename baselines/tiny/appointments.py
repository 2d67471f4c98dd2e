"""Appointments and files: free slots, bookings, and payments held against a list."""

import json
import re
from datetime import timedelta
from typing import Any

from baselines.tiny.scene import Refused, Scene
from baselines.tiny.wording import Exchange, any_row, peek, shown

_TITLES = ("Interview", "the budget", "Review", "the workshop", "Offer", "Rooms", "the new site")
_LINE = re.compile(r"(TXN-\d+),([^,\n]+),(\d+\.\d\d)")


def _day(scene: Scene) -> str:
    return str((scene.now + timedelta(days=scene.rng.randint(1, 5))).date())


def _people(scene: Scene) -> list[dict[str, Any]]:
    if not scene.can("calendar_create_event") or scene.listing.noun != "person":
        raise Refused("no calendar here")
    return scene.rng.sample(scene.rows, min(len(scene.rows), scene.rng.randint(1, 2)))


def slotting(scene: Scene) -> Exchange:
    """Finds when people are free, and tells a slot that fits."""
    people, day = _people(scene), _day(scene)
    names = ", ".join(str(one["name"]) for one in people)
    arguments: dict[str, Any] = {"attendees": names, "date": day}
    if scene.rng.random() < 0.5:
        arguments = {"attendees": f"{names}, {scene.owner.email}", "date": day, "to_hour": 17}
    slots = peek(scene, "calendar_find_free_slots", arguments)["slots"]
    if not slots:
        raise Refused("nobody is free")
    begins = [shown(slot["start_time"]).split()[1] for slot in slots]
    after = scene.rng.choice(("", *begins))
    fitting = [begin for begin in begins if begin >= after]
    asked = f" from {after} on" if after else ""
    until = " until 17" if "to_hour" in arguments else ""

    def play() -> None:
        scene.call("calendar_find_free_slots", **arguments)
        scene.reply(f"{day} {fitting[0]}")

    both = " and me" if "to_hour" in arguments else ""
    return Exchange(f"When is the first slot{asked} of {names}{both} on {day}{until}?", play)


def booking(scene: Scene) -> Exchange:
    """Books an appointment as told, and moves it when asked to."""
    people, day, title = _people(scene), _day(scene), scene.rng.choice(_TITLES)
    names = [str(one["name"]) for one in people]
    hour, minute = scene.rng.randint(8, 16), scene.rng.choice(("00", "30"))
    begin, end = f"{hour:02}:{minute}", f"{hour + 1:02}:{minute}"
    later = f"{hour + 2:02}:{minute}" if scene.rng.random() < 0.5 else ""

    def play() -> None:
        made = scene.call(
            "calendar_create_event", title=title, attendees=names,
            start_time=f"{day}T{begin}", end_time=f"{day}T{end}",
        )  # fmt: skip
        event = made["event"]["event_id"]
        if later:
            scene.call("calendar_update_event", event_id=event, start_time=f"{day}T{end}",
                       end_time=f"{day}T{later}")  # fmt: skip
        scene.reply(f"{event} {day} {end if later else begin}")

    moved = f", then move it to {end} to {later}" if later else ""
    whom = " and ".join(names)
    return Exchange(f"Book {title} with {whom} on {day} from {begin} to {end}{moved}.", play)


def comparing(scene: Scene) -> Exchange:
    """Reads a list of invoices and tells its amount for a payment, and whether both agree."""
    if scene.listing.noun != "payment" or not scene.can("files_read"):
        raise Refused("no file here")
    row, path = any_row(scene), "/month_end/invoices.csv"
    text = json.dumps(peek(scene, "files_read", {"path": path}))
    amounts = {line[1]: line[3] for line in _LINE.finditer(text)}
    payment = str(row["transaction_id"])
    if payment not in amounts:
        raise Refused("not on the list")
    agrees = "agrees" if amounts[payment] == row["amount"] else "differs"

    def play() -> None:
        scene.call("files_read", path=path)
        scene.reply(f"{payment}: {amounts[payment]}, {agrees}")

    return Exchange(f"Read {path}. What does it say of {payment}?", play)
