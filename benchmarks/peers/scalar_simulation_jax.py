"""The rocket of `examples/scalar_simulation.py` as hand-written for `jax.jit`.

State is a NamedTuple that is rebuilt; chains of branches are `jnp.select` and `jnp.where`, the
expensive or stateful ones `lax.cond`; the flight is a `lax.while_loop` with flags for its exits.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from examples.scalar_simulation import (
    ASCENT,
    COAST,
    EARTH_GM,
    EARTH_RADIUS,
    FAIRING,
    FIRST,
    GRAVITY,
    INSERTION,
    ORBIT,
    SECOND,
)


class State(NamedTuple):
    height: jax.Array
    downrange: jax.Array
    speed_up: jax.Array
    speed_along: jax.Array
    fuel1: jax.Array
    fuel2: jax.Array
    payload: jax.Array
    staged: jax.Array
    fairing: jax.Array
    time: jax.Array
    phase: jax.Array
    max_q: jax.Array
    max_g: jax.Array


def mass_of(s):
    m = SECOND.dry_mass + s.fuel2 + s.payload
    m = m + jnp.where(s.staged, 0.0, FIRST.dry_mass + s.fuel1)
    return m + jnp.where(s.fairing, FAIRING, 0.0)


def speed_of(s):
    return jnp.hypot(s.speed_up, s.speed_along)


def temperature(h):
    return jnp.select(
        [h < 11000.0, h < 20000.0, h < 32000.0, h < 47000.0, h < 51000.0, h < 71000.0, h < 86000.0],
        [
            288.15 - 0.0065 * h,
            216.65,
            216.65 + 0.001 * (h - 20000.0),
            228.65 + 0.0028 * (h - 32000.0),
            270.65,
            270.65 - 0.0028 * (h - 51000.0),
            214.65 - 0.002 * (h - 71000.0),
        ],
        186.95,
    )


def atmosphere(h):
    t = temperature(jnp.maximum(h, 0.0))
    pressure = jnp.select(
        [h < 11000.0, h < 20000.0, h < 32000.0, h < 47000.0],
        [
            101325.0 * (t / 288.15) ** 5.2559,
            22632.0 * jnp.exp(-(h - 11000.0) / 6341.6),
            5474.9 * (t / 216.65) ** -34.163,
            868.02 * (t / 228.65) ** -12.2,
        ],
        110.91 * jnp.exp(-(h - 47000.0) / 7500.0),
    )
    space = h > 140000.0
    pressure = jnp.where(space, 0.0, pressure)
    sound = jnp.where(space, 274.0, jnp.sqrt(1.4 * 287.053 * t))
    return pressure, pressure / (287.053 * t), sound


def drag_coefficient(mach):
    return jnp.select(
        [mach < 0.6, mach < 1.1, mach < 2.5, mach < 5.0],
        [0.25, 0.25 + 0.5 * (mach - 0.6), 0.5 - 0.15 * (mach - 1.1), 0.29 - 0.036 * (mach - 2.5)],
        0.2,
    )


def throttle(s, q, acceleration):
    eased = jnp.maximum(0.65, 1.0 - (q - 30000.0) / 20000.0)
    setting = jnp.where(~s.staged & (q > 30000.0), eased, 1.0)
    limited = jnp.minimum(setting, jnp.maximum(0.4, 4 * GRAVITY / acceleration))
    return jnp.where(acceleration > 4 * GRAVITY, limited, setting)


def pitch(s, target):
    kick = jnp.radians(jnp.where(s.height < 30000.0, 1.2, 0.4))
    turn = jnp.arctan2(s.speed_up, s.speed_along) - kick
    lower = jnp.where(speed_of(s) < 60.0, jnp.radians(87.0), turn)
    lower = jnp.where(s.height < 400.0, jnp.pi / 2, lower)
    shortfall = target - s.height
    wanted = jnp.where(shortfall > 0, shortfall / 120.0, shortfall / 40.0)
    wanted = jnp.clip(wanted, -80.0, 600.0)
    angle = 0.004 * (wanted - s.speed_up)
    radius = EARTH_RADIUS + s.height
    sag = EARTH_GM / radius**2 - s.speed_along**2 / radius
    lean = jnp.arcsin(jnp.clip(sag * mass_of(s) / SECOND.thrust_vacuum, 0.0, 0.7))
    upper = jnp.clip(angle + jnp.where(sag > 0, lean, 0.0), -0.3, 0.9)
    return jnp.where(s.staged, upper, lower)


def engine(s, pressure, setting, dt):
    vacuum = jnp.where(s.staged, SECOND.thrust_vacuum, FIRST.thrust_vacuum)
    sea = jnp.where(s.staged, SECOND.thrust_sea_level, FIRST.thrust_sea_level)
    impulse = jnp.where(s.staged, SECOND.specific_impulse, FIRST.specific_impulse)
    fuel = jnp.where(s.staged, s.fuel2, s.fuel1)
    full = vacuum + pressure / 101325.0 * (sea - vacuum)
    burned = setting * vacuum / (impulse * GRAVITY) * dt
    empty = burned >= fuel
    last = jnp.where(burned > 0, full * setting * fuel / burned, 0.0)
    thrust = jnp.where(empty, last, full * setting)
    left = jnp.where(empty, 0.0, fuel - burned)
    s = s._replace(
        fuel1=jnp.where(s.staged, s.fuel1, left), fuel2=jnp.where(s.staged, left, s.fuel2)
    )
    return s, thrust, left == 0.0


def apoapsis(s):
    radius = EARTH_RADIUS + s.height
    energy = 0.5 * speed_of(s) ** 2 - EARTH_GM / radius
    momentum = radius * s.speed_along
    axis = -EARTH_GM / (2 * energy)
    eccentricity = jnp.sqrt(jnp.maximum(0.0, 1 - momentum**2 / (EARTH_GM * axis)))
    return jnp.where(energy >= 0, jnp.inf, axis * (1 + eccentricity) - EARTH_RADIUS)


def advance(s, target, dt):
    pressure, density, sound = atmosphere(s.height)
    speed = speed_of(s)
    q = 0.5 * density * speed * speed

    def burn(s):
        full = jnp.where(s.staged, SECOND.thrust_vacuum, FIRST.thrust_vacuum)
        setting = throttle(s, q, full / mass_of(s))
        s, thrust, dry = engine(s, pressure, setting, dt)
        return s, thrust, dry, pitch(s, target)

    def drift(s):
        return s, 0.0, False, 0.0

    burning = (s.phase == ASCENT) | (s.phase == INSERTION)
    s, thrust, dry, angle = lax.cond(burning, burn, drift, s)
    mass = mass_of(s)
    drag = jnp.where(q > 0.01, q * FIRST.area * drag_coefficient(speed / sound), 0.0)
    radius = EARTH_RADIUS + s.height
    up = thrust * jnp.sin(angle) / mass - EARTH_GM / radius**2 + s.speed_along**2 / radius
    along = thrust * jnp.cos(angle) / mass - s.speed_up * s.speed_along / radius
    moving = speed > 1.0
    safe = jnp.where(moving, speed, 1.0)
    up = up - jnp.where(moving, drag / mass * s.speed_up / safe, 0.0)
    along = along - jnp.where(moving, drag / mass * s.speed_along / safe, 0.0)
    speed_up, speed_along = s.speed_up + up * dt, s.speed_along + along * dt
    s = s._replace(
        speed_up=speed_up,
        speed_along=speed_along,
        height=s.height + speed_up * dt,
        downrange=s.downrange + speed_along * dt * EARTH_RADIUS / radius,
        time=s.time + dt,
        max_q=jnp.maximum(s.max_q, q),
        max_g=jnp.maximum(s.max_g, thrust / mass / GRAVITY),
    )
    return s, dry


def events(s, target, dry):
    circular = jnp.sqrt(EARTH_GM / (EARTH_RADIUS + s.height))
    ascent = jnp.where(apoapsis(s) >= target, COAST, jnp.where(dry, ORBIT, ASCENT))
    phase = jnp.select(
        [s.phase == ASCENT, s.phase == COAST, s.phase == INSERTION],
        [
            jnp.where(s.staged, ascent, ASCENT),
            jnp.where(s.speed_up < 15.0, INSERTION, COAST),
            jnp.where((s.speed_along >= circular) | dry, ORBIT, INSERTION),
        ],
        s.phase,
    )
    return s._replace(
        fairing=s.fairing & (s.height <= 110000.0),
        staged=s.staged | ((s.phase == ASCENT) & dry),
        phase=phase,
    )


def fly(payload, target, dt, limit):
    """Return (outcome, state); outcome 3 is the crash that the example raises."""

    def proceed(carry):
        outcome, s = carry
        return (outcome == 0) & (s.time < limit)

    def step(carry):
        _, s = carry
        s, dry = advance(s, target, dt)
        s = events(s, target, dry)
        outcome = jnp.select([s.height < -1.0, s.phase == ORBIT, s.max_g > 8.0], [3, 1, 2], 0)
        return outcome, s

    zero = jnp.zeros_like(payload)
    start = State(
        *(zero, zero, zero, zero, zero + FIRST.fuel_mass, zero + SECOND.fuel_mass, payload),
        *(jnp.array(False), jnp.array(True), zero, jnp.array(ASCENT), zero, zero),
    )
    return lax.while_loop(proceed, step, (jnp.array(0), start))


@jax.jit
def heaviest(target, dt):
    def proceed(bounds):
        low, high = bounds
        return high - low > 100.0

    def halve(bounds):
        low, high = bounds
        middle = 0.5 * (low + high)
        outcome, s = fly(middle, target, dt, 1500.0)
        circular = jnp.sqrt(EARTH_GM / (EARTH_RADIUS + s.height))
        reached = (outcome == 1) & (s.speed_along > 0.999 * circular)
        return jnp.where(reached, middle, low), jnp.where(reached, high, middle)

    five, sixty = jnp.asarray(5000.0, dt.dtype), jnp.asarray(60000.0, dt.dtype)
    return lax.while_loop(proceed, halve, (five, sixty))[0]
