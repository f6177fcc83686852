"""A two-stage rocket to orbit: some 200 lines of scalar code with many branches, plain `math`.

The flight is planar, over a round earth without rotation. The program is what an engineer writes:
objects with methods, tables as chains of `elif`, events, a phase variable, early returns, and an
error when the vehicle hits the ground. Times in s, lengths in m, masses in kg, angles in rad.
"""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import pyxla

EARTH_RADIUS = 6371000.0
EARTH_GM = 3.986004418e14
GRAVITY = 9.80665

ASCENT, COAST, INSERTION, ORBIT = 0, 1, 2, 3


class Air(NamedTuple):
    pressure: float
    density: float
    sound: float


class Stage(NamedTuple):
    """What one stage brings: masses, engine, and the area it shows to the air."""

    dry_mass: float
    fuel_mass: float
    thrust_vacuum: float
    thrust_sea_level: float
    specific_impulse: float
    area: float


FIRST = Stage(25600.0, 395700.0, 8227000.0, 7607000.0, 311.0, 10.5)
SECOND = Stage(3900.0, 92670.0, 934000.0, 934000.0, 348.0, 10.5)
FAIRING = 1900.0


@dataclass
class Vehicle:
    """The state of the flight: r, v and angles are those of the center of mass."""

    height: float
    downrange: float
    speed_up: float
    speed_along: float
    fuel1: float
    fuel2: float
    payload: float
    staged: bool = False
    fairing: bool = True
    time: float = 0.0
    phase: int = ASCENT
    max_q: float = 0.0
    max_g: float = 0.0

    def mass(self):
        m = SECOND.dry_mass + self.fuel2 + self.payload
        if not self.staged:
            m += FIRST.dry_mass + self.fuel1
        if self.fairing:
            m += FAIRING
        return m

    def speed(self):
        return math.hypot(self.speed_up, self.speed_along)


def temperature(height):
    """The layers of the standard atmosphere, in K."""
    if height < 11000.0:
        return 288.15 - 0.0065 * height
    elif height < 20000.0:
        return 216.65
    elif height < 32000.0:
        return 216.65 + 0.001 * (height - 20000.0)
    elif height < 47000.0:
        return 228.65 + 0.0028 * (height - 32000.0)
    elif height < 51000.0:
        return 270.65
    elif height < 71000.0:
        return 270.65 - 0.0028 * (height - 51000.0)
    elif height < 86000.0:
        return 214.65 - 0.002 * (height - 71000.0)
    return 186.95


def atmosphere(height):
    if height > 140000.0:
        return Air(0.0, 0.0, 274.0)
    t = temperature(max(height, 0.0))
    if height < 11000.0:
        pressure = 101325.0 * (t / 288.15) ** 5.2559
    elif height < 20000.0:
        pressure = 22632.0 * math.exp(-(height - 11000.0) / 6341.6)
    elif height < 32000.0:
        pressure = 5474.9 * (t / 216.65) ** -34.163
    elif height < 47000.0:
        pressure = 868.02 * (t / 228.65) ** -12.2
    else:
        pressure = 110.91 * math.exp(-(height - 47000.0) / 7500.0)
    return Air(pressure, pressure / (287.053 * t), math.sqrt(1.4 * 287.053 * t))


def drag_coefficient(mach):
    if mach < 0.6:
        return 0.25
    if mach < 1.1:
        return 0.25 + 0.5 * (mach - 0.6)
    if mach < 2.5:
        return 0.5 - 0.15 * (mach - 1.1)
    if mach < 5.0:
        return 0.29 - 0.036 * (mach - 2.5)
    return 0.2


def throttle(vehicle, q, acceleration):
    """Ease through maximum dynamic pressure, and hold the acceleration below 4 g."""
    setting = 1.0
    if not vehicle.staged and q > 30000.0:
        setting = max(0.65, 1.0 - (q - 30000.0) / 20000.0)
    if acceleration > 4 * GRAVITY:
        setting = min(setting, max(0.4, 4 * GRAVITY / acceleration))
    return setting


def pitch(vehicle, target):
    """The thrust's angle above the horizon."""
    if vehicle.height < 400.0 and not vehicle.staged:
        return math.pi / 2
    if not vehicle.staged:
        if vehicle.speed() < 60.0:
            return math.radians(87.0)
        kick = math.radians(1.2 if vehicle.height < 30000.0 else 0.4)
        return math.atan2(vehicle.speed_up, vehicle.speed_along) - kick
    shortfall = target - vehicle.height
    wanted = shortfall / 120.0 if shortfall > 0 else shortfall / 40.0
    wanted = max(-80.0, min(wanted, 600.0))
    angle = 0.004 * (wanted - vehicle.speed_up)
    radius = EARTH_RADIUS + vehicle.height
    sag = EARTH_GM / radius**2 - vehicle.speed_along**2 / radius
    if sag > 0:
        angle += math.asin(min(0.7, sag * vehicle.mass() / SECOND.thrust_vacuum))
    return max(-0.3, min(angle, 0.9))


def engine(vehicle, air, setting, dt):
    """Burn fuel for one step; return the thrust and whether a stage ran dry."""
    stage = SECOND if vehicle.staged else FIRST
    fuel = vehicle.fuel2 if vehicle.staged else vehicle.fuel1
    share = air.pressure / 101325.0
    full = stage.thrust_vacuum + share * (stage.thrust_sea_level - stage.thrust_vacuum)
    burned = setting * stage.thrust_vacuum / (stage.specific_impulse * GRAVITY) * dt
    if burned >= fuel:
        thrust = full * setting * fuel / burned if burned > 0 else 0.0
        left = 0.0
    else:
        thrust = full * setting
        left = fuel - burned
    if vehicle.staged:
        vehicle.fuel2 = left
    else:
        vehicle.fuel1 = left
    return thrust, left == 0.0


def apoapsis(vehicle):
    """The height of the orbit's highest point; infinite on an escape path."""
    radius = EARTH_RADIUS + vehicle.height
    energy = 0.5 * vehicle.speed() ** 2 - EARTH_GM / radius
    if energy >= 0:
        return math.inf
    momentum = radius * vehicle.speed_along
    axis = -EARTH_GM / (2 * energy)
    eccentricity = math.sqrt(max(0.0, 1 - momentum**2 / (EARTH_GM * axis)))
    return axis * (1 + eccentricity) - EARTH_RADIUS


def advance(vehicle, target, dt):
    """One step of the equations of motion, semi-implicit."""
    air = atmosphere(vehicle.height)
    speed = vehicle.speed()
    q = 0.5 * air.density * speed * speed
    thrust, dry, angle = 0.0, False, 0.0
    if vehicle.phase == ASCENT or vehicle.phase == INSERTION:
        full = (SECOND if vehicle.staged else FIRST).thrust_vacuum
        setting = throttle(vehicle, q, full / vehicle.mass())
        thrust, dry = engine(vehicle, air, setting, dt)
        angle = pitch(vehicle, target)
    mass = vehicle.mass()
    drag = 0.0
    if q > 0.01:
        drag = q * FIRST.area * drag_coefficient(speed / air.sound)
    radius = EARTH_RADIUS + vehicle.height
    up = thrust * math.sin(angle) / mass - EARTH_GM / radius**2 + vehicle.speed_along**2 / radius
    along = thrust * math.cos(angle) / mass - vehicle.speed_up * vehicle.speed_along / radius
    if speed > 1.0:
        up -= drag / mass * vehicle.speed_up / speed
        along -= drag / mass * vehicle.speed_along / speed
    vehicle.speed_up += up * dt
    vehicle.speed_along += along * dt
    vehicle.height += vehicle.speed_up * dt
    vehicle.downrange += vehicle.speed_along * dt * EARTH_RADIUS / radius
    vehicle.time += dt
    vehicle.max_q = max(vehicle.max_q, q)
    vehicle.max_g = max(vehicle.max_g, thrust / mass / GRAVITY)
    return dry


def events(vehicle, target, dry):
    """Staging, fairing and engine cut-off."""
    if vehicle.fairing and vehicle.height > 110000.0:
        vehicle.fairing = False
    if vehicle.phase == ASCENT and not vehicle.staged and dry:
        vehicle.staged = True
    elif vehicle.phase == ASCENT and vehicle.staged:
        if apoapsis(vehicle) >= target:
            vehicle.phase = COAST
        elif dry:
            vehicle.phase = ORBIT
    elif vehicle.phase == COAST:
        if vehicle.speed_up < 15.0:
            vehicle.phase = INSERTION
    elif vehicle.phase == INSERTION:
        circular = math.sqrt(EARTH_GM / (EARTH_RADIUS + vehicle.height))
        if vehicle.speed_along >= circular or dry:
            vehicle.phase = ORBIT


def fly(payload, target, dt, limit):
    """Fly until orbit, or until the time limit; return (outcome, vehicle)."""
    vehicle = Vehicle(0.0, 0.0, 0.0, 0.0, FIRST.fuel_mass, SECOND.fuel_mass, payload)
    while vehicle.time < limit:
        dry = advance(vehicle, target, dt)
        events(vehicle, target, dry)
        if vehicle.height < -1.0:
            raise ArithmeticError(f"hit the ground after {vehicle.time:.1f} s")
        if vehicle.phase == ORBIT:
            return 1, vehicle
        if vehicle.max_g > 8.0:
            return 2, vehicle
    return 0, vehicle


def heaviest(target, dt):
    """The largest payload, to 100 kg, that still reaches the target's circular speed."""
    low, high = 5000.0, 60000.0
    while high - low > 100.0:
        middle = 0.5 * (low + high)
        outcome, vehicle = fly(middle, target, dt, 1500.0)
        circular = math.sqrt(EARTH_GM / (EARTH_RADIUS + vehicle.height))
        if outcome == 1 and vehicle.speed_along > 0.999 * circular:
            low = middle
        else:
            high = middle
    return low


def main():
    """Fly once and search the payload, compiled and plain."""
    fly_compiled = pyxla.compile(fly)
    for run in (fly_compiled, fly):
        outcome, vehicle = run(15000.0, 200000.0, 0.1, 1500.0)
        print(f"outcome {outcome} after {vehicle.time:.1f} s: {vehicle.height / 1e3:.1f} km high,")
        print(f"  {vehicle.speed():.0f} m/s, {vehicle.fuel2:.0f} kg of fuel left,", end=" ")
        print(f"max q {vehicle.max_q / 1e3:.1f} kPa, max {vehicle.max_g:.1f} g")
    search = pyxla.compile(heaviest)
    search(200000.0, 0.5)
    for run in (search, heaviest):
        start = time.perf_counter()
        payload = run(200000.0, 0.5)
        print(f"heaviest payload {payload:.0f} kg, {time.perf_counter() - start:.3f} s")


if __name__ == "__main__":
    main()
