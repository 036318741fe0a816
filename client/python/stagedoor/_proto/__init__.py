"""The messages, enums and methods of stagedoor.v1.

They are made at run time from the descriptors in descriptors.binpb, in a descriptor pool of their
own: so no generated code ties the package to some protobuf runtimes, and nothing collides with
other copies of the same protos in the process.

    request = v1.OpenStageRequest(root_layer="/show/shot.usda")
    state = v1.ItemState.Value("ITEM_STATE_VALUE")
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import enum_type_wrapper

# A message of a class that is made at run time, which type checkers cannot know.
Message = Any


@dataclass(frozen=True)
class Method:
    """An RPC of the API."""

    name: str  # for example "OpenStage"
    path: str  # for example "/stagedoor.v1.StagesService/OpenStage"
    streams: bool  # whether the daemon answers with a stream
    request: Any  # the class of the request
    response: Any  # the class of the response


class Package:
    """The messages and enums of one package, made on first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        full_name = f"{self._name}.{name}"
        try:
            made = message_class(full_name)
        except KeyError:
            try:
                made = enum_type_wrapper.EnumTypeWrapper(_POOL.FindEnumTypeByName(full_name))
            except KeyError:
                raise AttributeError(f"unknown message or enum {full_name!r}") from None
        setattr(self, name, made)
        return made


def message_class(full_name: str) -> Any:
    """The class of a message; KeyError if there is none of this name."""
    return _CLASS_OF(_POOL.FindMessageTypeByName(full_name))


def _load() -> descriptor_pb2.FileDescriptorSet:
    path = pathlib.Path(__file__).with_name("descriptors.binpb")
    try:
        return descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
    except FileNotFoundError:
        raise ImportError(
            f"{path} does not exist: install the package with 'pip install ./client/python'"
        ) from None


def _class_maker(pool: Any) -> Any:
    """The function from descriptors to classes, which protobuf 4.22 renamed."""
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass
    return message_factory.MessageFactory(pool).GetPrototype


def _methods(files: descriptor_pb2.FileDescriptorSet) -> dict[str, Method]:
    found: dict[str, Method] = {}
    for file in files.file:
        for service in file.service:
            for method in service.method:
                found[method.name] = Method(
                    name=method.name,
                    path=f"/{file.package}.{service.name}/{method.name}",
                    streams=method.server_streaming,
                    request=message_class(method.input_type.lstrip(".")),
                    response=message_class(method.output_type.lstrip(".")),
                )
    return found


_FILES = _load()
_POOL = descriptor_pool.DescriptorPool()
for _file in _FILES.file:
    _POOL.AddSerializedFile(_file.SerializeToString())
_CLASS_OF = _class_maker(_POOL)

v1 = Package("stagedoor.v1")
error_details = Package("stagedoor.client")
METHODS = _methods(_FILES)
