"""Generators that hand on the items of calls of themselves, as deep as data says."""

from __future__ import annotations

from tests.programs import program


class Search:
    def __init__(self, keys):
        self.root, self.size = None, 0
        for key in keys:
            self.root = self.put(self.root, key)

    def put(self, node, key):
        if node is None:
            self.size += 1
            return Fork(key)
        if key < node.key:
            node.left = self.put(node.left, key)
        elif key > node.key:
            node.right = self.put(node.right, key)
        return node

    def walk(self, node):
        if node is not None:
            yield from self.walk(node.left)
            yield node.key
            yield from self.walk(node.right)

    def __iter__(self):
        return self.walk(self.root)


class Fork:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


@program("generator over a tree", lambda: ([5, 2, 8, 1, 9, 3, 5],), lambda: ([],))
def inorder(keys):
    tree = Search(keys)
    total = 0
    for i, key in enumerate(tree):
        if key > 5:
            break
        total += i * key
    return (
        list(tree),
        tree.size,
        total,
        max(tree, default=-1),
        next((k for k in tree if k > 4), None),
    )


def reached(graph, node, seen, depth):
    seen.add(node)
    yield node, depth
    for other in graph[node]:
        if other not in seen:
            for found in reached(graph, other, seen, depth + 1):  # noqa: UP028
                yield found


def reached_only(graph, node, seen):
    seen.add(node)
    yield node
    for other in graph[node]:
        if other not in seen:
            reached_only(graph, other, seen)  # of which nothing runs


GRAPH = [[1, 2], [3], [3, 4], [0], [4]]


@program("generator over a graph", lambda: (GRAPH, 0), lambda: (GRAPH, 2), lambda: (GRAPH, 4))
def depth_first(graph, start):
    nodes = [node for node, _ in reached(graph, start, set(), 0)]
    depths = sum(depth for _, depth in reached(graph, start, set(), 0))
    return nodes, depths, list(reached_only(graph, start, set()))


def counted(graph, node, seen):
    seen.add(node)
    last = -1
    for other in graph[node]:
        if other not in seen:
            for last in counted(graph, other, seen):
                yield last
    yield node * 10 + last


@program("generator that reads what it handed on", lambda: (GRAPH, 0), lambda: (GRAPH, 4))
def read_behind(graph, start):
    return list(counted(graph, start, set()))
