"""Recurrences of a few numbers."""

import math


def longest_collatz(limit):
    best = 0
    longest = 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            if n & 1:
                n = 3 * n + 1
            else:
                n >>= 1
            steps += 1
        if steps > longest:
            longest = steps
            best = start
    return best, longest


def logistic_map(count, steps):
    total = 0.0
    for k in range(count):
        r = 2.5 + 1.5 * k / count
        x = 0.5
        for _ in range(steps):
            x = r * x * (1.0 - x)
        total += x
    return total


def mandelbrot(size, limit):
    inside = 0
    for row in range(size):
        ci = 2.0 * row / size - 1.0
        for column in range(size):
            cr = 2.0 * column / size - 1.5
            zr = zi = tr = ti = 0.0
            n = 0
            while n < limit and tr + ti <= 4.0:
                zi = 2.0 * zr * zi + ci
                zr = tr - ti + cr
                tr = zr * zr
                ti = zi * zi
                n += 1
            if n == limit:
                inside += 1
    return inside


def common_divisors(limit):
    coprime = 0
    for a in range(1, limit):
        for b in range(1, a):
            x = a
            y = b
            while y:
                x, y = y, x % y
            if x == 1:
                coprime += 1
    return coprime


def primes_by_division(limit):
    count = 0
    for n in range(2, limit):
        d = 2
        prime = True
        while d * d <= n:
            if n % d == 0:
                prime = False
                break
            d += 1
        if prime:
            count += 1
    return count


def pendulum(steps, dt):
    angle = 1.0
    speed = 0.0
    for _ in range(steps):
        a1 = speed
        s1 = -9.81 * math.sin(angle)
        a2 = speed + 0.5 * dt * s1
        s2 = -9.81 * math.sin(angle + 0.5 * dt * a1)
        a3 = speed + 0.5 * dt * s2
        s3 = -9.81 * math.sin(angle + 0.5 * dt * a2)
        a4 = speed + dt * s3
        s4 = -9.81 * math.sin(angle + dt * a3)
        angle += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        speed += dt / 6.0 * (s1 + 2.0 * s2 + 2.0 * s3 + s4)
    return angle, speed


def newton_roots(count):
    iterations = 0
    total = 0.0
    for k in range(1, count):
        x = float(k)
        while abs(x * x - k) > 1e-9 * k:
            x = 0.5 * (x + k / x)
            iterations += 1
        total += x
    return total, iterations


def modular_powers(count, modulus):
    total = 0
    for base in range(1, count):
        result = 1
        power = base
        exponent = modulus - 2
        while exponent > 0:
            if exponent % 2 == 1:
                result = result * power % modulus
            power = power * power % modulus
            exponent //= 2
        total ^= result
    return total


SIZES = {
    longest_collatz: (lambda n, _: (n,), 5_000, 100_000),
    logistic_map: (lambda n, _: (n, 500), 200, 2_000),
    mandelbrot: (lambda n, _: (n, 50), 60, 400),
    common_divisors: (lambda n, _: (n,), 150, 700),
    primes_by_division: (lambda n, _: (n,), 5_000, 60_000),
    pendulum: (lambda n, _: (n, 0.001), 3_000, 30_000),
    newton_roots: (lambda n, _: (n,), 3_000, 40_000),
    modular_powers: (lambda n, _: (n, 1_000_003), 1_000, 15_000),
}
