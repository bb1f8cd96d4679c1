"""Models of Pydantic 2, by attribute names: aliases concern the encoded form only."""

from __future__ import annotations

from typing import Annotated, Any

from matchwise.deriving.sources.field import Field
from matchwise.errors import DeriveError


def owns(cls: type) -> bool:
    return hasattr(cls, "__pydantic_complete__") and isinstance(getattr(cls, "model_fields", None), dict)


def fields(cls: type) -> tuple[Field, ...]:
    model: Any = cls
    if not model.__pydantic_complete__:
        try:
            model.model_rebuild()
        except Exception as error:  # PydanticUndefinedAnnotation, which is not imported here
            raise DeriveError(
                f"{cls.__name__}: {getattr(error, 'message', error)} where its annotations are read; "
                f"define that name, then call {cls.__name__}.model_rebuild()"
            ) from None
    return tuple(Field(name, _annotation(info)) for name, info in model.model_fields.items())


def _annotation(info: Any) -> Any:
    """Pydantic takes the outermost `Annotated` apart; put it together again."""
    return Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
