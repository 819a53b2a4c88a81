"""A signal whose handler raises an exception."""


class Alarm(Exception):  # noqa: N818 - it is what happened, not an error
    pass


def ring(*_: object) -> None:
    raise Alarm("ring")
