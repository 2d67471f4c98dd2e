"""Pages in a browser, and a run that holds an episode of every kind."""

import shutil
from importlib.util import find_spec

import made_runs
import pytest
from made_pages import every_kind, many, serving

CHROMIUM = "/usr/bin/chromium"
QUIET = (
    "--no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def episodes():
    """Real episodes, and some made from one; each by a name."""
    return every_kind()


@pytest.fixture(scope="session")
def mixed(tmp_path_factory, episodes):
    """The folder of a run with these episodes, a void one and one still to come."""
    folder = tmp_path_factory.mktemp("runs") / "mixed"
    outcomes = [*episodes.values(), made_runs.void(seed=30)]
    made_runs.run(folder, outcomes, [made_runs.identity(seed=31)])
    return folder


@pytest.fixture
def copy(mixed, tmp_path):
    """A copy of the mixed run, to be changed."""
    return shutil.copytree(mixed, tmp_path / "copy")


@pytest.fixture(scope="module")
def viewer(mixed):
    """The address of a viewer of the mixed run."""
    with serving(mixed) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    """A browser; of a module, for its event loop would be in the way of other tests."""
    if find_spec("playwright") is None or find_spec("axe_playwright_python") is None:
        pytest.skip("playwright or axe-playwright-python is not installed")
    if shutil.which(CHROMIUM) is None:
        pytest.skip(f"there is no {CHROMIUM}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=QUIET.split())
        yield launched
        launched.close()


@pytest.fixture
def page(browser):
    """A page that fails the test after an error, a dialog, or a request to another machine."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(10_000)
    met = []
    opened.on("console", lambda m: met.append(m.text) if m.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: met.append(str(error)))
    opened.on("dialog", lambda dialog: met.append("dialog"))
    outside = []
    opened.on("request", lambda request: outside.append(request.url))
    opened.met = met
    yield opened
    hacked = opened.evaluate("window.hacked")
    context.close()
    assert met == []
    assert hacked is None
    local = ("http://127.0.0.1:", "file://", "data:")
    assert [url for url in outside if not url.startswith(local)] == []


@pytest.fixture
def accessible():
    """Asks axe whether a page is accessible, light and dark."""

    def check(opened):
        from axe_playwright_python.sync_playwright import Axe

        for scheme in ("light", "dark"):
            opened.emulate_media(color_scheme=scheme)
            opened.wait_for_timeout(100)
            found = Axe().run(opened)
            assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"

    return check


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    outcomes = [*many(), made_runs.void(seed=50), made_runs.rollout(51, completion=None)]
    return made_runs.run(tmp_path_factory.mktemp("first") / "first", outcomes)


@pytest.fixture(scope="module")
def second(tmp_path_factory):
    """The same tasks, played better."""
    outcomes = [*many(0.2), made_runs.void(seed=50), made_runs.rollout(51, completion=None)]
    return made_runs.run(tmp_path_factory.mktemp("second") / "second", outcomes, policy="better")


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """Other settings."""
    folder = tmp_path_factory.mktemp("faulty") / "faulty"
    return made_runs.run(folder, many(), faults=0.1)


@pytest.fixture(scope="module")
def three(first, second, faulty):
    """The report of these runs."""
    from coworkgym.evals.report import report_page

    return report_page([first, second, faulty])
