"""OCR: images are listed by path only; reading one gives its own text."""

import pytest

from coworkgym.errors import TaskError

BILL = {"image_path": "/bills/taxi.png", "text": "出租车\nTotal 18.50", "language": "zh"}


@pytest.fixture
def scanner(make_desk):
    """Two bills that look alike."""
    return make_desk({"ocr.images": [BILL, {"image_path": "/bills/taxi2.png"}]})


def test_a_list_does_not_say_what_is_in_the_images(scanner) -> None:
    assert scanner.ok("ocr_list_images") == {
        "images": [{"image_path": "/bills/taxi.png"}, {"image_path": "/bills/taxi2.png"}],
        "total": 2,
        "returned": 2,
        "has_more": False,
    }


def test_an_image_is_read_in_full(scanner) -> None:
    before = scanner.state()
    answer = scanner.ok("ocr_extract_text", image_path="/bills/taxi.png")
    assert answer == BILL | {"confidence": 0.9}
    assert scanner.ok("ocr_extract_text", image_path="/bills/taxi2.png")["text"] == "Total 19.99"
    assert scanner.state() == before


def test_an_image_has_to_be_named(scanner) -> None:
    assert scanner.refused("ocr_extract_text")[0] == "missing_argument"
    assert scanner.refused("ocr_extract_text", image_path="/bills/bus.png")[0] == "not_found"


def test_an_image_that_came_later_is_read_and_one_that_went_is_not(scanner) -> None:
    kind = scanner.office.world.base.schema["ocr.images"]
    scanner.office.change(kind, "/bills/taxi.png", {"text": "Total 81.50"})
    answer = scanner.ok("ocr_extract_text", image_path="/bills/taxi.png")
    assert answer["text"] == "Total 81.50"
    scanner.office.change(kind, "/bills/taxi.png", None)
    refusal = scanner.refused("ocr_extract_text", image_path="/bills/taxi.png")
    assert refusal[1].endswith("Did you mean '/bills/taxi2.png'?")


@pytest.mark.parametrize("confidence", [0, 0.5, 1])
def test_a_confidence_is_a_share(make_desk, confidence: float) -> None:
    desk = make_desk({"ocr.images": [{"confidence": confidence}]})
    assert desk.ok("ocr_extract_text", image_path="/scans/1")["confidence"] == confidence


@pytest.mark.parametrize("confidence", [-0.1, 1.01, float("nan"), "sure", None])
def test_what_is_no_share_is_no_confidence(make_desk, confidence: object) -> None:
    with pytest.raises(TaskError, match="confidence"):
        make_desk({"ocr.images": [{"confidence": confidence}]})
