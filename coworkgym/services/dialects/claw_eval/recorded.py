"""Recorded documents: texts of images, descriptions of pictures, pages of documents."""

import json
import posixpath

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import HttpError, Server

OCR = Server(
    "ocr",
    "Image",
    "texts",
    "file",
    default="T072_restaurant_menu_contact",
    fixtures=("OCR_FIXTURES",),
)
CAPTION = Server("caption", "Image", "captions", "file", default="", fixtures=("CAPTION_FIXTURES",))
DOCUMENTS = Server(
    "documents", "Document", "documents", "path", default="", fixtures=("DOCUMENTS_BASE_DIR",)
)


@OCR.route("/ocr/extract", logs=())
def extract(desk: Desk, image_path: str = "") -> Json:
    """All recorded text, whatever image is asked for."""
    texts = [row["text"] for row in desk.rows]
    if any(row["several"] for row in desk.rows):
        names = [row["file"] for row in desk.rows]
        pairs = zip(names, texts, strict=True)
        texts = [f"--- Document {i}: {name} ---\n{text}" for i, (name, text) in enumerate(pairs, 1)]
    return {"text": "\n\n".join(texts), "confidence": 0.95, "language": "mixed"}


@CAPTION.route("/caption/describe", logs=())
def describe(desk: Desk, image_path: str = "") -> Json:
    """The recorded description, whatever image is asked for."""
    return {"caption": "".join(row["caption"] for row in desk.rows), "confidence": 0.92}


@DOCUMENTS.route(
    "/documents/extract_text", logs=("path", "page_count", "pages_returned", "text_length")
)
def extract_text(desk: Desk, path: str, max_pages: int | None = None) -> Json:
    """The text of the first pages of a document."""
    wanted = posixpath.normpath(path)
    found = desk.get(wanted)
    if found is None and not _is_folder(desk, wanted):
        raise _refused(404, f"File not found: {path}")
    if found is None or found["pages"] is None:
        raise _refused(400, "Only PDF files are supported")
    pages = found["pages"]
    limit = min(max_pages or len(pages), len(pages))
    text = "\n\n".join(pages[:limit]).strip()
    return {"path": wanted, "page_count": len(pages), "pages_returned": limit, "text": text}


def _is_folder(desk: Desk, path: str) -> bool:
    return path == "." or any(row["path"].startswith(f"{path}/") for row in desk.rows)


def _refused(status: int, detail: str) -> HttpError:
    code = {400: "bad_request", 404: "not_found"}[status]
    return HttpError(code, json.dumps({"detail": detail}, ensure_ascii=False))
