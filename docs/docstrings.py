"""What griffe is told of the code, by mkdocs.yml: examples are blocks of Python, and records are dataclasses."""

from __future__ import annotations

import re
from typing import Any

from griffe import Class, Decorator, ExprCall, ExprName, Extension, Object

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n(?!>>> )|\Z)", re.MULTILINE | re.DOTALL)


class Examples(Extension):
    """Fences each example, which Markdown would otherwise read as a quotation."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```python\n{found[0]}\n```", obj.docstring.value)


class Records(Extension):
    """Lets griffe write how a record is made."""

    def on_class_instance(self, *, cls: Class, **kwargs: Any) -> None:
        dataclass = ExprName("dataclasses.dataclass")
        for place, one in enumerate(cls.decorators):
            if one.callable_path == "matchwise.records.record":
                made = ExprCall(dataclass, one.value.arguments) if isinstance(one.value, ExprCall) else dataclass
                cls.decorators[place] = Decorator(made, lineno=one.lineno, endlineno=one.endlineno)
