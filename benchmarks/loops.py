"""Three scalar loops, plain Python: what compilers of scalar code are measured by."""


def collatz_total(limit):
    """The lengths of the Collatz sequences of 1 to limit, summed."""
    total = 0
    for start in range(1, limit + 1):
        n = start
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            total += 1
    return total


def gauss_seidel(a, sweeps):
    """In-place sweeps of the nine-point stencil, element by element."""
    n, m = a.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / 9.0
    return a


def mandelbrot_total(rows, cols, limit):
    """The escape times of a grid of points, summed."""
    total = 0
    for i in range(rows):
        for j in range(cols):
            cr = -2.0 + 3.0 * j / cols
            ci = -1.5 + 3.0 * i / rows
            zr = 0.0
            zi = 0.0
            n = 0
            while n < limit and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                n += 1
            total += n
    return total
