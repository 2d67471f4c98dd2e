"""Pictures: what the services that look at images have in common."""

from typing import Annotated

from pydantic import Field

from coworkgym.frozen import Json
from coworkgym.services.office import Office
from coworkgym.services.paths import FilePath, file_at, files_in
from coworkgym.services.table import Record, Table


class Picture(Record):
    """An image, and how sure it is what was recognised in it."""

    image_path: FilePath
    confidence: Annotated[float, Field(ge=0, le=1)]


def list_pictures(
    office: Office, table: Table, folder: str, limit: int, cursor: str | None
) -> Json:
    """Returns the paths of the images in a folder: what they show has to be looked at.

    Raises:
        ToolError: `not_found` for an unknown folder; see also `paging.page`.
    """
    rows = files_in(office, table, folder, table.key)
    return office.listing(table, rows, (table.key,), limit=limit, cursor=cursor, scope=[folder])


def read_picture(office: Office, table: Table, image_path: str) -> Json:
    """Returns what was recognised in an image.

    Raises:
        ToolError: `not_found`, with the nearest path.
    """
    file_at(office, table, image_path, table.key)
    return office.read(table, image_path)
