"""Dicts among several that get and lose keys, where data decides which of them does."""

from __future__ import annotations

from tests.programs import program


def records(n=12):
    return [{"name": f"n{i}", "score": float(i * 37 % 101), "dept": "abc"[i % 3]} for i in range(n)]


def by_score(rows):
    return sorted(rows, key=lambda row: -row["score"])


@program("dicts", lambda: (records(),), lambda: (records(90),))
def ranked(rows):
    for i, row in enumerate(by_score(rows)):
        row["rank"] = i + 1
    return [row["rank"] for row in rows]


@program("dicts", lambda: (records(),))
def of_several_keys(rows):
    """They come in one order or the other."""
    total = sum(row["score"] for row in rows)
    cumulated = 0.0
    for i, row in enumerate(by_score(rows)):
        if i % 2:
            cumulated += row["score"]
            row["share"] = cumulated / total
            row["class"] = "A" if row["share"] < 0.5 else "B"
        else:
            row["class"] = "C"
            row["share"] = 0.0
    return [(row["name"], row["class"]) for row in rows]


@program("dicts", lambda: (records(),))
def asked_for(rows):
    for i, row in enumerate(by_score(rows)[:4]):
        row["rank"] = i + 1
    found = []
    for row in rows:
        if "rank" in row and row["rank"] < 3:
            found.append((row["name"], row["rank"]))
        elif row.get("rank"):
            found.append((row["name"], -1))
        else:
            found.append((row["name"], row.get("rank", 99)))
    return found, sum("rank" in row for row in rows)


@program("dicts checks", lambda: (records(),))
def missed(rows):
    for i, row in enumerate(by_score(rows)[:4]):
        row["rank"] = i + 1
    count = 0
    for row in rows:
        try:
            count += row["rank"]
        except KeyError:
            count += 100
    try:
        return sum(row["rank"] for row in rows), count
    except KeyError as error:
        return str(error), count


@program("dicts checks", lambda: (records(),))
def never_there(rows):
    for row in by_score(rows)[:3]:
        row["rank"] = 1
    return [row["rank"] for row in rows]


@program("dicts", lambda: (records(),))
def taken_out(rows):
    """A key that comes again is behind all others."""
    for row in by_score(rows)[:3]:
        score = row.pop("score")
        row["before"] = score
        row["score"] = score + 1
    for row in by_score(rows)[:2]:
        del row["dept"]
    return [row.get("dept", "none") for row in rows], [row.pop("before", None) for row in rows]


@program("dicts", lambda: (records(),))
def set_by_default(rows):
    best = max(rows, key=lambda row: row["score"])
    best.setdefault("medal", "gold")
    best.setdefault("medal", "silver")
    worst = min(rows, key=lambda row: row["score"])
    worst.update(medal="none", last=True)
    worst |= {"points": 3}
    return rows


@program("dicts", lambda: (records(),))
def ranked_in_groups(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["dept"], []).append(row)
    for group in groups.values():
        group.sort(key=lambda row: -row["score"])
        for i, row in enumerate(group, 1):
            row["rank"] = i
    return sorted(rows, key=lambda row: row["rank"])[0]["name"]


@program("dicts", lambda: (records(),))
def visited_until_again(rows):
    i, order = 0, []
    while "seen" not in rows[i]:
        rows[i]["seen"] = len(order)
        order.append(i)
        i = int(rows[i]["score"]) % len(rows)
    return order, rows[i]["seen"]


@program("dicts prints", lambda: (records(),))
def looked_at_whole(rows):
    """Before any has the key, and where all do."""
    first, size = dict(rows[0]), len(rows[1])
    for i, row in enumerate(by_score(rows)):
        row["rank"] = i + 1
    for row in rows:
        print(row)
    return first, size, [dict(row) for row in rows], rows[0] == {**first, "rank": 12}


@program("dicts", lambda: (records(),))
def of_a_list_and_linked(rows):
    before = None
    for i, row in enumerate(by_score(rows)):
        row["places"] = [i, i + 1]
        row["before"] = before
        before = row
    count = 0
    while before is not None:
        count += before["places"][1]
        before = before["before"]
    return count


@program("dicts checks", lambda: (records(),))
def changed_while_read(rows):
    worst = min(rows, key=lambda row: row["score"])
    for key in list(worst):
        worst[key + "2"] = 1
    for _ in worst:
        worst["new"] = 1
    return rows


@program("dicts", lambda: (records(40),))
def stopped_half_way(rows):
    for i, row in enumerate(by_score(rows)):
        if i == 30:
            raise ValueError(row["name"])
        row["rank"] = i
    return rows


@program("dicts", lambda: (records(40),))
def set_by_loops_and_by_data(rows):
    for row in rows:
        row["adjusted"] = row["score"] * 1.1 + len(row["name"])
    rows.sort(key=lambda row: row["adjusted"])
    for i, row in enumerate(rows):
        row["rank"] = i
    return rows


@program("dicts", lambda: (records(6),))
def keys_like_names_of_columns(rows):
    """The empty one, and one that begins like the column of whether there is one."""
    rows = [{"": row["score"], "?x": i % 2, "x": i} for i, row in enumerate(rows)]
    rows.sort(key=lambda row: -row[""])
    return [(row[""], row["?x"], row["x"]) for row in rows], rows


@program("dicts prints", lambda: (records(6),), lambda: (records(100),))
def set_by_a_loop_and_looked_at(rows):
    """All have them, in a list that is long enough for a loop by number, too."""
    for row in rows:
        row["double"] = row["score"] * 2
        row["size"] = "large" if row["double"] > 100 else "small"
    print(rows[-1])
    return [{**row, "last": 1} for row in rows]


@program("dicts prints", lambda: (records(6),), lambda: (records(40),))
def set_on_a_path_and_looked_at(rows):
    for row in rows:
        if row["score"] > 50:
            row["above"] = row["score"] - 50
    print(rows[1])
    return [dict(row) for row in rows]


@program("dicts", lambda: (records(40),))
def set_in_some_and_looked_at(rows):
    """It is compiled again when the first has another key than the last (`unlike_dicts`)."""
    for i in range(10):
        rows[i]["first"] = i
    return [dict(row) for row in rows]


@program("dicts", lambda: (records(40), 3.5, 2), lambda: (records(3), True, 2))
def numbers_as_they_were_given(rows, x, n):
    return [{**row, "x": x} for row in rows], (x, n), [n]
