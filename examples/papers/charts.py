"""Pictures of figures: line and bar charts as SVG, with text kept as text.

Needs Altair and vl-convert (`pip install 'sqlanon[report]'`). Colors are those of Okabe and Ito,
which people with any color vision can distinguish; series differ in shape, too. The background is
white, on pages of any color. The same rows give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import vl_convert

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (1, 0), (6, 3))
WIDTH, HEIGHT = 560, 300


def points(
    rows: Sequence[Mapping[str, str]],
    places: str,
    series: Mapping[str, str],
    *,
    by: str = "",
    upper: str = "",
) -> list[dict[str, Any]]:
    """One point per row and column, series by series; an empty cell is none.

    Args:
        rows: lines of a CSV file, by column.
        places: the column on the horizontal axis.
        series: the columns on the vertical axis, numbers, and what the legend calls them.
        by: a column whose values the legend names instead.
        upper: a column with the upper end of what is known of a point.
    """
    return [
        {
            "x": row[places],
            "y": float(row[column]),
            "series": row[by] if by else name,
            **({"upper": float(row[upper])} if upper else {}),
        }
        for column, name in series.items()
        for row in rows
        if row[places] and row[column]
    ]


def line_chart(
    data: Sequence[Mapping[str, Any]], *, title: str, x: str, y: str, logarithmic: str = ""
) -> Any:
    """Lines with a mark at every point.

    Args:
        data: points with x and y (numbers) and series; the first series is drawn first. Where they
            have `upper`, the area between y and it is shaded.
        title: says what is shown, in a line.
        x, y: titles of the axes, with units.
        logarithmic: the axes that are, "", "x", "y" or "xy"; others begin at 0 (y) or the first x.
    """
    names = list(dict.fromkeys(point["series"] for point in data))
    color, shape, dash = (
        alt.Scale(domain=names, range=list(values[: len(names)]))
        for values in (COLORS, SHAPES, DASHES)
    )
    shaded = "upper" in data[0]
    opaque = {"symbolOpacity": 1} if shaded else {}  # a legend would take it from the areas
    legend = alt.Legend(title=None, **opaque) if len(names) > 1 else None
    numbers = [{**point, "x": float(point["x"])} for point in data]
    places = sorted({point["x"] for point in numbers})
    ends = [places[0], places[-1]]
    across = alt.Scale(type="log" if "x" in logarithmic else "linear", domain=ends, nice=False)
    up = alt.Scale(type="log") if "y" in logarithmic else alt.Scale(zero=True)
    whole = all(place.is_integer() for place in places)
    ticks = alt.Axis(values=places, format="d" if whole else ".3~f", labelFlush=False)
    base = alt.Chart(alt.Data(values=numbers)).encode(
        x=alt.X("x:Q", title=x, scale=across, axis=ticks),
        y=alt.Y("y:Q", title=y, scale=up),
        color=alt.Color("series:N", scale=color, legend=legend, sort=None),
    )  # fmt: skip
    lines = base.mark_line(strokeWidth=1.6).encode(
        strokeDash=alt.StrokeDash("series:N", scale=dash, legend=None, sort=None)
    )
    marks = base.mark_point(filled=True, size=45, opacity=1).encode(
        shape=alt.Shape("series:N", scale=shape, legend=legend, sort=None)
    )
    areas = [base.mark_area(opacity=0.2).encode(y2="upper:Q")] if shaded else []
    return styled(alt.layer(*areas, lines, marks), title)


def bar_chart(
    data: Sequence[Mapping[str, Any]], *, title: str, x: str, y: str, digits: str = ",.4~r"
) -> Any:
    """Bars with their numbers; several series stand beside each other.

    Args:
        data: points with x (a text), y and series; all are drawn in the order in which they appear.
        title, x, y: as for lines.
        digits: the format of the numbers above the bars, as of d3.
    """
    names = list(dict.fromkeys(point["series"] for point in data))
    places = list(dict.fromkeys(point["x"] for point in data))
    angle = 0 if sum(map(len, places)) < 60 else -30
    base = alt.Chart(alt.Data(values=list(data))).encode(
        x=alt.X("x:N", title=x, sort=places, axis=alt.Axis(labelAngle=angle)),
        xOffset=alt.XOffset("series:N", sort=names),
        y=alt.Y("y:Q", title=y),
    )
    bars = base.mark_bar().encode(
        color=alt.Color(
            "series:N",
            scale=alt.Scale(domain=names, range=list(COLORS[: len(names)])),
            legend=alt.Legend(title=None) if len(names) > 1 else None,
            sort=None,
        )
    )
    numbers = base.mark_text(dy=-7, fontSize=11).encode(text=alt.Text("y:Q", format=digits))
    return styled(alt.layer(bars, numbers), title)


def styled(chart: Any, title: str) -> Any:
    """The chart with the size, font, legend and background of all pictures."""
    return (
        chart.properties(
            width=WIDTH,
            height=HEIGHT,
            background="white",
            padding=10,
            title=alt.TitleParams(title, anchor="start", fontSize=14, offset=12),
        )
        .configure(font="sans-serif")
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal",
                        gridColor="#e6e6e6", labelColor="#222", titleColor="#222")
        .configure_legend(orient="bottom", columns=3, labelFontSize=12, labelLimit=0,
                          symbolSize=90, symbolStrokeWidth=0)
        .configure_view(stroke=None)
    )  # fmt: skip


def svg(chart: Any) -> str:
    """The chart as SVG, with a line break at its end."""
    return str(vl_convert.vegalite_to_svg(chart.to_dict())).rstrip("\n") + "\n"
