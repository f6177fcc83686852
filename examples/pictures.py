"""The pictures of the gallery, which need matplotlib: `python -m examples.pictures FOLDER`."""

import sys
from pathlib import Path

import numpy as np
from matplotlib import pyplot

from examples import gallery


def draw(folder):
    """Draw all of it, as PNG files in `folder`."""
    figures = {
        "mandelbrot": _mandelbrot,
        "wave": _wave,
        "training": _training,
        "phases": _phases,
        "traffic": _traffic,
    }
    for name, paint in figures.items():
        figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
        paint(axes)
        figure.savefig(Path(folder) / f"{name}.png", dpi=110)
        pyplot.close(figure)


def _mandelbrot(axes):
    xs, ys = np.linspace(-2.2, 0.8, 480), np.linspace(-1.0, 1.0, 320)
    axes.imshow(np.log1p(gallery.mandelbrot(xs, ys, 300)), cmap="magma", extent=(-2.2, 0.8, -1, 1))
    axes.set(xlabel="real part", ylabel="imaginary part")


def _wave(axes):
    axes.imshow(gallery.wave(240, 260, 0.2), cmap="RdBu", vmin=-0.2, vmax=0.2)
    axes.set_axis_off()


def _training(axes):
    points, labels = gallery.spirals(200, seed=0)
    axes.semilogy(gallery.train(gallery.network((2, 32, 32, 1), 1), points, labels, 1500, 0.05))
    axes.set(xlabel="step", ylabel="loss")


def _phases(axes):
    temperatures = np.linspace(1.5, 3.5, 21)
    axes.plot(temperatures, gallery.magnetization(24, temperatures, 400, 0), "o-")
    axes.axvline(2 / np.log(1 + np.sqrt(2)), color="grey", linestyle="--")
    axes.set(xlabel="temperature", ylabel="magnetization")


def _traffic(axes):
    axes.imshow(gallery.traffic(300, 90, 200, 5, 0.3, 0), cmap="Greys", interpolation="nearest")
    axes.set(xlabel="road", ylabel="time")


if __name__ == "__main__":
    draw(sys.argv[1] if len(sys.argv) > 1 else ".")
