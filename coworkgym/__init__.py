"""coworkgym: executable office work for language-model agents, as Gymnasium environments."""

from coworkgym.envs import (
    AssistantMessages,
    CoworkEnv,
    CoworkVectorEnv,
    Episode,
    ModelText,
    register_all,
    register_package,
)
from coworkgym.tasks import Item, Task, get_package, load_task, package, packages, save_task
from coworkgym.transcript import ToolCall

__version__ = "0.1.0"

__all__ = [
    "AssistantMessages",
    "CoworkEnv",
    "CoworkVectorEnv",
    "Episode",
    "Item",
    "ModelText",
    "Task",
    "ToolCall",
    "get_package",
    "load_task",
    "package",
    "packages",
    "register_package",
    "save_task",
]

register_all()
