"""A package imports only from packages to its left and from the leaves."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "coworkgym"
LEAVES = {"chat", "errors", "frozen", "transcript"}
ORDER = ["services", "company", "rewards", "users", "tasks", "envs", "policies", "rollouts",
         "quality", "testing", "evals", "integrations", "cli"]  # fmt: skip
HEAVY = {"torch", "transformers", "peft", "trl", "datasets", "hypothesis", "pytest"}
MAY_IMPORT = {"testing": {"hypothesis", "pytest"}}  # what of it a part may import all the same
LOCAL = ROOT / "policies" / "local"  # local models: the only files that may import these
LOCAL_MAY_IMPORT = {"torch", "transformers"}
LAZILY = {ROOT / "integrations" / "trl.py": {"trl", "datasets"}}  # inside functions only
TOP = {"__init__", "__main__"}


def part_of(path):
    relative = path.relative_to(ROOT)
    return relative.parts[0].removesuffix(".py")


def imports(path):
    """Every module named by an import statement, inside functions too, without type-only ones."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


FILES = sorted(ROOT.rglob("*.py"))


def test_every_part_has_its_place_in_the_order():
    assert {part_of(path) for path in FILES} == LEAVES | set(ORDER) | TOP


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_to_the_left(path):
    part = part_of(path)
    if part in TOP:
        return
    extra = LOCAL_MAY_IMPORT if LOCAL in path.parents else MAY_IMPORT.get(part, set())
    extra = extra | LAZILY.get(path, set())
    allowed = LEAVES | (set(ORDER[: ORDER.index(part) + 1]) if part in ORDER else set())
    for module in imports(path):
        names = module.split(".")
        assert names[0] not in HEAVY - extra, f"{module} belongs to an extra"
        if names[0] == "coworkgym" and len(names) > 1:
            assert names[1] in allowed, f"{part} imports {module}"


@pytest.mark.parametrize("path", LAZILY, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_an_adapter_adapts_to_is_imported_when_it_is_used(path):
    top = ast.parse(path.read_text(encoding="utf-8")).body
    imported = [ast.unparse(node) for node in top if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not [line for line in imported if line.split()[1].split(".")[0] in LAZILY[path]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_are_of_a_size_to_be_read(path):
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    assert lines <= 300, f"{lines} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and part_of(path) != "cli":
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            assert length <= 45, f"{node.name} has {length} lines"
