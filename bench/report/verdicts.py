"""Goals held against results: the rows of the table."""

import goals

MET, NOT_MET, NOT_MEASURED, NO_GOAL = "met", "NOT met", "not measured", ""


def holds(sense, value, limit):
    return {"at most": value <= limit, "under": value < limit, "at least": value >= limit}[sense]


def plain(value):
    """Three figures or so, and no decimals where there are enough figures before them."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"


def judge(goal, benchmarks, patient=True):
    """A row. `patient`: whether the benchmarks had all the time that they should have."""
    row = {"key": goal.key, "section": goal.section, "text": goal.text, "sense": goal.sense, "limit": goal.limit,
           "unit": goal.unit, "measured": None, "detail": "", "verdict": NO_GOAL}
    try:
        figure = goal.measure(benchmarks)
    except goals.NotReached as reason:
        verdict = NOT_MET if patient else NOT_MEASURED
        return row | {"detail": str(reason), "verdict": verdict if goal.sense else NO_GOAL}
    except goals.Missing as reason:
        return row | {"detail": str(reason), "verdict": NOT_MEASURED}
    row |= {"measured": figure.value, "detail": figure.detail}
    if goal.sense:
        row["verdict"] = MET if holds(goal.sense, figure.value, goal.limit) else NOT_MET
    return row


def judge_all(benchmarks, patient=True):
    return [judge(goal, benchmarks, patient) for goal in goals.all_goals(benchmarks)]


def goal_text(row):
    if not row["sense"]:
        return ""
    return f"{row['sense']} {row['limit']:,g} {row['unit']}"


def measured_text(row):
    return "-" if row["measured"] is None else f"{plain(row['measured'])} {row['unit']}"


def table(rows):
    """The lines of the table: what, goal, measured, verdict, detail."""
    cells = [("", "goal", "measured", "", "")]
    sections = {}
    for row in rows:
        if row["section"] not in sections:
            sections[row["section"]] = len(cells)
        cells.append(("  " + row["text"], goal_text(row), measured_text(row), row["verdict"], row["detail"]))
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    lines = []
    heads = {index: section for section, index in sections.items()}
    for index, (text, goal, measured, verdict, detail) in enumerate(cells):
        if index in heads:
            lines.append(heads[index])
        line = f"{text:<{widths[0]}}  {goal:<{widths[1]}}  {measured:>{widths[2]}}  {verdict:<{widths[3]}}  {detail}"
        lines.append(line.rstrip())
    return lines


def summary(rows):
    counts = {verdict: sum(row["verdict"] == verdict for row in rows if row["sense"])
              for verdict in (MET, NOT_MET, NOT_MEASURED)}
    return f"{counts[MET]} goals met, {counts[NOT_MET]} not met, {counts[NOT_MEASURED]} not measured"
