"""What `scipy.sparse` has in C (`scipy.sparse._sparsetools`), as Python that is compiled like the
user's: by these names, of the same arguments, into the same arrays (`lib.scipys.kernel`).

The rest of `scipy.sparse` is Python, and is visited as it is.  `a` is a matrix of `m` rows in CSR
format, `ap` where its rows begin, `aj` the columns, `ax` the values; `c` is the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# --- What SciPy has in Python, where it looks at memory or at data --------------------------------


def _prune_array(array: Any) -> Any:
    """`array`, which SciPy copies where it is a small part of what it is a view of: nobody else
    has that, and compiled arrays have no memory to save."""
    return array


def get_index_dtype(arrays: Any = (), maxval: Any = None, check_contents: bool = False) -> Any:
    """What SciPy takes for indices below 2**31; it has another dtype for others, which raise."""
    most = np.iinfo(np.int32).max
    for x in (arrays,) if isinstance(arrays, np.ndarray) else arrays:
        x = np.asarray(x)
        if not np.can_cast(x.dtype, np.int32):
            if not (check_contents and np.issubdtype(x.dtype, np.integer)):
                return np.int64
            if np.any(x > most) or np.any(x < -most - 1):
                raise OverflowError("indices of sparse matrices in compiled code have 32 bits")
    if maxval is not None and maxval > most:
        raise OverflowError("indices of sparse matrices in compiled code have 32 bits")
    return np.int32


def _spbase_nnz(self: Any) -> int:
    """How many elements are stored, which has a bound."""
    return min(self._getnnz(), self.data.size)


def _cs_matrix_has_canonical_format(self: Any, *given: Any) -> Any:
    """The property, and what sets it: whether elements are in order, each once.  What is found out
    is kept in both fields on all paths."""
    if given:
        self._has_canonical_format = bool(given[0])
        self._has_sorted_indices = bool(given[0]) or self.has_sorted_indices
    elif not hasattr(self, "_has_canonical_format"):
        once = csr_has_canonical_format(len(self.indptr) - 1, self.indptr, self.indices)
        self._has_canonical_format = once
        self._has_sorted_indices = once or self.has_sorted_indices
    return self._has_canonical_format


def _spbase_sum(self: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Without `np.matrix`, where the result is none."""
    if axis is None:
        return np.sum(self._deduped_data(), dtype=dtype, out=out)
    many = np.sum(np.zeros(0, self.dtype)).dtype
    m, n = self.shape
    total = np.ones(m, many) @ self if axis in (0, -2) else self @ np.ones(n, many)
    return self._ascontainer(total if dtype is None else total.astype(dtype))


def _rows(ap: Any, aj: Any) -> Any:
    """The row of each element."""
    return np.searchsorted(ap, np.arange(len(aj)), side="right") - 1


def expandptr(m: int, ap: Any, c: Any) -> None:
    c[:] = _rows(ap, c)


# --- Products ------------------------------------------------------------------------------------


def coo_matvec(nnz: int, rows: Any, columns: Any, ax: Any, x: Any, c: Any) -> None:
    np.add.at(c, rows, ax * x[columns])


def coo_matmat_dense(nnz: int, many: int, rows: Any, columns: Any, ax: Any, x: Any, c: Any) -> None:
    vectors = x.reshape(-1, many)
    np.add.at(c.reshape(-1, many), rows, ax[:, None] * vectors[columns])


def csr_matvec(m: int, n: int, ap: Any, aj: Any, ax: Any, x: Any, c: Any) -> None:
    coo_matvec(len(aj), _rows(ap, aj), aj, ax, x, c)


def csc_matvec(m: int, n: int, ap: Any, aj: Any, ax: Any, x: Any, c: Any) -> None:
    coo_matvec(len(aj), aj, _rows(ap, aj), ax, x, c)


def csr_matvecs(m: int, n: int, many: int, ap: Any, aj: Any, ax: Any, x: Any, c: Any) -> None:
    coo_matmat_dense(len(aj), many, _rows(ap, aj), aj, ax, x, c)


def csc_matvecs(m: int, n: int, many: int, ap: Any, aj: Any, ax: Any, x: Any, c: Any) -> None:
    coo_matmat_dense(len(aj), many, aj, _rows(ap, aj), ax, x, c)


def dia_matvec(
    m: int, n: int, count: int, length: int, offsets: Any, diagonals: Any, x: Any, c: Any
) -> None:
    dia_matvecs(m, n, count, length, offsets, diagonals, 1, x.reshape(-1, 1), c.reshape(-1, 1))


def dia_matvecs(
    m: int, n: int, count: int, length: int, offsets: Any, diagonals: Any, many: int, x: Any, c: Any
) -> None:
    columns = np.arange(min(n, length))
    for k in range(count):
        rows = columns - offsets[k]
        inside = (rows >= 0) & (rows < m)
        values = diagonals[k, : len(columns), None] * x[: len(columns)]
        np.add.at(c, np.clip(rows, 0, m - 1), np.where(inside[:, None], values, 0))


def csr_matmat_maxnnz(m: int, n: int, ap: Any, aj: Any, bp: Any, bj: Any) -> int:
    """How much room the product needs, which is some."""
    nnz = 0
    last = np.full(n, -1)
    for i in range(m):
        for k in range(ap[i], ap[i + 1]):
            for j in bj[bp[aj[k]] : bp[aj[k] + 1]]:
                if last[j] != i:
                    last[j] = i
                    nnz += 1
    return max(min(nnz, m * n), 1)


def csr_matmat(
    m: int, n: int, ap: Any, aj: Any, ax: Any, bp: Any, bj: Any, bx: Any, cp: Any, cj: Any, cx: Any
) -> None:
    """The columns of a row, in a chain from the one met last to the first."""
    following = np.full(n, -1)
    sums = np.zeros(n, cx.dtype)
    nnz = 0
    cp[0] = 0
    for i in range(m):
        head, length = -2, 0
        for k in range(ap[i], ap[i + 1]):
            for l in range(bp[aj[k]], bp[aj[k] + 1]):
                j = bj[l]
                sums[j] += ax[k] * bx[l]
                if following[j] == -1:
                    following[j] = head
                    head = j
                    length += 1
        for _ in range(length):
            cj[nnz] = head
            cx[nnz] = sums[head]
            nnz += 1
            passed, head = head, following[head]
            following[passed] = -1
            sums[passed] = 0
        cp[i + 1] = nnz


# --- Other formats -------------------------------------------------------------------------------


def coo_tocsr(
    m: int, n: int, nnz: int, rows: Any, columns: Any, ax: Any, cp: Any, cj: Any, cx: Any
) -> None:
    order = np.argsort(rows, kind="stable")
    cj[:] = columns[order]
    cx[:] = ax[order]
    cp[:] = np.searchsorted(rows[order], np.arange(m + 1))


def csr_tocsc(m: int, n: int, ap: Any, aj: Any, ax: Any, cp: Any, cj: Any, cx: Any) -> None:
    coo_tocsr(n, m, len(aj), aj, _rows(ap, aj), ax, cp, cj, cx)


def csr_todense(m: int, n: int, ap: Any, aj: Any, ax: Any, c: Any) -> None:
    np.add.at(c, (_rows(ap, aj), aj), ax)


def coo_todense(
    m: int, n: int, nnz: int, rows: Any, columns: Any, ax: Any, c: Any, fortran: int
) -> None:
    np.add.at(c, columns * m + rows if fortran else rows * n + columns, ax)


def dia_tocsr(
    m: int, n: int, count: int, length: int, offsets: Any, diagonals: Any, order: Any,
    cx: Any, cj: Any, cp: Any,
) -> int:  # fmt: skip
    nnz = 0
    cp[0] = 0
    for i in range(m):
        for k in range(count):
            j = i + offsets[order[k]]
            if 0 <= j < min(length, n) and diagonals[order[k], j] != 0:
                cj[nnz] = j
                cx[nnz] = diagonals[order[k], j]
                nnz += 1
        cp[i + 1] = nnz
    return nnz


# --- Order ---------------------------------------------------------------------------------------


def csr_has_sorted_indices(m: int, ap: Any, aj: Any) -> bool:
    rows = _rows(ap, aj)
    return not np.any((rows[1:] == rows[:-1]) & (aj[1:] < aj[:-1]))


def csr_has_canonical_format(m: int, ap: Any, aj: Any) -> bool:
    rows = _rows(ap, aj)
    unordered = (rows[1:] == rows[:-1]) & (aj[1:] <= aj[:-1])
    return not (np.any(ap[1:] < ap[:-1]) or np.any(unordered))


def csr_sort_indices(m: int, ap: Any, aj: Any, ax: Any) -> None:
    order = np.lexsort((aj, _rows(ap, aj)))
    aj[:] = aj[order]
    ax[:] = ax[order]


def csr_sum_duplicates(m: int, n: int, ap: Any, aj: Any, ax: Any) -> None:
    """Of sorted indices."""
    rows = _rows(ap, aj)
    first = np.ones(len(aj), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (aj[1:] != aj[:-1])
    sums = np.zeros_like(ax)
    np.add.at(sums, np.cumsum(first) - 1, ax)
    ax[:] = sums
    _keep(ap, aj, aj.copy(), first)


def csr_eliminate_zeros(m: int, n: int, ap: Any, aj: Any, ax: Any) -> None:
    kept = ax != 0
    _keep(ap.copy(), ax, ax.copy(), kept)
    _keep(ap, aj, aj.copy(), kept)


def _keep(ap: Any, c: Any, values: Any, kept: Any) -> None:
    """Move those `values` that are `kept` to the front of `c`, and say where rows begin then."""
    places = np.cumsum(kept)
    for i in range(len(values)):
        if kept[i]:
            c[places[i] - 1] = values[i]
    before = np.zeros(len(places) + 1, places.dtype)
    before[1:] = places
    ap[:] = before[ap]


# --- Element by element --------------------------------------------------------------------------


def _elementwise(
    function: Any, m: int, n: int, ap: Any, aj: Any, ax: Any, bp: Any, bj: Any, bx: Any,
    cp: Any, cj: Any, cx: Any,
) -> None:  # fmt: skip
    """`function` of the elements of `a` and `b` where one of them has any, without zeros."""
    if not (csr_has_canonical_format(m, ap, aj) and csr_has_canonical_format(m, bp, bj)):
        raise NotImplementedError("in compiled code, call sum_duplicates() of these matrices first")
    keys = np.concatenate((_rows(ap, aj) * n + aj, _rows(bp, bj) * n + bj))
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.ones(len(keys), bool)
    first[1:] = keys[1:] != keys[:-1]
    at = np.empty(len(keys), int)
    at[order] = np.cumsum(first) - 1
    x, y = np.zeros(len(keys), cx.dtype), np.zeros(len(keys), cx.dtype)
    x[at[: len(aj)]] = ax
    y[at[len(aj) :]] = bx
    there = np.zeros(len(keys), int)
    there[at[order]] = keys
    found = function(x, y)
    kept = (np.arange(len(keys)) < np.sum(first)) & (found != 0)
    count = np.sum(kept)
    cx[:count] = found[kept]
    cj[:count] = there[kept] % n
    cp[:] = np.searchsorted(there[kept] // n, np.arange(m + 1))


def csr_plus_csr(*operands: Any) -> None:
    _elementwise(np.add, *operands)


def csr_minus_csr(*operands: Any) -> None:
    _elementwise(np.subtract, *operands)


def csr_elmul_csr(*operands: Any) -> None:
    _elementwise(np.multiply, *operands)


def csr_maximum_csr(*operands: Any) -> None:
    _elementwise(np.maximum, *operands)


def csr_minimum_csr(*operands: Any) -> None:
    _elementwise(np.minimum, *operands)


def csr_diagonal(k: int, m: int, n: int, ap: Any, aj: Any, ax: Any, c: Any) -> None:
    rows = _rows(ap, aj)
    at = np.clip(rows + min(k, 0), 0, len(c) - 1)
    np.add.at(c, at, np.where(aj == rows + k, ax, 0))


def csr_scale_rows(m: int, n: int, ap: Any, aj: Any, ax: Any, x: Any) -> None:
    ax *= x[_rows(ap, aj)]


def csr_scale_columns(m: int, n: int, ap: Any, aj: Any, ax: Any, x: Any) -> None:
    ax *= x[aj]


def csr_sample_values(
    m: int, n: int, ap: Any, aj: Any, ax: Any, count: int, rows: Any, columns: Any, c: Any
) -> None:
    for s in range(count):
        i, j = rows[s] % m, columns[s] % n
        total = ax[:1].sum() * 0
        for k in range(ap[i], ap[i + 1]):
            if aj[k] == j:
                total += ax[k]
        c[s] = total


def get_csr_submatrix(
    m: int, n: int, ap: Any, aj: Any, ax: Any, i0: int, i1: int, j0: int, j1: int
) -> Any:
    rows = _rows(ap, aj)
    inside = (rows >= i0) & (rows < i1) & (aj >= j0) & (aj < j1)
    cp = np.searchsorted(rows[inside], np.arange(i0, i1 + 1)).astype(ap.dtype)
    return cp, aj[inside] - j0, ax[inside]
