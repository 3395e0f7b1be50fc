"""What the tables of all coordinators in a mission file are made of."""

import json
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from robotd.model.table import NumberTable

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
Terms = TypeVar("Terms", bound=BaseModel)


class Table(BaseModel):
    """A table in which an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Parameters(Table):
    """`[coordinator.parameters]`; keys of the file's own coordinator are ignored under `--coordinator`."""

    model_config = ConfigDict(extra="ignore")


def terms_of(table: NumberTable, kind: type[Terms]) -> dict[str, Terms]:
    """The terms of all tasks of the mission, each a `kind`; keys of another coordinator's terms are ignored."""
    read = {entry.task.id: json.loads(entry.terms or "{}") for entry in table.tasks}
    return {name: kind(**{k: v for k, v in own.items() if k in kind.model_fields}) for name, own in read.items()}
