"""Programs as scientists write them: several functions, classes of state, tables of parameters."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from tests.programs import program

R = np.random.default_rng


GAMMA = 1.4

LIMITERS = {
    "minmod": lambda a, b: np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0.0),
    "vanleer": lambda a, b: np.where(a * b > 0, 2 * a * b / (a + b + 1e-30), 0.0),
}


@dataclass
class Gas:
    rho: np.ndarray
    mom: np.ndarray
    ene: np.ndarray
    t: float = 0.0
    steps: int = 0
    history: list = field(default_factory=list)

    @property
    def pressure(self):
        return (GAMMA - 1) * (self.ene - 0.5 * self.mom**2 / self.rho)

    def primitive(self):
        return np.stack([self.rho, self.mom / self.rho, self.pressure])


def hll(left, right):
    def flux(w):
        rho, u, p = w
        E = p / (GAMMA - 1) + 0.5 * rho * u**2
        return np.array([rho * u, rho * u * u + p, (E + p) * u]), np.array([rho, rho * u, E])

    fl, ul = flux(left)
    fr, ur = flux(right)
    cl = np.sqrt(GAMMA * left[2] / left[0])
    cr = np.sqrt(GAMMA * right[2] / right[0])
    sl = np.minimum(left[1] - cl, right[1] - cr)
    sr = np.maximum(left[1] + cl, right[1] + cr)
    mid = (sr * fl - sl * fr + sl * sr * (ur - ul)) / (sr - sl)
    return np.where(sl >= 0, fl, np.where(sr <= 0, fr, mid))


def euler_step(gas, dx, cfl=0.4, limiter="minmod"):
    w = gas.primitive()
    c = np.sqrt(GAMMA * w[2] / w[0])
    dt = cfl * dx / np.max(np.abs(w[1]) + c)
    d = np.diff(w, axis=1)
    slope = np.zeros_like(w)
    slope[:, 1:-1] = LIMITERS[limiter](d[:, :-1], d[:, 1:])
    f = hll((w + 0.5 * slope)[:, :-1], (w - 0.5 * slope)[:, 1:])
    for q, comp in ((gas.rho, 0), (gas.mom, 1), (gas.ene, 2)):
        q[1:-1] -= dt / dx * (f[comp, 1:] - f[comp, :-1])
    gas.t += dt
    gas.steps += 1
    gas.history.append((gas.t, float(gas.rho.sum()) * dx))
    return dt


def sod(n=40):
    x = (np.arange(n) + 0.5) / n
    p = np.where(x < 0.5, 1.0, 0.1)
    return Gas(np.where(x < 0.5, 1.0, 0.125), np.zeros(n), p / (GAMMA - 1))


@program(
    "hyperbolic equations, limited slopes",
    lambda: (sod(40), 0.1),
    lambda: (sod(30), 0.05, "vanleer"),
)
def shock_tube(gas, t_end, limiter="minmod"):
    n = len(gas.rho)
    while gas.t < t_end:
        euler_step(gas, 1.0 / n, limiter=limiter)
        if np.any(gas.pressure < 0):
            raise FloatingPointError(f"negative pressure at step {gas.steps}")
    return {"rho": gas.rho.copy(), "u": gas.mom / gas.rho, "steps": gas.steps}


def smooth(u, f, h, sweeps=2, omega=2 / 3):
    for _ in range(sweeps):
        u[1:-1] += omega * 0.5 * (u[:-2] + u[2:] - 2 * u[1:-1] + h * h * f[1:-1])
    return u


def residual(u, f, h):
    r = np.zeros_like(u)
    r[1:-1] = f[1:-1] + (u[:-2] - 2 * u[1:-1] + u[2:]) / h**2
    return r


def vcycle(u, f, h, pre=2, post=2):
    u = smooth(u, f, h, pre)
    if len(u) <= 3:
        u[1] = (h * h * f[1] + u[0] + u[2]) / 2
        return u
    r = residual(u, f, h)
    rc = np.zeros((len(u) + 1) // 2)
    rc[1:-1] = (r[1:-3:2] + 2 * r[2:-2:2] + r[3:-1:2]) / 4
    e = vcycle(np.zeros_like(rc), rc, 2 * h, pre, post)
    fine = np.zeros_like(u)
    fine[::2] = e
    fine[1::2] = (e[:-1] + e[1:]) / 2
    u += fine
    return smooth(u, f, h, post)


@program(
    "multigrid",
    lambda: (np.sin(np.linspace(0, 3, 33)),),
    lambda: (np.linspace(0, 1, 17) ** 2, 1e-8, 4),
)
def multigrid(f, tol=1e-9, max_cycles=30):
    h = 1 / (len(f) - 1)
    u = np.zeros_like(f)
    norms = [float(np.linalg.norm(residual(u, f, h)))]
    for cycle in range(max_cycles):
        u = vcycle(u, f, h)
        norms.append(float(np.linalg.norm(residual(u, f, h))))
        if norms[-1] < tol * norms[0]:
            break
    else:
        return u, norms, "not converged"
    return u, norms, f"converged in {cycle + 1}"


@dataclass
class HMM:
    A: np.ndarray
    B: np.ndarray
    pi: np.ndarray

    def forward(self, obs):
        T = len(obs)
        alpha = np.empty((T, len(self.pi)))
        c = np.empty(T)
        alpha[0] = self.pi * self.B[:, obs[0]]
        c[0] = alpha[0].sum()
        alpha[0] /= c[0]
        for t in range(1, T):
            alpha[t] = (alpha[t - 1] @ self.A) * self.B[:, obs[t]]
            c[t] = alpha[t].sum()
            alpha[t] /= c[t]
        return alpha, c

    def backward(self, obs, c):
        beta = np.ones((len(obs), len(self.pi)))
        for t in range(len(obs) - 2, -1, -1):
            beta[t] = self.A @ (self.B[:, obs[t + 1]] * beta[t + 1]) / c[t + 1]
        return beta

    def fit(self, obs, max_iter=10, tol=1e-4):
        lls = []
        for it in range(max_iter):
            alpha, c = self.forward(obs)
            beta = self.backward(obs, c)
            lls.append(np.log(c).sum())
            gamma = alpha * beta
            xi = np.zeros_like(self.A)
            for t in range(len(obs) - 1):
                xi += np.outer(alpha[t], self.B[:, obs[t + 1]] * beta[t + 1]) * self.A / c[t + 1]
            self.A = xi / xi.sum(1, keepdims=True)
            self.pi = gamma[0]
            for k in range(self.B.shape[1]):
                self.B[:, k] = gamma[obs == k].sum(0)
            self.B /= gamma.sum(0)[:, None]
            if it and abs(lls[-1] - lls[-2]) < tol:
                break
        return lls


def hmm0():
    return HMM(
        np.array([[0.7, 0.3], [0.4, 0.6]]),
        np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
        np.array([0.6, 0.4]),
    )


@program("a hidden Markov model", lambda: (hmm0(), R(0).integers(0, 3, 25)))
def baum_welch(model, obs):
    lls = model.fit(obs)
    return lls, model


def dare(A, B, Q, Rr, tol=1e-10, max_iter=500):
    P = Q.copy()
    for k in range(max_iter):
        K = np.linalg.solve(Rr + B.T @ P @ B, B.T @ P @ A)
        Pn = Q + A.T @ P @ (A - B @ K)
        if np.max(np.abs(Pn - P)) < tol:
            return Pn, K, k
        P = Pn
    raise RuntimeError("Riccati iteration did not converge")


@program(
    "control",
    lambda: (np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[0.0], [0.1]])),
    lambda: (np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([[0.0], [1.0]])),
)
def lqr_mpc(A, B, horizon=5, umax=1.0):
    n, m = B.shape
    Q, Rr = np.eye(n), 0.1 * np.eye(m)
    P, K, its = dare(A, B, Q, Rr)
    F = np.vstack([np.linalg.matrix_power(A, i + 1) for i in range(horizon)])
    G = np.block(
        [
            [
                np.linalg.matrix_power(A, i - j) @ B if i >= j else np.zeros((n, m))
                for j in range(horizon)
            ]
            for i in range(horizon)
        ]
    )
    Qb = np.kron(np.eye(horizon), Q)
    Qb[-n:, -n:] = P
    H = G.T @ Qb @ G + np.kron(np.eye(horizon), Rr)
    step = 1 / np.linalg.eigvalsh(H)[-1]
    x = np.array([3.0, 0.0])
    traj = [x]
    us = []
    for t in range(10):
        U = np.zeros(horizon * m)
        g0 = G.T @ Qb @ F @ x
        for _ in range(100):
            Un = np.clip(U - step * (H @ U + g0), -umax, umax)
            if np.linalg.norm(Un - U) < 1e-9:
                break
            U = Un
        x = A @ x + B @ U[:m]
        traj.append(x)
        us.append(U[0])
    return K, its, np.array(traj), us


class StepFail(Exception):
    pass


def num_jac(f, t, y, eps=1e-7):
    f0 = f(t, y)
    J = np.empty((len(f0), len(y)))
    for i in range(len(y)):
        d = np.zeros_like(y)
        h = eps * max(1.0, abs(y[i]))
        d[i] = h
        J[:, i] = (f(t, y + d) - f0) / h
    return J


def newton_step(f, t, y, h, J, tol=1e-9, maxit=6):
    A = np.eye(len(y)) - h * J
    yn = y.copy()
    for it in range(maxit):
        r = yn - y - h * f(t + h, yn)
        dy = np.linalg.solve(A, -r)
        yn = yn + dy
        if np.linalg.norm(dy) < tol * (1 + np.linalg.norm(yn)):
            return yn, it + 1
    raise StepFail(f"newton failed at t={t:.3g}")


@program(
    "unordered stiff equations",
    lambda: (np.array([1.0, 0.0, 0.0]), 1.0),
    lambda: (np.array([1.0, 0.0, 0.0]), 0.1, 1e-3),
)
def robertson(y, tend, tol=1e-4):
    f = lambda t, y: np.array(
        [
            -0.04 * y[0] + 1e4 * y[1] * y[2],
            0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2,
            3e7 * y[1] ** 2,
        ]
    )
    t, h = 0.0, 1e-4
    log = {"accepted": 0, "rejected": 0, "failed": 0, "newton": 0}
    while t < tend:
        h = min(h, tend - t)
        J = num_jac(f, t, y)
        try:
            big, n1 = newton_step(f, t, y, h, J)
            half, n2 = newton_step(f, t, y, h / 2, J)
            small, n3 = newton_step(f, t + h / 2, half, h / 2, J)
        except StepFail:
            log["failed"] += 1
            h /= 4
            if h < 1e-12:
                raise
            continue
        log["newton"] += n1 + n2 + n3
        err = np.max(np.abs(small - big) / (1e-8 + np.abs(small)))
        if err < tol * 10 or h < 1e-10:
            t += h
            y = 2 * small - big
            log["accepted"] += 1
        else:
            log["rejected"] += 1
        h *= min(3.0, max(0.3, 0.9 * np.sqrt(tol * 10 / (err + 1e-16))))
    return t, y, log


REACTIONS = {
    "birth": (lambda s: 2.0, {"A": +1}),
    "death": (lambda s: 0.3 * s["A"], {"A": -1}),
    "dimer": (lambda s: 0.05 * s["A"] * (s["A"] - 1), {"A": -2, "D": +1}),
}


@program("chemical reactions", lambda: (5.0, 1), lambda: (0.01, 5))
def gillespie(tend, seed, reactions=REACTIONS):
    rng = np.random.default_rng(seed)
    s = {"A": 10, "D": 0}
    t = 0.0
    trace = []
    counts = Counter()
    while True:
        names = list(reactions)
        a = np.array([reactions[nm][0](s) for nm in names], dtype=float)
        a0 = a.sum()
        if a0 == 0:
            break
        t += rng.exponential(1 / a0)
        if t > tend:
            break
        k = int(np.searchsorted(np.cumsum(a) / a0, rng.random()))
        for i, nm in enumerate(names):
            if i == k:
                for sp, d in reactions[nm][1].items():
                    s[sp] += d
                counts[nm] += 1
        trace.append((t, s["A"], s["D"]))
    return trace, counts, s


def lap(n):
    return 2.5 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)


@dataclass
class CSR:
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray

    @classmethod
    def from_dense(cls, A):
        data, ind, ptr = [], [], [0]
        for row in A:
            nz = np.flatnonzero(row)
            data.extend(row[nz])
            ind.extend(nz)
            ptr.append(len(data))
        return cls(np.array(data), np.array(ind), np.array(ptr))

    def __matmul__(self, x):
        return np.array(
            [self.data[a:b] @ x[self.indices[a:b]] for a, b in zip(self.indptr, self.indptr[1:])]
        )

    def diagonal(self):
        n = len(self.indptr) - 1
        d = np.zeros(n)
        for i in range(n):
            for k in range(self.indptr[i], self.indptr[i + 1]):
                if self.indices[k] == i:
                    d[i] = self.data[k]
        return d


@program(
    "conjugate gradients, a sparse matrix",
    lambda: (lap(10), np.arange(10.0)),
    lambda: (np.diag([1.0, -1.0]), np.ones(2)),
)
def pcg(A, b, tol=1e-10, precond="jacobi"):
    S = CSR.from_dense(A)
    d = S.diagonal()
    if precond == "jacobi" and np.any(d <= 0):
        raise np.linalg.LinAlgError("matrix is not positive definite")
    M = (lambda r: r / d) if precond == "jacobi" else (lambda r: r.copy())
    x = np.zeros_like(b)
    r = b - S @ x
    z = M(r)
    p = z.copy()
    rz = r @ z
    hist = []
    while (res := np.linalg.norm(r)) > tol * np.linalg.norm(b):
        hist.append(res)
        if len(hist) > 5 * len(b):
            raise RuntimeError(f"CG stalled at {res:.2e}")
        Ap = S @ p
        a = rz / (p @ Ap)
        x += a * p
        r -= a * Ap
        z = M(r)
        rz, old = r @ z, rz
        p = z + rz / old * p
    return x, hist, len(S.data)


@program("unordered smoothed particles", lambda: (R(0).random((20, 2)), 3))
def sph(pos, steps, h=0.3, k=1.0, rho0=30.0, dt=1e-3):
    n = len(pos)
    state = np.zeros(n, dtype=[("x", float), ("y", float), ("rho", float)])
    vel = np.zeros_like(pos)
    m = 1.0

    def kernel(r):
        q = r / h
        return np.where(q < 1, (1 - q) ** 3, 0.0) * 10 / (np.pi * h * h)

    for s in range(steps):
        diff = pos[:, None] - pos[None]
        r = np.sqrt(np.einsum("ijk,ijk->ij", diff, diff))
        rho = m * kernel(r).sum(1)
        p = k * np.clip(rho - rho0, 0, None)
        grad = (
            np.where((r > 0) & (r < h), -30 / (np.pi * h**3) * (1 - r / h) ** 2, 0)[..., None]
            * diff
            / np.maximum(r, 1e-12)[..., None]
        )
        acc = -m * np.sum(
            (p[:, None] / rho[:, None] ** 2 + p[None] / rho[None] ** 2)[..., None] * grad, axis=1
        )
        vel += dt * acc
        pos += dt * vel
        out = (pos < 0) | (pos > 1)
        vel[out] *= -0.5
        np.clip(pos, 0, 1, out=pos)
    state["x"], state["y"], state["rho"] = pos[:, 0], pos[:, 1], rho
    return np.sort(state, order="rho")[-3:], state["rho"].max()


@program(
    "prints a fit",
    lambda: (np.array([1.0, 2.0, 4.0]), np.array([2.1, 3.9, 8.2])),
    lambda: (np.array([1.0, 1.0]), np.array([2.0, 3.0])),
)
def linfit_report(x, y, verbose=True):
    X = np.column_stack([np.ones_like(x), x])
    try:
        cov = np.linalg.inv(X.T @ X)
    except np.linalg.LinAlgError as err:
        return {"ok": False, "why": str(err)}
    beta = cov @ X.T @ y
    res = y - X @ beta
    dof = len(y) - 2
    s2 = res @ res / dof if dof > 0 else np.nan
    se = np.sqrt(np.diag(cov) * s2)
    lines = [
        f"{nm:>10s} {b:10.4f} +/- {e:8.4f}" for nm, b, e in zip(("intercept", "slope"), beta, se)
    ]
    if verbose:
        for l in lines:
            print(l)
    return {
        "ok": True,
        "beta": beta,
        "se": se,
        "text": "\n".join(lines),
        "r2": 1 - res @ res / np.sum((y - y.mean()) ** 2),
    }
