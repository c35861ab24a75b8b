"""A device that is not there: tensors say that they lie on ``cuda:0``, and calculate in this memory.

Every operation on them passes through here with real numbers, so whatever a model does with its own
(``.item()``, lengths that depend on values, a loop that writes) runs as on CUDA. What CUDA refuses is
refused: two devices in one operation, and NumPy's view of what is not in the processor's memory.
``test_pretend_cuda.py`` holds the first to the rules of torch's own fake tensors.

Not shown: CUDA's kernels, which round otherwise and lack some pairs of operation and number format; its
memory and its errors; streams. A bare ``cuda`` without its number, which nothing here asks for, is refused.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch.utils._device import _device_constructors
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

CUDA, CPU = torch.device("cuda:0"), torch.device("cpu")
aten = torch.ops.aten
COPIES = {aten._to_copy.default, aten.copy_.default, aten.to.dtype_layout, aten.to.device, aten.to.dtype}
INDEXED = {aten.index.Tensor, aten.index_put_.default, aten.index_put.default}


class TwoDevicesError(RuntimeError):
    """What CUDA says of tensors that lie apart."""


class There(torch.Tensor):
    """A tensor on the device; ``here`` holds its numbers."""

    here: torch.Tensor

    @staticmethod
    def __new__(cls, here: torch.Tensor) -> There:
        with torch.inference_mode(False):  # a view of a weight is no inference tensor
            made: There = torch.Tensor._make_wrapper_subclass(
                cls, here.shape, strides=here.stride(), storage_offset=here.storage_offset(),
                dtype=here.dtype, layout=here.layout, device=CUDA, requires_grad=False,
            )  # fmt: skip
        made.here = here
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return asked(func, args, kwargs or {})

    # Before what follows becomes an operation, C++ asks the build for its CUDA part.

    def __getitem__(self, places: Any) -> Any:
        if isinstance(places, tuple) and all(isinstance(one, torch.Tensor) for one in places):
            return aten.index.Tensor(self, list(places))  # under torch.vmap, too
        return There(self.here[behind(places)])

    def __setitem__(self, places: Any, values: Any) -> None:
        refuse_two("__setitem__", [self, values])
        self.here[behind(places)] = behind(values)

    def contiguous(self, *given: Any, **named: Any) -> There:
        found = self.here.contiguous(*given, **named)
        return self if found is self.here else There(found)

    def __invert__(self) -> There:
        return There(~self.here)

    def nonzero(self, *, as_tuple: bool = False) -> Any:
        return tree_map_only(torch.Tensor, There, self.here.nonzero(as_tuple=as_tuple))

    def copy_(self, source: Any, *_: Any) -> There:
        self.here.copy_(behind(source))
        return self

    def numpy(self, *_: Any, **__: Any) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first")

    __array__ = numpy

    def __repr__(self, *_: Any, **__: Any) -> str:
        return f"There({self.here})"


def number(name: str) -> Any:
    """A method that gives Python's numbers, which need no copy that one could forget."""
    return lambda self, *given: getattr(self.here, name)(*given)


for _name in ("tolist", "item", "__bool__", "__int__", "__float__", "__index__", "__complex__", "__len__"):
    setattr(There, _name, number(_name))


def behind(given: Any) -> Any:
    """The same, with the numbers in place of what is on the device."""
    return tree_map_only(There, lambda one: one.here, given)


LEFT: Counter[int] = Counter()  # how many numbers came back in tensors, by the length of their last axis


def asked(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The operation on the numbers, its result on the device that it belongs to."""
    if func is aten._has_compatible_shallow_copy_type.default:
        return True
    named = kwargs.get("device")
    device = (
        named if named is not None else next((one for one in args if isinstance(one, torch.device)), None)
    )
    lands = None if device is None else torch.device(device).type
    flat = tree_leaves((args, kwargs))
    if any(isinstance(one, There) for one in flat):
        if func not in COPIES:
            refuse_two(str(func), [args[0], *args[2:]] if func in INDEXED else flat)
    elif lands != "cuda":
        return func(*args, **kwargs)
    if func is aten.copy_.default:
        lands = args[0].device.type
    given, options = tree_map_only(torch.device, lambda _: CPU, behind((args, kwargs)))
    found = func(*given, **options)
    if func._schema.is_mutable:
        return mutated(func, args, kwargs, found)
    if lands == "cpu":
        LEFT.update({one.shape[-1]: math.prod(one.shape) for one in tree_leaves(found) if one.ndim})
        return tree_map_only(torch.Tensor, torch.clone, found)
    return tree_map_only(torch.Tensor, There, found)


def mutated(func: Any, args: Any, kwargs: dict[str, Any], found: Any) -> Any:
    """What was written to is what is given back."""
    for at, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            given = args[at] if at < len(args) else kwargs[argument.name]
            if isinstance(given, There) and given.shape != given.here.shape:
                raise NotImplementedError(f"{func} changes the shape of what it is given")
            if len(func._schema.returns) == 1:
                return given
    return tree_map_only(torch.Tensor, There, found)


def refuse_two(name: str, given: Any) -> None:
    """A tensor without axes goes where it is needed; so do indices, which nobody passes in here."""
    apart = [
        tuple(one.shape)
        for one in tree_leaves(given)
        if isinstance(one, torch.Tensor) and not isinstance(one, There) and one.ndim
    ]
    if apart:
        raise TwoDevicesError(f"{name}: tensors on cuda:0, and on cpu of the shapes {apart}")


class Mode(TorchDispatchMode):
    """For operations that make tensors, or bring them there."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return asked(func, args, kwargs or {})


@contextmanager
def pretended() -> Iterator[None]:
    """One CUDA device inside."""
    tensor, nonzero, future = torch.tensor, torch.nonzero, torch.__future__

    def numbers(data: Any, **how: Any) -> Any:  # torch.tensor asks what has __getitem__ for its length
        return tensor(tree_map_only(There, There.tolist, data), **how)

    def places(given: Any, **how: Any) -> Any:
        return given.nonzero(**how) if isinstance(given, There) else nonzero(given, **how)

    _device_constructors()  # a list kept for good: torch.tensor is in it before it is another
    LEFT.clear()
    with ExitStack() as stack:
        for owner, name, value in (
            (torch, "tensor", numbers), (torch, "nonzero", places), (torch.cuda, "device_count", lambda: 1),
            (torch.cuda, "_lazy_init", lambda: None),
        ):  # fmt: skip
            stack.enter_context(patch.object(owner, name, value))
        stack.callback(setattr, torch.backends.cudnn, "allow_tf32", torch.backends.cudnn.allow_tf32)
        lifted, anew = torch._C._only_lift_cpu_tensors(), future.get_overwrite_module_params_on_conversion()
        stack.callback(torch._C._set_only_lift_cpu_tensors, lifted)
        stack.callback(future.set_overwrite_module_params_on_conversion, anew)
        torch._C._set_only_lift_cpu_tensors(True)
        future.set_overwrite_module_params_on_conversion(True)
        stack.enter_context(torch.no_grad())  # autograd asks the build for its CUDA part
        stack.enter_context(Mode())
        yield
