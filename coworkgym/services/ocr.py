"""OCR: the text that was recognised in images and scans."""

from coworkgym.frozen import Json
from coworkgym.services.office import Office
from coworkgym.services.paths import FilePath, FolderPath
from coworkgym.services.pictures import Picture, list_pictures, read_picture
from coworkgym.services.service import Service

OCR = Service("ocr")


class Scan(Picture):
    """An image by the text in it."""

    text: str
    language: str


IMAGES = OCR.table("images", Scan, key="image_path", prefix="/scans/")


@OCR.tool
def ocr_list_images(
    office: Office, folder: FolderPath = "/", limit: int = 20, cursor: str | None = None
) -> Json:
    """List the images of a folder and of the folders in it, by path.

    Args:
        cursor: next of the page before.
    """
    return list_pictures(office, IMAGES, folder, limit, cursor)


@OCR.tool
def ocr_extract_text(office: Office, image_path: FilePath) -> Json:
    """Read the text in an image."""
    return read_picture(office, IMAGES, image_path)
