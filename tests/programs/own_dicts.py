"""The attributes of instances as a dict: `vars(x)` and `x.__dict__`, read and written."""

import collections
import dataclasses

import numpy as np

from tests.programs import program


class Model:
    kind = "model"

    def __init__(self, **options):
        self.rate, self.steps = 0.1, 0
        self.__dict__.update(options)

    @property
    def twice(self):
        return 2 * self.rate

    def __repr__(self):
        shown = ", ".join(f"{k}={v!r}" for k, v in self.__dict__.items())
        return f"{type(self).__name__}({shown})"

    def __eq__(self, other):
        return self.__dict__ == other.__dict__

    def clone(self, **changes):
        return type(self)(**{**vars(self), **changes})


@dataclasses.dataclass
class Pair:
    a: float
    b: float = 2.0


@program("class", lambda: (1.5, np.array([1.0, 2.0])))
def copied_with_changes(x, w):
    m = Model(rate=x, w=w)
    c = m.clone(steps=3)
    return c.steps, c.w is w, len(vars(c)), list(vars(c)), "kind" in c.__dict__, m.twice, vars(m)


@program("class prints", lambda: (1.5,))
def shown_and_compared(x):
    m = Model(rate=x, other=2)
    print(m, vars(m))
    p = Pair(x)
    q = Pair(**vars(p))
    r = Pair.__new__(Pair)
    r.__dict__.update(p.__dict__)
    r.b = 0.0
    return repr(m), m == Model(rate=x, other=2), m == Model(rate=x), p, q, r, str(vars(r))


@program("class mutation", lambda: (Model(rate=2.0),))
def of_an_argument(m):
    m.__dict__["rate"] = 5.0
    vars(m)["new"] = 7
    return m.twice, sorted(vars(m)), max(vars(m).values()), vars(m), m


@program("class", lambda: (1.5,))
def written_as_a_dict(x):
    m = Model(rate=x)
    d = vars(m)
    m.z = 4.0
    d["y"] = 3.0
    del d["steps"]
    found = [d["z"], m.y, hasattr(m, "steps"), d.pop("y"), d.get("q", 0), hasattr(m, "y")]
    found += [d.setdefault("rate", 9.0), d.setdefault("v", 8.0), m.v, d | {"k": 1}, d.copy()]
    try:
        found.append(d["nothing"])
    except KeyError as e:
        found.append(str(e))
    for name in list(vars(m)):
        delattr(m, name)
    return found, len(d), bool(d), isinstance(d, dict), type(d) is dict


@program("class loop", lambda: (1.5, 4), lambda: (-1.5, 3))
def read_while_written(x, n):
    m = Model(rate=x, z=1.0)
    seen, total = [], 0.0
    for _, v in vars(m).items():
        seen.append(v)
        m.z += 1
    for i in range(n):
        for v in m.__dict__.values():
            total += v * i
        m.z += total
    items, values = vars(m).items(), vars(m).values()
    first = list(items)
    m.z = 100.0
    return seen, total, first, list(items), list(values), len(items), sum(values)


@program("class raise checks", lambda: (1.5,))
def grown_while_read(x):
    m = Model(rate=x)
    for k, v in vars(m).items():
        setattr(m, k + "2", v)
    return m


@program("dict", lambda: (1.5,))
def other_dicts_as_arguments(x):
    given = collections.defaultdict(int, {"rate": x, "steps": 4})
    return Model(**given).steps, Model(**collections.OrderedDict(rate=x)).rate


class Settings(dict):
    __getattr__ = dict.__getitem__


SETTINGS = Settings(rate=0.5, steps=3)


@program("dict", lambda: (2.0,))
def attributes_that_are_keys(x):
    return x * SETTINGS.rate + SETTINGS.steps
