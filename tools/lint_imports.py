"""Checks names of Python files: those they take from each other are there, such as helpers of another test that moved,
and no test is left out of the list of those that run."""

import ast
from collections import defaultdict
from pathlib import Path


def defined_names(module):
    """Returns the names that a module has after it is imported, in any of its branches."""
    names = set()
    todo = list(module.body)
    while todo:
        statement = todo.pop()
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(statement.name)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
        else:
            names |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
            todo += [node for node in ast.walk(statement) if isinstance(node, ast.stmt) and node is not statement]
    return names


def check_imports(root, files):
    """A module is looked for beside the file, else in all folders that are no packages, since tests put some of them on
    their path."""
    modules = {path: ast.parse(Path(root, path).read_text(encoding="utf-8")) for path in files if path.suffix == ".py"}
    named = defaultdict(list)
    for path in modules:
        if path.with_name("__init__.py") not in modules:
            named[path.stem].append(path)
    for path, module in modules.items():
        for node in ast.walk(module):
            if not isinstance(node, ast.ImportFrom) or node.module is None or node.level > 0 or "." in node.module:
                continue
            beside = path.with_name(f"{node.module}.py")
            places = [beside] if beside in modules else named[node.module]
            known = set().union(*(defined_names(modules[place]) for place in places))
            for alias in node.names:
                if places and alias.name != "*" and alias.name not in known:
                    yield f"{path}:{node.lineno}: {alias.name} is not in {' or '.join(map(str, places))}"


def check_lists_of_tests(root, files):
    """Tests beside the program list their functions themselves, so that one that nothing names would never run."""
    for path in files:
        if path.parts[0] != "tests" or path.suffix != ".py":
            continue
        module = ast.parse(Path(root, path).read_text(encoding="utf-8"))
        used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
        for function in module.body:
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_") and not used & {function.name, "globals"}:
                yield f"{path}:{function.lineno}: {function.name} never runs, since nothing names it"
