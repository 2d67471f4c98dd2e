"""Caption: what pictures show, in words."""

from coworkgym.frozen import Json
from coworkgym.services.office import Office
from coworkgym.services.paths import FilePath, FolderPath
from coworkgym.services.pictures import Picture, list_pictures, read_picture
from coworkgym.services.service import Service

CAPTION = Service("caption")


class CaptionedPicture(Picture):
    """A picture by its description."""

    caption: str


IMAGES = CAPTION.table("images", CaptionedPicture, key="image_path", prefix="/pictures/")


@CAPTION.tool
def caption_list_images(
    office: Office, folder: FolderPath = "/", limit: int = 20, cursor: str | None = None
) -> Json:
    """List the pictures of a folder and of the folders in it, by path.

    Args:
        cursor: next of the page before.
    """
    return list_pictures(office, IMAGES, folder, limit, cursor)


@CAPTION.tool
def caption_describe_image(office: Office, image_path: FilePath) -> Json:
    """Describe what a picture shows."""
    return read_picture(office, IMAGES, image_path)
