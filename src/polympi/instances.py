"""Classes whose instances travel by their attributes, items or value, because pickle would do nothing else with them.

The core asks once about each class, and again after the class has changed.
"""

from __future__ import annotations

import collections
import copyreg
import enum
import pickle
import sys
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType, WrapperDescriptorType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Form = tuple[bytes, str, str, tuple[MemberDescriptorType, ...], bool, bool, int]

_HEADER = b"\x80\x05\x95"  # protocol 5 and a frame, whose length follows
_FRAMED = len(_HEADER) + 8
_BUILD = b")\x81\x97b."  # cls.__new__(cls), the next buffer, BUILD, STOP
_NEW = b"\x97\x81."  # the next buffer, cls.__new__(cls, *buffer), STOP
_CALL = b"\x97R."  # the next buffer, cls(*buffer), STOP

_ARRAYS = ("__dlpack__", "__cuda_array_interface__")
# What lets a class decide how it is copied, found or looked into.
_SPECIAL = (
    *("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__new__"),
    *("__class__", "__getattribute__", "__getattr__", *_ARRAYS),
)
_OF_NAMED_TUPLES = {"__new__", "__getnewargs__"}
_POINTER = tuple.__itemsize__
# In place of the number of items; as in codec/instance.c.
NO_ITEMS, MEMBER = -1, -2


def form_of(cls: type) -> Form | None:
    """How instances of a class travel.

    Returns:
        None if pickle may do more than make an instance without arguments, and set its attributes and slots; or make a
        named tuple of its items; or find a member of an enumeration by its value; else

        - a pickle that does this with the state that is its only buffer,
        - the names of the module and of the class in it,
        - the descriptors of the slots,
        - whether instances have a dict,
        - whether setting an attribute writes to that dict whatever its name is,
        - how many items a named tuple has, ``NO_ITEMS``, or ``MEMBER`` for members of enumerations.
    """
    if isinstance(cls, enum.EnumMeta):
        return _of_members(cls)
    return _of_named_tuple(cls) if cls.__base__ is tuple else _of_attributes(cls)


def _of_attributes(cls: type) -> Form | None:
    """Of a class of which pickle makes an instance without arguments, and sets its attributes and slots."""
    *classes, last = cls.__mro__
    if last is not object or any(type(one) is not type or not _is_plain(one) for one in classes):
        return None
    names: list[str] = getattr(copyreg, "_slotnames")(cls)  # noqa: B009  (as pickle finds them; unknown to type checkers)
    slots = _slots(names, classes)
    if slots is None or (slots and any("__setattr__" in vars(one) for one in classes)) or _has_more(cls, len(slots)):
        return None
    maker = _maker(cls, _BUILD)
    if maker is None:
        return None
    has_dict = any("__dict__" in vars(one) for one in classes)
    if has_dict != bool(cls.__dictoffset__):
        return None
    return maker, cls.__module__, cls.__qualname__, slots, has_dict, not any(map(_intercepts, classes)), NO_ITEMS


def _of_named_tuple(cls: type) -> Form | None:
    """Of a class that collections.namedtuple has made, with nothing in it that pickle would look at."""
    own, fields = vars(cls), vars(cls).get("_fields")
    if cls.__mro__ != (cls, tuple, object) or not isinstance(fields, tuple) or cls.__dictoffset__:
        return None
    try:
        made = collections.namedtuple(cls.__name__, fields)  # type: ignore[misc]  # known as it runs
    except (TypeError, ValueError):  # fields that it refuses
        return None
    if any(name in own for name in _SPECIAL if name not in _OF_NAMED_TUPLES):
        return None
    if not all(_same_code(getattr(cls, name), getattr(made, name)) for name in _OF_NAMED_TUPLES):
        return None
    maker = _maker(cls, _NEW)
    return None if maker is None else (maker, cls.__module__, cls.__qualname__, (), False, False, len(fields))


def _same_code(one: object, other: object) -> bool:
    return isinstance(one, FunctionType) and isinstance(other, FunctionType) and one.__code__ == other.__code__


def _of_members(cls: enum.EnumMeta) -> Form | None:
    """Of an enumeration whose members pickle finds by calling it with their value."""
    if type(cls) is not enum.EnumMeta or type(cls.__getattribute__) is not WrapperDescriptorType:
        return None
    if any(getattr(cls, name) is not getattr(enum.Enum, name) for name in ("__new__", "__reduce_ex__")):
        return None
    members: list[enum.Enum] = [*cls.__members__.values()]
    values = [(cls, (vars(member).get("_value_"),)) for member in members]
    if [member.__reduce_ex__(5) for member in members] != values or any(hasattr(cls, name) for name in _ARRAYS):
        return None
    maker = _maker(cls, _CALL)
    return None if maker is None else (maker, cls.__module__, cls.__qualname__, (), False, False, MEMBER)


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


def _maker(cls: type, make: bytes) -> bytes | None:
    """The pickle that makes an instance by these steps; None if the class isn't simply a name in a module."""
    module, name = cls.__module__, cls.__qualname__
    if type(module) is not str or type(name) is not str or "." in name:
        return None
    place = sys.modules.get(module)
    if type(place) is not ModuleType or vars(place).get(name) is not cls:
        return None
    reference = pickle.dumps(cls, 5)
    if not reference.startswith(_HEADER):
        return None
    body = reference[_FRAMED:-1] + make
    return _HEADER + len(body).to_bytes(8, "little") + body


def _intercepts(cls: type) -> bool:
    """Whether the class has descriptors that see how an attribute is set."""
    own = (type(value) for name, value in vars(cls).items() if name not in {"__dict__", "__weakref__"})
    return any(hasattr(kind, "__set__") or hasattr(kind, "__delete__") for kind in own)
