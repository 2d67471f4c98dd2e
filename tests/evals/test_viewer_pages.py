"""The pages of the viewer, in a browser: what they show and do."""

import json

import made_runs
import pytest
from made_pages import INJECTIONS, LONG, ODD, serving, until

pytest.importorskip("starlette", reason="the viewer comes with the extra eval")
pytest.importorskip("uvicorn", reason="the viewer comes with the extra eval")


def rows_of(page):
    return page.locator(".episodes tbody tr")


def open_list(page, viewer, query=""):
    page.goto(f"{viewer}#/{query}")
    rows_of(page).first.wait_for()


def open_episode(page, viewer, rollout, query=""):
    page.goto(f"{viewer}#/episode/{rollout.id}{query}")
    page.locator(".transcript").wait_for()


def test_the_list_shows_every_episode(page, viewer, episodes):
    open_list(page, viewer)
    assert rows_of(page).count() == len(episodes) + 1
    assert "mean score" in page.locator(".count").inner_text()


def test_filters_narrow_the_list_and_stand_in_the_address(page, viewer, episodes):
    open_list(page, viewer)
    page.select_option("#filter-language", "zh")
    until(page, "document.querySelectorAll('.episodes tbody tr').length === 1")
    assert "language=zh" in page.url
    page.reload()
    rows_of(page).first.wait_for()
    assert rows_of(page).count() == 1
    page.select_option("#filter-language", "")
    page.check("#status-breach")
    until(page, "document.querySelectorAll('.episodes tbody tr').length === 2")
    page.uncheck("#status-breach")
    page.fill("#filter-from", "0.3")
    page.fill("#filter-to", "0.5")
    page.locator("#filter-to").blur()
    until(page, "document.querySelectorAll('.episodes tbody tr').length === 1")
    assert "truncated" in rows_of(page).first.inner_text()


def test_text_in_a_transcript_is_found(page, viewer, episodes):
    open_list(page, viewer)
    page.keyboard.press("/")
    page.keyboard.type("onerror='window")
    until(page, "document.querySelectorAll('.episodes tbody tr').length === 1")
    assert page.locator(".episodes a").get_attribute("data-id") == episodes["odd"].id


def test_counts_stand_beside_the_statuses(page, viewer):
    open_list(page, viewer)
    assert page.inner_text("#count-void") == "1"
    assert page.inner_text("#count-breach") == "2"


def test_columns_sort_both_ways(page, viewer):
    open_list(page, viewer)
    for order in ("ascending", "descending"):
        page.click("#sort-steps")
        page.locator(f"th[aria-sort={order}] #sort-steps").wait_for()
    assert rows_of(page).first.locator("td").nth(7).inner_text() == str(LONG)


def test_the_keyboard_walks_the_list_and_the_episodes(page, viewer, episodes):
    open_list(page, viewer)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    first = page.evaluate("document.activeElement.dataset.id")
    assert first == page.locator(".episodes a").first.get_attribute("data-id")
    page.keyboard.press("Enter")
    page.locator(".transcript").wait_for()
    page.keyboard.press("j")
    until(page, "document.querySelector('.walk').textContent.includes('2 of')")
    page.locator(".transcript").wait_for()
    page.keyboard.press("k")
    until(page, "document.querySelector('.walk').textContent.includes('1 of')")
    page.keyboard.press("Escape")
    rows_of(page).first.wait_for()
    until(page, "document.activeElement.dataset.id !== undefined")
    assert page.evaluate("document.activeElement.dataset.id") == first


def test_neighbours_are_those_of_the_filter(page, viewer, episodes):
    open_list(page, viewer, "?status=breach")
    rows_of(page).first.click()
    page.locator(".transcript").wait_for()
    assert "1 of 2" in page.inner_text(".walk")
    page.reload()
    page.locator(".transcript").wait_for()
    assert "1 of 2" in page.inner_text(".walk")


def test_arrow_keys_replay_the_changes(page, viewer, episodes):
    rollout = episodes["solved"]
    open_episode(page, viewer, rollout, "?step=0")
    world = page.locator(".world")
    assert world.inner_text() == "Nothing has been changed."
    changing = [deed.step for deed in rollout.deeds if deed.changes != "[]"]
    for _ in range(changing[0]):
        page.keyboard.press("ArrowRight")
    assert page.inner_text("output") == f"step {changing[0]} of {rollout.steps}"
    table, record = json.loads(rollout.deeds[changing[0] - 1].changes)[0][:2]
    assert table in world.inner_text()
    assert record in world.inner_text()
    assert page.locator(".current").get_attribute("data-step") == str(changing[0])
    page.keyboard.press("ArrowLeft")
    assert world.inner_text() == "Nothing has been changed."


def test_all_changes_come_to_the_difference_between_start_and_end(page, viewer, episodes):
    rollout = episodes["long"]
    open_episode(page, viewer, rollout)
    changed = {tuple(change[:2]) for deed in rollout.deeds for change in json.loads(deed.changes)}
    assert page.locator(".world .diff > li").count() == len(changed)


def test_an_address_with_a_step_survives_a_reload(page, viewer, episodes):
    open_episode(page, viewer, episodes["solved"], "?step=2")
    page.keyboard.press("ArrowRight")
    until(page, "location.hash.endsWith('?step=3')")
    page.reload()
    page.locator(".transcript").wait_for()
    assert page.inner_text("output").startswith("step 3 of")


@pytest.mark.parametrize("step", ["999", "-1", "x", ""])
def test_a_step_that_is_none_is_put_right(page, viewer, episodes, step):
    open_episode(page, viewer, episodes["solved"], f"?step={step}")
    until(page, "document.querySelector('output').textContent !== ''")


def test_the_score_sheet_has_every_line_with_its_reason(page, viewer, episodes):
    rollout = episodes["breach"]
    open_episode(page, viewer, rollout)
    shown = page.locator("aside").inner_text()
    for line in (*rollout.score.checks, *rollout.score.gates):
        assert line.name in shown
        assert line.why in shown
    assert "breached" in shown
    assert rollout.task.digest in shown


def test_the_system_is_shown_at_work_between_stages(page, viewer, episodes):
    open_episode(page, viewer, episodes["staged"])
    assert page.locator(".world-entry .diff > li").count() > 0


def test_200_steps_stay_quick(page, viewer, episodes):
    open_list(page, viewer)
    started = page.evaluate("performance.now()")
    open_episode(page, viewer, episodes["long"])
    assert page.evaluate("performance.now()") - started < 5000
    assert page.locator(".call").count() == LONG
    moved = page.evaluate(
        """() => {
        const started = performance.now();
        for (let n = 0; n < 50; n++)
            document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft", bubbles: true}));
        return (performance.now() - started) / 50;
    }"""
    )
    assert moved < 100
    assert page.inner_text("output") == f"step {LONG - 50} of {LONG}"


def test_whatever_an_episode_holds_is_shown_and_never_run(page, viewer, episodes):
    open_episode(page, viewer, episodes["odd"])
    shown = page.locator("main").inner_text()
    for text in INJECTIONS:
        assert text in shown
    for part in ("שלום עולם", "مرحبا", "你好，世界", "👩\u200d💻🇺🇳"):
        assert part in ODD
        assert part in shown
    assert page.locator(".control", has_text="U+202E").count() > 0
    assert page.locator(".control", has_text="U+0000").count() > 0
    assert page.locator("main script, main img, .columns b").count() == 0
    assert "1180591620717411303424" in shown
    page.click("text=Show all 200,018 characters")
    assert "the end" in page.locator(".folded.open").inner_text()


def test_an_ungraded_and_a_void_episode_say_why(page, viewer, episodes):
    open_episode(page, viewer, episodes["ungraded"])
    assert "no <b>judge</b>" in page.locator("aside").inner_text()
    page.goto(f"{viewer}#/episode/{made_runs.identity(seed=30)}")
    assert "no answer" in page.locator(".problem").inner_text()


def test_what_cannot_be_shown_is_said(page, copy):
    with serving(copy) as address:
        open_list(page, address)
        page.goto(f"{address}#/episode/escalation-v0/train/easy/en/999999/0")
        assert page.inner_text(".problem") == "no such episode"
        with (copy / "episodes.jsonl").open("ab") as file:
            file.write(b"not JSON\n")
        page.reload()
        until(page, "document.querySelector('.problem')?.textContent.includes('jsonl:')")
    page.met.clear()  # the browser reports the answers 404 and 500


def test_an_empty_run_is_an_empty_list(page, tmp_path):
    made_runs.run(tmp_path / "empty", [])
    with serving(tmp_path / "empty") as address:
        page.goto(address)
        page.locator(".count").wait_for()
        assert "0 of 0 episodes" in page.inner_text(".count")


def test_the_theme_can_be_chosen_and_is_kept(page, viewer):
    open_list(page, viewer)
    page.emulate_media(color_scheme="light")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.click("#theme")
    page.click("#theme")
    assert page.inner_text("#theme") == "Theme: dark"
    assert page.evaluate(colour) != light
    page.reload()
    rows_of(page).first.wait_for()
    assert page.evaluate(colour) != light


@pytest.mark.parametrize(("width", "names"), [(400, ["breach"]), (1400, ["staged", "odd"])])
def test_the_pages_are_accessible(page, viewer, episodes, accessible, width, names):
    page.set_viewport_size({"width": width, "height": 900})
    open_list(page, viewer)
    accessible(page)
    for name in names:
        open_episode(page, viewer, episodes[name], "?step=2")
        accessible(page)


def test_nothing_is_wider_than_a_narrow_page(page, viewer, episodes):
    page.set_viewport_size({"width": 400, "height": 900})
    for name in ("breach", "odd"):
        open_episode(page, viewer, episodes[name])
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
