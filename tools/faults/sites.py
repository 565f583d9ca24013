"""sites.py -- finds sites for faults in a source, and the fault at each.

libclang finds expressions and statements inside functions. Macro expansions, constant expressions
(sizes, cases, static initialisers) and nodes without text of their own are skipped. A site is
replaced by both texts, and the fault's number selects one: `(crd_fault(7) ? (a <= b) : (a < b))`.
"""
import bisect
import dataclasses
import re

import clang.cindex as ci
from clang.cindex import CursorKind as K
from clang.cindex import TypeKind as T

SWAPS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
         "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "<<": [">>"], ">>": ["<<"], "&": ["|"],
         "|": ["&"], "^": ["|"], "&&": ["||"], "||": ["&&"]}
KINDS = {**dict.fromkeys(["<", "<=", ">", ">=", "==", "!="], "comparison"), **dict.fromkeys(["&&", "||"], "logic")}
CONDITIONS = {K.IF_STMT: 0, K.WHILE_STMT: 0, K.CONDITIONAL_OPERATOR: 0}
CONSTANT = {K.CASE_STMT, K.ENUM_DECL, K.CXX_UNARY_EXPR, K.STRUCT_DECL, K.UNION_DECL, K.STATIC_ASSERT}
DROPPED = {K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.BREAK_STMT, K.CONTINUE_STMT}
INTEGERS = {T.BOOL, T.INT, T.UINT, T.LONG, T.ULONG, T.LONGLONG, T.ULONGLONG, T.SHORT, T.USHORT, T.CHAR_S, T.SCHAR,
            T.UCHAR, T.ENUM}


@dataclasses.dataclass
class Site:
    """Bytes start .. end-1 of a file; `new` replaces them in the fault, None: deleted."""
    path: str
    line: int
    function: str
    kind: str
    start: int
    end: int
    old: str
    new: str
    around: str  # its first line

    def text(self, number):
        if self.kind.startswith("dropped"):
            return f"{{ if (!crd_fault({number})) {{ {self.old} }} }}"
        return f"(crd_fault({number}) ? ({self.new}) : ({self.old}))"


class File:
    def __init__(self, path, unit):
        self.path = path
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.sites = []
        self.macros = sorted((c.extent.start.offset, c.extent.end.offset, c.spelling)
                             for c in unit.cursor.get_children()
                             if c.kind == K.MACRO_INSTANTIATION and self.here(c))

    def here(self, cursor):
        return cursor.location.file is not None and cursor.location.file.name == self.path

    def slice(self, start, end):
        return self.bytes[start:end].decode("utf-8", "replace")

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def made_by_macro(self, start, end):
        at = bisect.bisect_right(self.macros, (start, 1 << 40, "")) - 1
        return at >= 0 and self.macros[at][1] > start and self.macros[at][:2] != (start, end) \
            and self.macros[at][1] - self.macros[at][0] > len(self.macros[at][2])

    def line_at(self, start):
        begin = self.bytes.rfind(b"\n", 0, start) + 1
        return self.slice(begin, self.bytes.find(b"\n", start)).strip()

    def add(self, cursor, function, kind, old_span, new):
        start, end = old_span
        old = self.slice(start, end)
        if end <= start or self.made_by_macro(start, end) or "#" in old or "//" in old or "/*" in old:
            return
        if any(old.count(a) != old.count(b) for a, b in ("()", "[]", "{}")):
            return
        self.sites.append(Site(self.path, cursor.extent.start.line, function, kind, start, end, old, new,
                               self.line_at(start)))

    # ---- The kinds of faults.

    def binary(self, cursor, function):
        sides = list(cursor.get_children())
        if len(sides) != 2:
            return
        (start, middle), (after, end) = self.span(sides[0]), self.span(sides[1])
        operator = self.slice(middle, after).strip()
        pointers = [s.type.get_canonical().kind in (T.POINTER, T.CONSTANTARRAY) for s in sides]
        if operator not in SWAPS or (operator == "-" and all(pointers)):
            return
        for other in SWAPS[operator]:
            if any(pointers) and other not in ("+", "-", "&&", "||", "<", "<=", ">", ">=", "==", "!="):
                continue
            new = f"{self.slice(start, middle)} {other} {self.slice(after, end)}"
            self.add(cursor, function, KINDS.get(operator, "arithmetic"), (start, end), new)

    def literal(self, cursor, function, parents):
        start, end = self.span(cursor)
        text, above = self.slice(start, end), parents[-1]
        before = self.slice(max(0, start - 80), start).rstrip()
        if not re.match(r"[0-9.]", text) or above.type.kind == T.POINTER:
            return
        if above.kind == K.VAR_DECL and above.type.kind in (T.CONSTANTARRAY, T.VARIABLEARRAY):
            return
        if above.kind == K.INIT_LIST_EXPR and before.endswith("["):
            return
        self.add(cursor, function, "constant", (start, end), f"{text} + 1")
        if not re.fullmatch(r"0[uUlL]*|0?\.0*[fF]?", text):
            self.add(cursor, function, "constant", (start, end), "0")

    def condition(self, cursor, function):
        children = list(cursor.get_children())
        if cursor.kind == K.FOR_STMT:
            children = [c for c in children[:-1] if c.type.kind != T.VOID and
                        c.kind in (K.BINARY_OPERATOR,) and "=" not in self.operator(c).replace("==", "")][:1]
        if children:
            span = self.span(children[0])
            self.add(children[0], function, "condition", span, f"!({self.slice(*span)})")

    def operator(self, cursor):
        sides = list(cursor.get_children())
        return self.slice(self.span(sides[0])[1], self.span(sides[1])[0]).strip() if len(sides) == 2 else ""

    def result(self, cursor, function):
        value = next(cursor.get_children(), None)
        if value is None:
            return
        span, kind = self.span(value), value.type.get_canonical().kind
        text = self.slice(*span)
        if kind in INTEGERS:
            empty = re.fullmatch(r"0|false|CRD_OK", text)
            self.add(value, function, "result", span, "1" if empty else "0")
        elif kind in (T.DOUBLE, T.FLOAT):
            self.add(value, function, "result", span, "1.0" if text in ("0", "0.0") else "0.0")
        elif kind == T.POINTER and text != "NULL":
            self.add(value, function, "result", span, "((void *)0)")

    def statement(self, cursor, function):
        """A call, an assignment or a jump that can be deleted."""
        if cursor.kind == K.BINARY_OPERATOR and self.operator(cursor) != "=":
            return
        if cursor.kind == K.UNARY_OPERATOR and not re.search(r"\+\+|--", self.slice(*self.span(cursor))):
            return
        if cursor.kind not in DROPPED | {K.BINARY_OPERATOR, K.UNARY_OPERATOR}:
            return
        start, end = self.span(cursor)
        semicolon = self.bytes.find(b";", end)
        if semicolon < 0 or self.bytes[end:semicolon].strip():
            return
        kind = {K.CALL_EXPR: "call", K.BREAK_STMT: "jump", K.CONTINUE_STMT: "jump"}.get(cursor.kind, "assignment")
        self.add(cursor, function, f"dropped {kind}", (start, semicolon + 1), None)

    def tries(self, body, function):
        """CRD_TRY(call); as a statement of its own."""
        first, last = self.span(body)
        for start, end, name in self.macros:
            if name != "CRD_TRY" or not first < start < last:
                continue
            semicolon = self.bytes.find(b";", end)
            before = self.slice(first, start).rstrip()
            if self.bytes[end:semicolon].strip() == b"" and before[-1:] in ";{})":
                line = self.bytes.count(b"\n", 0, start) + 1
                self.sites.append(Site(self.path, line, function, "dropped call", start, semicolon + 1,
                                       self.slice(start, semicolon + 1), None, self.line_at(start)))

    # ---- The walk.

    def walk(self, cursor, function, parents):
        if cursor.kind in CONSTANT or cursor.kind.name.startswith("OMP_"):
            return
        if cursor.kind == K.VAR_DECL and cursor.storage_class == ci.StorageClass.STATIC:
            return
        above = parents[-1]
        body = above.kind == K.COMPOUND_STMT or (
            above.kind in (K.FOR_STMT, K.WHILE_STMT, K.DO_STMT) and cursor == list(above.get_children())[-1]) or (
            above.kind == K.IF_STMT and cursor != next(above.get_children()))
        if body:
            self.statement(cursor, function)
        if cursor.kind == K.BINARY_OPERATOR:
            self.binary(cursor, function)
        if cursor.kind in (K.INTEGER_LITERAL, K.FLOATING_LITERAL):
            self.literal(cursor, function, parents)
        if cursor.kind in CONDITIONS or cursor.kind == K.FOR_STMT:
            self.condition(cursor, function)
        if cursor.kind == K.RETURN_STMT:
            self.result(cursor, function)
        for child in cursor.get_children():
            self.walk(child, function, [*parents, cursor])


def find(index, path, arguments):
    """All sites of a source file; none if clang cannot parse it."""
    unit = index.parse(path, arguments, options=ci.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    if any(d.severity >= ci.Diagnostic.Error for d in unit.diagnostics):
        return None
    file = File(path, unit)
    for cursor in unit.cursor.get_children():
        if cursor.kind != K.FUNCTION_DECL or not file.here(cursor) or not cursor.is_definition():
            continue
        for part in cursor.get_children():
            if part.kind == K.COMPOUND_STMT:
                file.walk(part, cursor.spelling, [cursor])
                file.tries(part, cursor.spelling)
    return file.sites
