"""SVG: figures of matplotlib as part of a page, coloured by its style sheet."""

import re
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, QUIET, LINE = "#0000f1", "#0000f2", "#0000f3"
SERIES = ("#0000a1", "#0000a2", "#0000a3", "#0000a4", "#0000a5", "#0000a6")
"""Colours that stand for variables of the style sheet while a figure is drawn."""

_VARIABLES = {INK: "--ink", QUIET: "--quiet", LINE: "--line"} | {
    colour: f"--series-{number}" for number, colour in enumerate(SERIES, 1)
}

STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "coworkgym",
    "text.parse_math": False,
    "font.size": 11.0,
    "axes.edgecolor": LINE,
    "axes.labelcolor": QUIET,
    "axes.titlecolor": INK,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.8,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.major.size": 0.0,
    "ytick.major.size": 0.0,
}


def svg_of(figure: "Figure", name: str, title: str, description: str) -> str:
    """Returns a figure as an SVG element: the same text for the same figure.

    Args:
        figure: Drawn under STYLE, in its colours.
        name: Of the plot; unlike others on the page, for its ids begin with it.
        title: For whoever does not see it.
        description: What it shows, in a sentence.
    """
    sheet = StringIO()
    with rc_context(STYLE):
        none = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(sheet, format="svg", transparent=True, metadata=none)
    text = sheet.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", text)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, f"var({variable})")
    text = re.sub(r"font-family: [^;\"]*;?|(font: [\d. a-z]*px) [^;\"]*", r"\1", text)
    box = re.search(r'viewBox="[^"]*"', text)
    assert box is not None  # matplotlib always writes one
    labels = f'role="img" aria-labelledby="{name}-title {name}-description"'
    told = (
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>'
    )
    inner = text[text.index(">") + 1 :]
    return f'<svg class="plot" {box[0]} {labels}>{told}{inner}'.strip()
