"""Simulations with instances."""

import math

import numpy as np


class Ball:
    x: float
    y: float
    vx: float
    vy: float

    def __init__(self, x, y, vx, vy):
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy

    def move(self, dt):
        self.vy -= 9.81 * dt
        self.x += self.vx * dt
        self.y += self.vy * dt
        if self.y < 0.0:
            self.y = -self.y
            self.vy = -0.9 * self.vy
        if self.x < 0.0 or self.x > 10.0:
            self.vx = -self.vx


class Account:
    balance: float
    entries: int

    def __init__(self, balance):
        self.balance = balance
        self.entries = 0

    def pay(self, amount):
        if amount > self.balance:
            return False
        self.balance -= amount
        self.entries += 1
        return True


class Random:
    state: int

    def __init__(self, seed):
        self.state = seed

    def draw(self):
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return self.state / 2147483648.0


def bouncing(steps, dt):
    ball = Ball(1.0, 5.0, 2.0, 0.0)
    highest = 0.0
    for _ in range(steps):
        ball.move(dt)
        if ball.y > highest:
            highest = ball.y
    return ball.x, ball.y, highest


def two_bodies(steps, dt):
    sun = Ball(0.0, 0.0, 0.0, 0.0)
    earth = Ball(1.0, 0.0, 0.0, 1.0)
    for _ in range(steps):
        dx = earth.x - sun.x
        dy = earth.y - sun.y
        r2 = dx * dx + dy * dy
        f = 1.0 / (r2 * math.sqrt(r2))
        earth.vx -= f * dx * dt
        earth.vy -= f * dy * dt
        sun.vx += 0.001 * f * dx * dt
        sun.vy += 0.001 * f * dy * dt
        earth.x += earth.vx * dt
        earth.y += earth.vy * dt
        sun.x += sun.vx * dt
        sun.y += sun.vy * dt
    return earth.x, earth.y, sun.x, sun.y


def payments(steps):
    random = Random(17)
    account = Account(1000.0)
    other = Account(1000.0)
    refused = 0
    for _ in range(steps):
        amount = 50.0 * random.draw()
        if random.draw() < 0.5:
            if account.pay(amount):
                other.balance += amount
            else:
                refused += 1
        elif other.pay(amount):
            account.balance += amount
        else:
            refused += 1
    return account.balance, other.balance, account.entries, refused


def waiting_line(steps, load):
    """A queue of customers in a ring buffer."""
    random = Random(23)
    arrivals = np.zeros(256)
    head = 0
    waiting = 0
    now = 0.0
    total = 0.0
    served = 0
    for _ in range(steps):
        now += random.draw()
        if random.draw() < load:
            if waiting < 256:
                arrivals[(head + waiting) % 256] = now
                waiting += 1
        elif waiting > 0:
            total += now - arrivals[head]
            head = (head + 1) % 256
            waiting -= 1
            served += 1
    return total, served, waiting


def attraction(x, v, mass, steps, dt):
    n = x.shape[0]
    x, v = x.copy(), v.copy()
    for _ in range(steps):
        for i in range(n):
            ax = ay = az = 0.0
            for j in range(n):
                if i != j:
                    dx = x[j, 0] - x[i, 0]
                    dy = x[j, 1] - x[i, 1]
                    dz = x[j, 2] - x[i, 2]
                    r2 = dx * dx + dy * dy + dz * dz + 1e-6
                    f = mass[j] / (r2 * math.sqrt(r2))
                    ax += f * dx
                    ay += f * dy
                    az += f * dz
            v[i, 0] += dt * ax
            v[i, 1] += dt * ay
            v[i, 2] += dt * az
        for i in range(n):
            for k in range(3):
                x[i, k] += dt * v[i, k]
    return x


def springs(n, steps, dt):
    x = np.zeros(n)
    v = np.zeros(n)
    x[n // 2] = 1.0
    energy = 0.0
    for _ in range(steps):
        for i in range(1, n - 1):
            v[i] += dt * (x[i - 1] - 2.0 * x[i] + x[i + 1])
        energy = 0.0
        for i in range(n):
            x[i] += dt * v[i]
            energy += 0.5 * v[i] * v[i]
    return x, energy


def _attracted(n, rng):
    return rng.random((n, 3)), rng.random((n, 3)), rng.random(n), 5, 0.01


SIZES = {
    bouncing: (lambda n, _: (n, 0.001), 20_000, 100_000),
    two_bodies: (lambda n, _: (n, 0.001), 10_000, 50_000),
    payments: (lambda n, _: (n,), 10_000, 100_000),
    waiting_line: (lambda n, _: (n, 0.45), 10_000, 100_000),
    attraction: (_attracted, 25, 80),
    springs: (lambda n, _: (n, 100, 0.1), 400, 2_000),
}
