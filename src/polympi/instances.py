"""Classes whose instances travel by their attributes, because pickle would do nothing else with them.

The core asks once about each class, and again after the class has changed.
"""

from __future__ import annotations

import copyreg
import pickle
import sys
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_HEADER = b"\x80\x05\x95"  # protocol 5 and a frame, whose length follows
_FRAMED = len(_HEADER) + 8
_MAKE = b")\x81\x97b."  # cls.__new__(cls), the next buffer, BUILD, STOP

# What lets a class decide how it is copied, found or looked into.
_SPECIAL = (
    *("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__new__"),
    *("__class__", "__getattribute__", "__getattr__", "__dlpack__", "__cuda_array_interface__"),
)
_POINTER = tuple.__itemsize__


def form_of(cls: type) -> tuple[bytes, str, str, tuple[MemberDescriptorType, ...], bool, bool] | None:
    """How instances of a class travel.

    Returns:
        None if pickle may do more than make an instance without arguments, and set its attributes and slots; else

        - a pickle that does this with the state that is its only buffer,
        - the names of the module and of the class in it,
        - the descriptors of the slots,
        - whether instances have a dict,
        - whether setting an attribute writes to that dict whatever its name is.
    """
    *classes, last = cls.__mro__
    if last is not object or any(type(one) is not type or not _is_plain(one) for one in classes):
        return None
    names: list[str] = getattr(copyreg, "_slotnames")(cls)  # noqa: B009  (as pickle finds them; unknown to type checkers)
    slots = _slots(names, classes)
    if slots is None or (slots and any("__setattr__" in vars(one) for one in classes)) or _has_more(cls, len(slots)):
        return None
    maker = _maker(cls)
    if maker is None:
        return None
    has_dict = any("__dict__" in vars(one) for one in classes)
    if has_dict != bool(cls.__dictoffset__):
        return None
    return maker, cls.__module__, cls.__qualname__, slots, has_dict, not any(map(_intercepts, classes))


def _is_plain(cls: type) -> bool:
    own = vars(cls)
    return not any(name in own for name in _SPECIAL) and (
        "__dict__" not in own or type(own["__dict__"]) is GetSetDescriptorType
    )


def _slots(names: Iterable[str], classes: list[type]) -> tuple[MemberDescriptorType, ...] | None:
    """The descriptors of all slots; None if there is anything else by such a name."""
    found = {name: next((vars(one)[name] for one in classes if name in vars(one)), None) for name in names}
    slots = [slot for slot in found.values() if type(slot) is MemberDescriptorType]
    whole = len(slots) == len([*names]) and all(slot.__objclass__ in classes for slot in slots)
    named = all(slot.__name__ == name for name, slot in zip(found, slots, strict=False))
    return tuple(slots) if whole and named and not any(name.startswith("__") for name in found) else None


def _has_more(cls: type, slots: int) -> bool:
    """Whether instances hold memory that isn't Python's, as copyreg tells."""
    pointers = slots + bool(cls.__dictoffset__) + bool(cls.__weakrefoffset__)
    return cls.__itemsize__ != 0 or cls.__basicsize__ > object.__basicsize__ + pointers * _POINTER


def _maker(cls: type) -> bytes | None:
    """The pickle that makes an instance; None if the class isn't simply a name in a module."""
    module, name = cls.__module__, cls.__qualname__
    if type(module) is not str or type(name) is not str or "." in name:
        return None
    place = sys.modules.get(module)
    if type(place) is not ModuleType or vars(place).get(name) is not cls:
        return None
    reference = pickle.dumps(cls, 5)
    if not reference.startswith(_HEADER):
        return None
    body = reference[_FRAMED:-1] + _MAKE
    return _HEADER + len(body).to_bytes(8, "little") + body


def _intercepts(cls: type) -> bool:
    """Whether the class has descriptors that see how an attribute is set."""
    own = (type(value) for name, value in vars(cls).items() if name not in {"__dict__", "__weakref__"})
    return any(hasattr(kind, "__set__") or hasattr(kind, "__delete__") for kind in own)
