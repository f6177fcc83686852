"""Reports in a browser: headless Chromium, where there is one and Playwright to drive it."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

import pyxla
from tests.reporting import programs
from tests.reporting.programs import line

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
DRIVEN = importlib.util.find_spec("playwright") is not None
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVEN), reason="there is no Chromium, or no Playwright to drive it"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = importlib.import_module("playwright.sync_api")
    with api.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Any:
    made = pyxla.report(programs.train, *programs.arguments(), profile=True)
    return made.save(tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture
def page(browser, report) -> Iterator[Any]:
    shown = browser.new_page(viewport={"width": 1400, "height": 800})
    said: list[str] = []
    asked: list[str] = []
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: said.append(str(error)))
    shown.on("request", lambda request: asked.append(request.url))
    shown.goto(report.as_uri())
    yield shown
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    shown.close()


def row(page, text: str) -> Any:
    """The line of the source with this beginning."""
    number = line(text)
    return page.locator(".source .row", has=page.locator(f'.num:text-is("{number}")'))


def test_every_tab_opens(page):
    for button in page.locator("nav button").all():
        button.click()
        name = button.get_attribute("data-tab")
        assert page.locator(f'article[data-tab="{name}"]').is_visible()
        assert page.locator("article.on").count() == 1


@pytest.mark.parametrize("stage", ["lowered", "typed", "regions", "stablehlo", "hlo"])
def test_lines_are_linked_both_ways(page, stage):
    page.click(f'nav button[data-tab="{stage}"]')
    row(page, "hidden = relu").locator(".num").click()
    linked = page.locator(f'article[data-tab="{stage}"] .row.on')
    assert linked.count() >= 1
    assert linked.first.is_visible()
    # A small product is written out for XLA.
    word = {"lowered": "relu", "typed": "dot"}.get(stage, "multiply")
    assert any(word in text for text in linked.all_text_contents())
    page.keyboard.press("Escape")
    assert page.locator(".row.on").count() == 0
    linked = page.locator(f'article[data-tab="{stage}"] .row', has_text=word).first
    linked.click()
    assert page.locator(".source .row.on").count() == 1


def test_types_stand_under_the_mouse(page):
    row(page, "hidden = relu").locator("[data-tip]", has_text="hidden").hover()
    assert page.locator("#tip").text_content() == "hidden: f64[16,4]"


def test_a_decision_says_why(page):
    badge = row(page, "for k in").locator(".badge")
    badge.hover()
    assert "written out, 2 iterations" in page.locator("#tip").text_content()


def test_colours_by_what_is_chosen(page):
    assert page.locator("body.by-time").count() == 1
    page.click('button[data-by="bytes"]')
    assert page.locator("body.by-bytes").count() == 1


def test_the_drawing_zooms_and_selects(page):
    page.click('nav button[data-tab="flow"]')
    box = lambda: page.evaluate("document.querySelector('svg.flow').viewBox.baseVal.width")
    before = box()
    page.locator("svg.flow").hover()
    page.mouse.wheel(0, -400)
    assert box() < before
    page.reload()
    page.locator("svg .node[data-at]:not([data-at=''])").first.dispatch_event("click")
    assert page.locator(".source .row.on").count() == 1


def test_a_place_can_be_linked_to(page):
    row(page, "hidden = relu").locator(".num").click()
    page.click('nav button[data-tab="hlo"]')
    page.reload()
    assert page.locator('article[data-tab="hlo"]').is_visible()
    assert page.locator(".source .row.on").count() == 1


def test_keys_walk_through_the_lines(page):
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator(".source .row.on").count() == 1


def test_long_listings_scroll(page):
    page.click('nav button[data-tab="hlo"]')
    seconds = page.evaluate(
        """(count) => {
        const listing = document.querySelector('[data-pane="hlo"]');
        const chunk = listing.querySelector(".chunk");
        const rows = chunk.children.length;
        for (let made = 0; made < count; made += rows) listing.append(chunk.cloneNode(true));
        const article = listing.parentElement, start = performance.now();
        for (let k = 0; k <= 20; k++) {
          article.scrollTop = article.scrollHeight * k / 20;
          article.getBoundingClientRect();
        }
        return (performance.now() - start) / 1000;
    }""",
        5000,
    )
    assert seconds < 10
