"""Caption: pictures are listed by path only; describing one gives its own description."""

import pytest

from coworkgym.errors import TaskError

FRONT = {"image_path": "/site/front.jpg", "caption": "A closed door.", "confidence": 0.75}


@pytest.fixture
def album(make_desk):
    """Two pictures of one place."""
    return make_desk({"caption.images": [FRONT, {"image_path": "/site/back.jpg"}]})


def test_a_list_does_not_say_what_the_pictures_show(album) -> None:
    assert album.ok("caption_list_images", folder="/site") == {
        "images": [{"image_path": "/site/back.jpg"}, {"image_path": "/site/front.jpg"}],
        "total": 2,
        "returned": 2,
        "has_more": False,
    }


def test_a_picture_is_described_in_full(album) -> None:
    before = album.state()
    assert album.ok("caption_describe_image", image_path="site/front.jpg") == FRONT
    answer = album.ok("caption_describe_image", image_path="/site/back.jpg")
    assert answer["caption"] == "Two people."
    assert album.state() == before


def test_a_picture_has_to_be_named(album) -> None:
    assert album.refused("caption_describe_image")[0] == "missing_argument"
    code, message = album.refused("caption_describe_image", image_path="/site/frontt.jpg")
    assert (code, "'/site/front.jpg'" in message) == ("not_found", True)


def test_text_and_pictures_are_kept_apart(make_desk) -> None:
    desk = make_desk({"caption.images": [{}], "ocr.images": [{}]})
    assert desk.refused("ocr_extract_text", image_path="/pictures/1")[0] == "not_found"
    assert desk.refused("caption_describe_image", image_path="/scans/1")[0] == "not_found"
    cursor = make_desk({"ocr.images": [{}] * 2}).ok("ocr_list_images", limit=1)["next"]
    assert desk.refused("caption_list_images", cursor=cursor)[0] == "stale_cursor"


def test_a_record_of_another_kind_is_refused(make_desk) -> None:
    for wrong in ({"text": "Total"}, {"caption": None}, {"confidence": 2}):
        with pytest.raises(TaskError, match=r"caption\.images"):
            make_desk({"caption.images": [wrong]})
