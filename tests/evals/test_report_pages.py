"""The report in a browser, and what no report is made of."""

import sys

import made_runs
import pytest

pytest.importorskip("jinja2", reason="reports come with the extra eval")
pytest.importorskip("matplotlib", reason="reports come with the extra eval")
pytest.importorskip("scipy", reason="reports come with the extra eval")

from coworkgym.cli.report import report
from coworkgym.errors import CoworkError, UnknownNameError
from coworkgym.evals import EmptyRun
from coworkgym.evals.report import report_page
from coworkgym.rollouts import StoreError


@pytest.fixture
def opened(page, three, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(three, "utf-8")
    page.goto(file.as_uri())
    return page


def test_the_theme_follows_the_system_and_can_be_chosen(opened):
    colour = "getComputedStyle(document.body).backgroundColor"
    opened.emulate_media(color_scheme="light")
    light = opened.evaluate(colour)
    opened.emulate_media(color_scheme="dark")
    dark = opened.evaluate(colour)
    assert light != dark
    opened.check("#theme-light")
    assert opened.evaluate(colour) == light


def test_plots_change_with_the_theme(opened):
    stroke = "getComputedStyle(document.querySelector('#kinds .plot path[style*=series-1]')).stroke"
    opened.check("#theme-light")
    light = opened.evaluate(stroke)
    opened.check("#theme-dark")
    assert opened.evaluate(stroke) != light


@pytest.mark.parametrize("width", [400, 1400])
def test_the_report_is_accessible(opened, accessible, width):
    opened.set_viewport_size({"width": width, "height": 900})
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    accessible(opened)
    assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_it_prints(opened):
    assert opened.pdf().startswith(b"%PDF")


# What no report is made of, and the command


@pytest.mark.parametrize("link", ["javascript:alert(1)", "ftp://there", "viewer"])
def test_a_link_that_is_no_address_is_refused(first, link):
    with pytest.raises(CoworkError, match="begins with http"):
        report_page([first], links=[link])


def test_links_are_one_a_run(first, second):
    with pytest.raises(CoworkError, match="1 links for 2 runs"):
        report_page([first, second], links=["http://127.0.0.1/"])


def test_no_run_is_refused():
    with pytest.raises(CoworkError, match="at least one run"):
        report_page([])


def test_an_empty_run_is_refused(tmp_path):
    with pytest.raises(EmptyRun, match="no finished episode"):
        report_page([made_runs.run(tmp_path / "empty", [])])


def test_an_unknown_formula_is_refused(first):
    with pytest.raises(UnknownNameError, match="scor"):
        report_page([first], formula="scor")


def test_a_broken_line_is_named(tmp_path):
    run = made_runs.run(tmp_path / "broken", [made_runs.rollout(0)])
    with run.episodes_file.open("ab") as file:
        file.write(b"not JSON\n")
    with pytest.raises(StoreError, match=r"episodes\.jsonl:2"):
        report([run.path], tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_the_command_writes_the_page(first, tmp_path, capsys):
    report([first.path], tmp_path / "new" / "report.html")
    assert (tmp_path / "new" / "report.html").read_text("utf-8") == report_page([first])
    assert capsys.readouterr().out == ""


def test_the_command_reads_quoted_numbers(first, tmp_path):
    file = tmp_path / "quoted.json"
    file.write_text('[{"name": "A", "value": 0.5, "what": "pass^3", "source": "a paper"}]', "utf-8")
    report([first.path], tmp_path / "report.html", quoted=file)
    assert "a paper" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"name": "A"}]', '[{"value": "x"}]'])
def test_a_file_without_quoted_numbers_is_refused(first, tmp_path, text):
    file = tmp_path / "quoted.json"
    file.write_text(text, "utf-8")
    with pytest.raises(CoworkError, match=r"quoted\.json: not a list"):
        report([first.path], tmp_path / "report.html", quoted=file)


@pytest.mark.parametrize("name", ["jinja2", "matplotlib"])
def test_without_the_extra_it_is_said_what_to_install(first, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(CoworkError, match=r"pip install 'coworkgym\[eval\]'"):
        report_page([first])
