"""Expressions, one a line, that raise for some of the arguments, or might."""

# Of x = arange(5.), and n and m, which are 2 and 3, then 3 and 3: sizes that do not fit.
SIZES = """
np.dot(x[:n], x[:m])
np.inner(x[:n], x[:m])
np.vdot(x[:n], x[:m])
x[:n] @ x[:m]
x[:n].dot(x[:m])
np.tensordot(x[:n], x[:m], 1)
np.einsum("i,i->", x[:n], x[:m])
np.outer(x[:n], x[:m])
np.interp(1.0, x[:n], x[:m])
np.vstack([x[:n], x[:m]])
np.stack([x[:n], x[:m]])
np.column_stack([x[:n], x[:m]])
np.average(x[:n], weights=x[:m])
np.where(x[:n] > 1, x[:m], 0)
np.maximum(x[:n], x[:m])
np.hypot(x[:n], x[:m])
np.allclose(x[:n], x[:m])
np.array_equal(x[:n], x[:m])
np.sum(x[:n] * x[:m])
np.select([x[:n] > 1], [x[:m]])
np.clip(x[:n], 0, x[:m])
x[:n] < x[:m]
np.convolve(x[:n], x[:m])
x[:5][x[:n] > 1]
np.concatenate([x[:n], x[:m]])
np.isclose(x[:n], x[:m])
np.polyfit(x[:n], x[:m], 1)
np.searchsorted(x[:n], x[:m])
np.bincount(x[:n].astype(int), weights=x[:m])
np.add.outer(x[:n], x[:m])
np.linalg.norm(x[:n] - x[:m])
np.copysign(x[:n], x[:m])
np.arctan2(x[:n], x[:m])
sum((a * b for a, b in zip(x[:n], x[:m], strict=True)))
np.array([x[:n], x[:m]])
np.hstack([x[:n], x[:m]])
np.append(x[:n], x[:m])
np.where(x[:n] > 0)[0][m - 1]
np.nonzero(x[:n] > 1)[0][m - 2]
x[:n].reshape(m)
np.linalg.solve(np.eye(3), x[:m + n - 3])
np.kron(x[:n], x[:m])
x[:n] ** x[:m]
np.tile(x[:n], m)
np.roll(x[:n], m)
np.digitize(x[:n], x[:m])
np.trapezoid(x[:n], x[:m])
np.trapezoid(x[:m], x)
np.trapezoid(x[:2], x[:m])
np.trapezoid(x[x > n], x[x > m])
"""

# Of x = arange(5.), and k, which is 1.0, then 9.0.
NUMBERS = """
max(x[x > k])
min(x[x > k])
sum(x[x > k])
len(x[x > k])
1 / len(x[x > k])
x[x > k][-1]
x[x > k].item()
np.flatnonzero(x > k)[0]
int(x[x > k].max())
np.nanmax(x[x > k])
np.max(x, where=x > k, initial=0)
x[x > k].sum() / x[x > k].size
list(x[x > k])[0]
sorted(x[x > k])[0]
max(list(x[x > k]))
max((v for v in x if v > k))
next((v for v in x if v > k))
[v for v in x if v > k][0]
[v for v in x if v > k].pop()
np.linspace(0, 1, 3)[int(k)]
np.unique(x[x > k])[0]
np.argwhere(x > k)[0, 0]
np.average(x[x > k])
np.quantile(x[x > k], 0.5)
np.bincount((x - k).astype(int))
np.diff(x[x > k])[0]
sum(x[x > k]) / len(x[x > k])
math.sqrt(4 - k)
np.sqrt(4 - k)
math.log(3 - k)
math.asin(k)
(3 - k) ** 0.5
divmod(3.0, k - 9)
3 // (k - 9)
round(1 / (k - 9.0))
int("12"[int(k)])
chr(int(-k))
range(3)[int(k)]
(1, 2, 3)[int(k)]
[1, 2, 3][int(k):][0]
"abc"[int(k)]
{1: 2}[int(k)]
{1.0: 2.0}[k]
[1, 2].index(int(k))
list(range(3)).index(int(k))
1 << int(k - 2)
[10, 20][int(k) - 1:][0]
np.eye(3)[int(k)]
np.take(x, int(k))
np.delete(x, int(k))
np.insert(x, int(k), 1)
np.roll(x, int(k))
np.linalg.matrix_power(np.eye(2) * (k - 9), -1)
np.linalg.inv(np.eye(2) * (k - 9))
np.linalg.solve(np.eye(2) * (k - 9), np.ones(2))
np.linalg.det(np.eye(2) * (k - 9))
np.linalg.cholesky(np.eye(2) * (5 - k))
np.linalg.eig(np.eye(2) / (9 - k))[0]
math.factorial(int(5 - k))
math.comb(5, int(5 - k))
math.perm(5, int(5 - k))
math.gcd(int(k), 0) // int(9 - k)
math.fmod(k, 9 - k)
math.exp(k * 100)
math.gamma(1 - k)
math.floor(1e+300 * k)
math.hypot(k, 1)
math.ldexp(1.0, int(k) * 200)
math.fsum([k])
pow(int(k), -1, 9)
pow(2, int(k), int(9 - k))
int(k * 1e+18)
int(k) ** 20
int(k) << 61
(int(k) + 2 ** 61) * 4
sum([int(k) << 60, 1 << 62])
math.prod([int(k)] * 20)
abs(-int(k) << 59)
-(int(k) << 60)
2 ** int(k * 8)
np.int64(2) ** int(k * 8)
np.array([1]) ** int(3 - k)
np.uint8(200) + np.uint8(int(k) * 30)
np.array([200], np.uint8) + int(k) * 30
np.array([1, 2])[int(k)]
np.ones((2, 3))[int(k), 0]
np.ones((2, 3))[0, int(k)]
np.ones((2, 3))[:, int(k)]
np.ones((2, 3)).T[int(k)]
x[int(k):][0]
x[::-1][int(k)]
x.reshape(5, 1)[int(k)]
x[[0, int(k)]]
x[np.array([0, int(k)])]
x[int(k) - 9:int(k)].max()
x.item(int(k))
np.ix_([0, int(k)], [0])[0]
np.eye(5)[np.ix_([0, int(k)], [0])]
np.take_along_axis(x, np.array([int(k)]), 0)
np.choose(int(k), [x, x])
np.unravel_index(int(k), (2, 2))
np.ravel_multi_index((int(k), 0), (2, 2))
np.triu_indices(int(k) - 3)
np.bincount(np.array([int(5 - k)]))
np.percentile(x, k * 30)
[0] * int(k - 3)
"a" * int(k - 3)
(1,) * int(k - 3)
list(range(int(k)))[5]
dict(a=1)["a" if k < 5 else "b"]
{"a": 1, "b": 2}.pop("a" if k < 5 else "c")
{1, 2}.pop()
set([int(k)]).remove(1)
[1, 2, 3].remove(int(k))
[1].pop(int(k) - 1)
next(iter([1][int(k) - 1:]))
str(k)[int(k)]
f"{k:{int(k)}.2f}"
"%d" % int(k)
int(str(int(k)) + ("x" if k > 5 else ""))
float("1.5" if k < 5 else "abc")
complex(k) / (9 - k)
(1 + 2j) / (k - 9)
(1j * (k - 9)) ** (-1)
0.0 ** (5 - k)
0 ** int(5 - k)
(-8.0) ** (k / 3)
np.float64(0.0) ** (5 - k)
1 % int(9 - k)
-7 % (9 - k)
7.5 // (9 - k)
np.float64(7.5) // (9 - k)
int(x[1]) // int(9 - k)
x[1] / (9 - k)
x[1].item() / (9 - k)
float(x[1]) / float(9 - k)
bool(x[:2]) if k > 5 else 1
x.tolist()[int(k)]
np.max(x[x > k])
np.min(x[x > k])
np.argmax(x[x > k])
np.argmin(x[x > k])
np.mean(x[x > k])
np.sum(x[x > k])
np.prod(x[x > k])
np.std(x[x > k])
np.ptp(x[x > k])
np.median(x[x > k])
np.percentile(x[x > k], 50)
np.any(x[x > k])
np.all(x[x > k])
np.cumsum(x[x > k])
np.argsort(x[x > k])
np.sort(x[x > k])
"""
