"""load.py -- time limits of tests, longer where others keep the processors busy."""
import os


def load_stretch():
    """How much longer things take there: 1 to 8."""
    return min(8, 1 + os.getloadavg()[0] / (os.cpu_count() or 1))


def stretched(seconds):
    """A limit of a test, or one that it sets a service: whole seconds."""
    return int(seconds * load_stretch())
