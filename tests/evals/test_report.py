"""The report: one page of numbers, plots and examples, the same for the same runs."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import made_runs
import pytest
from made_pages import INJECTIONS, many

pytest.importorskip("jinja2", reason="reports come with the extra eval")
pytest.importorskip("matplotlib", reason="reports come with the extra eval")
pytest.importorskip("scipy", reason="reports come with the extra eval")

from coworkgym.evals import Quoted, evaluate
from coworkgym.evals.report import report_page
from coworkgym.evals.report.cells import number, span
from coworkgym.evals.report.cost import Prices
from coworkgym.rollouts import Run


@pytest.fixture(scope="module")
def one(first):
    return report_page([first])


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL))


def section(page, name):
    found = re.search(f'<section id="{name}".*?</section>', page, flags=re.DOTALL)
    return found[0] if found else ""


def plots(page):
    return re.findall(r'<svg class="plot".*?</svg>', page, flags=re.DOTALL)


def test_the_same_runs_give_the_same_bytes(first, second):
    assert report_page([first, second]) == report_page([Run(first.path), Run(second.path)])


def test_the_page_needs_nothing_else(three):
    assert "<script" not in three
    assert re.findall(r'\b(?:src|href|action|data)="(?!#)', three) == []
    assert "@import" not in three
    assert "url(http" not in three
    assert "default-src &#39;none&#39;" in three or "default-src 'none'" in three


class Ids(HTMLParser):
    """The ids of a page."""

    def __init__(self):
        super().__init__()
        self.ids = []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]


def test_ids_are_unlike_each_other(three):
    parser = Ids()
    parser.feed(three)
    assert len(parser.ids) == len(set(parser.ids))


def test_every_plot_is_named_and_has_its_numbers_beside_it(three):
    found = plots(three)
    assert len(found) == 4
    for plot in found:
        tree = ElementTree.fromstring(plot.replace("xlink:", "").replace("<svg ", "<svg ", 1))
        assert tree.get("role") == "img"
        assert tree[0].tag.endswith("title")
        assert tree[1].tag.endswith("desc")
    for name in ("kinds", "passing", "budget", "difficulty"):
        assert "<details><summary>The numbers</summary>" in section(three, name)


def test_plots_have_the_colours_of_the_page_and_nothing_of_the_day(three):
    for plot in plots(three):
        assert "var(--series-1)" in plot
        assert re.findall(r"#[0-9a-f]{6}\b", plot) == []
        assert "<metadata" not in plot
        assert not re.search(r"20\d\d-\d\d-\d\d", plot)


def test_the_figures_are_those_of_the_evaluation(first, one):
    figures = evaluate(first).figures
    text = text_of(section(one, "headline"))
    for estimate in (figures.mean, figures.completion, figures.safety):
        assert f"{estimate.value:.2f} {span(estimate.low, estimate.high)}" in text


def test_counts_of_all_outcomes_stand_beside_the_means(one):
    told = "36 of 38 graded, 1 ungraded, 1 void"
    assert told in text_of(section(one, "headline"))
    assert "9 of 9 graded" in text_of(section(one, "kinds"))
    assert "first reference 38 36 1 1 0 12 3" in text_of(section(one, "run"))


def test_settings_and_versions_are_told(one):
    text = text_of(section(one, "run"))
    assert "policy" in text
    assert "version of coworkgym" in text


def test_passing_has_every_k(one):
    text = text_of(section(one, "passing"))
    for line in ("pass@1", "pass@3", "pass^3"):
        assert line in text


def test_breaches_have_examples_and_the_command_that_shows_them(one):
    text = text_of(section(one, "breaches"))
    assert "coworkgym view first" in text
    assert "gate 0" in text
    assert "escalation-v0/train/warmup/en/000000/2" in text
    assert "<a " not in section(one, "breaches")


def test_examples_link_to_the_viewer_where_one_is_named(first, one):
    page = report_page([first], links=["http://127.0.0.1:8000/"])
    href = 'href="http://127.0.0.1:8000/#/episode/escalation-v0/train/warmup/en/000000/2"'
    assert href in section(page, "breaches")
    assert "coworkgym view" not in page


def test_runs_of_like_settings_are_compared(three):
    text = text_of(section(three, "comparison"))
    assert "second above first" in text
    assert "p (Holm)" in text
    assert "above" in text


def test_runs_of_other_settings_are_not(three):
    text = text_of(section(three, "comparison"))
    assert "first against faulty Not compared. The runs differ" in text
    assert "faults" in text
    assert "0.1" in text


def test_one_run_has_no_comparison(one):
    assert section(one, "comparison") == ""


def test_money_needs_prices(first, one):
    assert "Money" not in one
    text = text_of(section(report_page([first], prices=Prices(3.0, 15.0)), "cost"))
    read, written = 36 * 1000, 36 * 100
    assert f"{read:,}" in text
    assert f"Money, all episodes {(3 * read + 15 * written) / 1e6:.2f}" in text


def test_a_policy_that_counts_no_tokens_has_no_cost(tmp_path):
    run = made_runs.run(tmp_path / "silent", [made_runs.rollout(seed) for seed in range(3)])
    text = text_of(section(report_page([run], prices=Prices(1.0, 1.0)), "cost"))
    assert "Money, all episodes – not counted" in text


def test_numbers_from_papers_stand_apart(first, one):
    assert section(one, "quoted") == ""
    quoted = Quoted("A <model>", 0.61, "Some paper, table 2", "pass^3 of others")
    page = report_page([first], quoted=[quoted])
    assert "A &lt;model&gt;" in section(page, "quoted")
    assert "compare with nothing" in section(page, "quoted")
    assert page.count("A &lt;model&gt;") == 1


def test_the_longest_and_the_slowest_are_named(one):
    text = text_of(section(one, "extremes"))
    assert "7 calls" in text
    assert "0.10 s" in text


def test_two_runs_of_one_name_are_told_apart(tmp_path):
    runs = [made_runs.run(tmp_path / part / "same", many()) for part in "ab"]
    page = report_page(runs)
    assert "same against same (2)" in text_of(page)


def test_a_run_of_one_episode_has_no_intervals(tmp_path):
    run = made_runs.run(tmp_path / "small", [made_runs.rollout(0)])
    assert "one task: no interval" in text_of(report_page([run]))


def test_whatever_a_run_holds_is_shown_and_never_run(tmp_path):
    names = {"name": INJECTIONS[0], "why": INJECTIONS[1]}
    gate = made_runs.score(0.5, (1.0,)).gates[0]._replace(**names)
    bad = made_runs.rollout(0, 0, 0.5, (1.0,))
    bad = bad._replace(score=made_runs.replace(bad.score, gates=(gate,)))
    run = made_runs.run(tmp_path / "<b>$x$&", [bad], policy=INJECTIONS[1])
    page = report_page([run])
    assert "&lt;/script&gt;&lt;script&gt;" in page
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>$x$" not in page


def test_numbers_are_written_alike():
    assert number(-0.001) == "0.00"
    assert number(-0.5) == "\u22120.50"
    assert number(12345.6, 0) == "12,346"
    assert span(0.1, 0.2) == "0.10–0.20"
    assert span(-0.1, 0.2) == "\u22120.10 to 0.20"
