"""The adaptive Runge-Kutta integrator of Dormand & Prince (1980), with step rejection.

One `while` of unknown length, `continue` on a rejected step, `raise` when the step underflows, a
method table as a NamedTuple, and the right-hand side passed as a function. The orbit is
Arenstorf's: a satellite in the restricted three-body problem, back at its start after a period.
"""

import numpy as np

import pyxla

NODES = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
WEIGHTS = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0],
        [3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0],
        [44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0],
        [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
ERRORS = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


def dormand_prince(f, y, t, t_end, rtol, atol):
    """Integrate y' = f(t, y) to t_end; return y, accepted and rejected steps."""
    k = np.zeros((7, y.size))
    k[0] = f(t, y)
    h = 0.01 * (t_end - t)
    accepted = 0
    rejected = 0
    while t < t_end:
        if h < 1e-14 * abs(t_end):
            raise ArithmeticError(f"step size underflow at t = {t}")
        h = min(h, t_end - t)
        for stage in range(1, 7):
            k[stage] = f(t + NODES[stage] * h, y + h * (WEIGHTS[stage, :stage] @ k[:stage]))
        new = y + h * (WEIGHTS[6] @ k[:6])
        scale = atol + rtol * np.maximum(np.abs(y), np.abs(new))
        error = float(np.sqrt(np.mean((h * (ERRORS @ k) / scale) ** 2)))
        factor = 5.0
        if error > 0:
            factor = min(5.0, max(0.2, 0.9 * error**-0.2))
        if error > 1:
            rejected += 1
            h *= min(1.0, factor)
            continue
        t += h
        y = new
        k[0] = k[6]
        accepted += 1
        h *= factor
    return y, accepted, rejected


MOON = 0.012277471
PERIOD = 17.0652165601579625588917206249


def three_body(t, y):
    """Position and velocity of the satellite in the frame that turns with earth and moon."""
    x, z, vx, vz = y
    earth = ((x + MOON) ** 2 + z**2) ** 1.5
    moon = ((x - 1 + MOON) ** 2 + z**2) ** 1.5
    ax = x + 2 * vz - (1 - MOON) * (x + MOON) / earth - MOON * (x - 1 + MOON) / moon
    az = z - 2 * vx - (1 - MOON) * z / earth - MOON * z / moon
    return np.array([vx, vz, ax, az])


def arenstorf(y, rtol):
    return dormand_prince(three_body, y, 0.0, PERIOD, rtol, rtol)


def main():
    """Fly one period, compiled and plain."""
    start = np.array([0.994, 0.0, 0.0, -2.00158510637908252240537862224])
    end, accepted, rejected = pyxla.compile(arenstorf)(start, 1e-9)
    print(
        f"pyxla: {accepted} steps, {rejected} rejected, misses its start by {end[:2] - start[:2]}"
    )
    end, accepted, rejected = arenstorf(start, 1e-9)
    print(
        f"plain: {accepted} steps, {rejected} rejected, misses its start by {end[:2] - start[:2]}"
    )


if __name__ == "__main__":
    main()
