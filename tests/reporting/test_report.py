"""What a report is made of: costs, links between stages, decisions, types; profiles; notebooks."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pytest

import pyxla
from pyxla.errors import CompileError
from pyxla.reporting.api import Report, needed
from pyxla.reporting.compiling import Looked
from pyxla.reporting.costs import ASSUMED, Costs
from pyxla.reporting.listing import Places, of_hlo, of_lowered, of_stablehlo
from pyxla.reporting.notebook import cell_report
from pyxla.reporting.page import Page
from pyxla.runtime import jaxlower
from tests.reporting import programs
from tests.reporting.programs import line


@pytest.fixture(scope="module")
def looked() -> Looked:
    return Looked.of_call(programs.train, programs.arguments())


def costs(function, *args) -> Costs:
    looked = Looked.of_call(function, args)
    return Costs(looked.program.origin, looked.home)


def at(made: Costs, function, below: int):
    code = function.__code__
    return made.lines[code.co_filename, code.co_firstlineno + below]


# --- costs ------------------------------------------------------------------------------------


def products(a, b):
    c = a @ b
    for _ in range(10):
        c = c + 1.0
    return c.sum()


def until(x, n):
    for _ in range(n):
        x = x * 2.0
    return x


def either(x, flag):
    if flag[0] > 0:
        y = np.linalg.cholesky(x @ x)
    else:
        y = x + 1.0
    return y


def test_operations_and_bytes_of_lines():
    made = costs(products, np.ones((4, 8)), np.ones((8, 3)))
    assert at(made, products, 1).flops == 2 * 4 * 8 * 3
    assert at(made, products, 1).moved == 8 * (4 * 8 + 8 * 3 + 4 * 3)
    assert at(made, products, 3).flops == 10 * 12
    assert at(made, products, 4).flops == 12
    (loop,) = made.loops
    assert (loop.count, loop.exact, loop.loc.lineno) == (10, True, line_of(products, 2))
    assert made.total.flops == sum(cost.flops for cost in made.lines.values())


def line_of(function, below: int) -> int:
    return function.__code__.co_firstlineno + below


def test_a_loop_of_unknown_length_counts_so_often():
    made = costs(until, np.ones(3), pyxla.types.parse("int"))
    assert made.loops[0].count is None
    assert at(made, until, 2).flops == 3 * ASSUMED
    assert at(made, until, 2).open and made.total.open


def before_and_in_a_loop(x, n):
    x = doubled(x)
    for _ in range(n):
        x = doubled(x)
    return x


def doubled(x):
    return x * 2.0


def test_a_line_before_and_in_a_loop_of_unknown_length():
    made = costs(before_and_in_a_loop, np.ones(3), pyxla.types.parse("int"))
    assert at(made, doubled, 1).flops == 3 * (1 + ASSUMED)
    assert at(made, doubled, 1).open


def test_the_dearest_branch_counts():
    made = costs(either, np.eye(6), np.ones(1))
    assert made.total.flops < sum(cost.flops for cost in made.lines.values())


# --- links ------------------------------------------------------------------------------------


def test_every_stage_is_linked_with_the_source(looked):
    product = (programs.__file__, line("hidden = relu"))
    module = jaxlower.stablehlo(looked.program, locations=True)
    stages = {
        "lowered": of_lowered(looked.found.sources),
        "typed": looked.listing,
        "stablehlo": of_stablehlo(module, looked.places),
        "hlo": of_hlo(looked.optimized, looked.places),
    }
    for name, lines in stages.items():
        linked = [x.text for x in lines if x.place == product]
        # A small product in a loop becomes sums.
        words = {"lowered": ("relu",), "typed": ("dot",)}.get(name, ("dot", "reduce"))
        assert any(word in text for text in linked for word in words), name
        assert not any("stack_frame_id" in x.text or "loc(#" in x.text for x in lines), name


def test_files_of_one_name_are_told_apart_or_not_linked():
    loc = pyxla.errors.Location
    places = Places([loc("/a/x.py", 1), loc("/b/x.py", 1), loc("/b/x.py", 2)])
    assert places.find("x.py", 1) is None
    assert places.find("x.py", 2) == ("/b/x.py", 2)
    assert places.find("y.py", 2) is None


def test_types_of_expressions_and_names(looked):
    found = looked.found
    number = line("error = hidden")
    spans = {(s, e): t for (_, n, s, _, e), t in found.types.items() if n == number}
    assert ["array f64[16]"] in spans.values()
    assert found.names["train", "loss", line("loss = ")] == ["numpy.float64"]
    assert (line("hidden = relu"), "relu") in found.calls["train"]
    assert not any(callee.startswith("_pyxla") for _, callee in found.calls["train"])


def test_code_of_the_library_counts_for_the_line_that_calls_it():
    made = costs(draws, np.ones(3))
    (file,) = {file for file, _ in made.lines}
    assert file == draws.__code__.co_filename


def draws(x):
    rng = np.random.default_rng(3)
    return x + rng.normal(size=3)


def test_decisions_have_lines_and_remedies(looked):
    found = {d.kind: d for d in looked.decisions}
    assert found["unrolled"].loc.lineno == line("for k in")
    assert found["unrolled"].remedy
    assert found["checked"].loc.lineno == line("raise ValueError")


def test_known_values_and_conversions_and_written_arguments():
    def mixed(x, y, n):
        y[0] = 1.0
        return np.zeros(n) + x.astype(np.float32)[0] * y.astype(np.float32)

    looked = Looked.of_call(mixed, (np.ones(3), np.ones(3), 3))
    told = {d.kind: d.text for d in looked.decisions}
    assert told["known"] == "the value of n is part of the program"
    assert told["copied"].startswith("y is changed: its new contents, f64[3]")
    assert "an array of f32 becomes f64[3]" in [d.text for d in looked.decisions]


# --- the page ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page() -> str:
    return pyxla.report(programs.train, *programs.arguments()).html


def test_the_page_is_of_itself(page):
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page
    assert len(page) < 3e6


def test_long_listings_are_not_coloured(monkeypatch):
    monkeypatch.setattr(Page.__module__ + ".COLOURED", 0)
    made = pyxla.report(ints, pyxla.i64[3], derivative=False)
    listing = made.html.split('data-pane="typed"')[1].split("</article>")[0]
    assert "<span" not in listing and "multiply" in listing


def test_every_line_with_code_is_linked(page):
    keys = dict(re.findall(r'<div class="row has" data-at="(\d+)".*?"num">(\d+)<', page))
    assert str(line("hidden = relu")) in keys.values()
    for key in keys:
        panes = re.split(r'data-pane="', page)[1:]
        assert any(f'data-at="{key}"' in pane for pane in panes)


def test_the_derivative_is_beside_its_primal(page):
    assert "The gradient of the sum of all results by <b>w, x, y, rate</b>" in page
    assert "There is no gradient" not in page


def test_what_has_no_gradient_says_why():
    made = pyxla.report(ints, pyxla.i64[3])
    assert "There is no gradient to show: no argument by position" in made.html
    made = pyxla.report(ints, pyxla.i64[3], derivative=False)
    assert "There is no gradient" not in made.html and 'data-tab="derivative"' not in made.html


def ints(x):
    return x * 2


def test_names_in_the_source_are_escaped():
    made = pyxla.report(escaping, pyxla.f64[3])
    assert "<script>alert" not in made.html
    assert "&lt;script&gt;" in made.html


def escaping(x):
    words = "<script>alert(1)</script>"
    return x * len(words)


def test_what_is_refused_is_refused():
    with pytest.raises(CompileError, match="shapes"):
        pyxla.report(products, pyxla.f64[2, 3], pyxla.f64[2, 3])


def test_what_is_not_installed_has_its_remedy():
    with pytest.raises(CompileError, match="needs no_such_module") as caught:
        needed("no_such_module", "report")
    assert caught.value.hint == "pip install 'pyxla[report]'"


# --- profiles, notebooks ----------------------------------------------------------------------


def test_a_profile_names_lines(tmp_path):
    x = np.ones((200, 200))
    found = pyxla.profile(repeated, x, 5, runs=2)
    hottest = max(found.seconds, key=found.seconds.get)
    assert hottest == (repeated.__code__.co_filename, line_of(repeated, 2))
    assert found.wall > 0 and found.runs == 2
    assert "x = np.tanh(x @ x)" in str(found) == repr(found)
    assert (x == 1).all()
    found.save(tmp_path / "trace.json.gz")
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        names = [event.get("name", "") for event in json.load(file)["traceEvents"]]
    assert any("x = np.tanh(x @ x)" in name for name in names)


def repeated(x, n):
    for _ in range(n):
        x = np.tanh(x @ x)
    return x


def test_a_report_with_times():
    made = pyxla.report(repeated, np.ones((50, 50)), 3, profile=True, derivative=False)
    assert 'data-by="time"' in made.html


def test_stages_in_notebooks():
    text = pyxla.code_typed(repeated, pyxla.f64[2, 2], int)
    assert isinstance(text, str)
    shown = text._repr_html_()
    assert "<span" in shown and "dot_general" in shown
    assert "def" in pyxla.code_lowered(repeated)._repr_html_()
    assert Report("f", '<p class="x">')._repr_html_().startswith('<iframe srcdoc="<p class=&quot;')


def test_a_cell_shows_the_report_of_its_last_call():
    names = {"np": np, "repeated": repeated}
    ran = []

    def run(code):
        ran.append(code)
        exec(code, names)

    cell = "y = np.ones((2, 2))\nrepeated(y, n=3)"
    made = cell_report("derivative=False", cell, names, run)
    assert ran == ["y = np.ones((2, 2))"]
    assert made.name == "repeated"
    with pytest.raises(CompileError, match="does not end with a call"):
        cell_report("", "y = 3", names, run)


def test_a_compiled_function_has_its_page():
    made = pyxla.compile(ints).report(pyxla.i64[3], derivative=False)
    assert isinstance(made, Report) and made.html.count("multiply")
