"""Events of a diary, made by hand."""

BERLIN = "Europe/Berlin"
EVENT = {
    "title": "Sync",
    "start_time": "2026-03-25T09:00:00Z",
    "end_time": "2026-03-25T10:00:00Z",
    "zone": BERLIN,
    "organiser": "kim@orga.test",
}
DAILY, WEEKLY = {"frequency": "daily"}, {"frequency": "weekly"}


def at(start: str, end: str) -> dict[str, str]:
    """Times in UTC."""
    return {"start_time": f"{start}:00Z", "end_time": f"{end}:00Z"}
