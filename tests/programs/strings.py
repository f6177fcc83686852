"""Texts of run-time length: palindromes, ciphers, run lengths, parsers and tokenizers."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from tests.programs import program

POEM = (
    "It was many and many a year ago, In a kingdom by the sea, That a maiden there lived whom "
    "you may know By the name of Annabel Lee;"
)
PANGRAM = "The quick brown fox jumps over the lazy dog, and packs my box with five dozen jugs."


@program("text", lambda: ("A man, a plan, a canal: Panama" * 3,), lambda: (POEM,), lambda: ("",))
def is_palindrome(s):
    i, j = 0, len(s) - 1
    while i < j:
        if not s[i].isalnum():
            i += 1
        elif not s[j].isalnum():
            j -= 1
        elif s[i].lower() != s[j].lower():
            return False
        else:
            i += 1
            j -= 1
    return True


@program("text", lambda: (POEM, 3), lambda: (POEM.upper(), 13), lambda: ("xyz", -3))
def caesar(text, shift):
    out = []
    for c in text:
        if c.isupper():
            out.append(chr((ord(c) - 65 + shift) % 26 + 65))
        elif c.islower():
            out.append(chr((ord(c) - 97 + shift) % 26 + 97))
        else:
            out.append(c)
    return "".join(out)


@program("text", lambda: (PANGRAM, "LEMON"), lambda: (POEM, "KEY"))
def vigenere(text, key):
    result = ""
    k = 0
    for c in text.upper():
        if c.isalpha():
            offset = ord(key[k % len(key)]) - ord("A")
            result += chr((ord(c) - ord("A") + offset) % 26 + ord("A"))
            k += 1
    return result


@program("text", lambda: (POEM,), lambda: ("zebra",))
def atbash(text):
    plain = "abcdefghijklmnopqrstuvwxyz"
    cipher = plain[::-1]
    return text.lower().translate(str.maketrans(plain, cipher))


@program("text", lambda: ("WWWWWWWWWWWWBWWWWWWWWWWWWBBBWWWWWWWW" * 2,), lambda: ("",))
def run_length_encode(data):
    if not data:
        return ""
    encoded = ""
    previous = data[0]
    count = 1
    for char in data[1:]:
        if char == previous:
            count += 1
        else:
            encoded += str(count) + previous
            count = 1
            previous = char
    return encoded + str(count) + previous


@program("text", lambda: ("12W1B12W3B24W1B14W" + "3x" * 30,), lambda: ("2a",))
def run_length_decode(data):
    decode = ""
    count = ""
    for char in data:
        if char.isdigit():
            count += char
        else:
            decode += char * int(count)
            count = ""
    return decode


@program("text", lambda: (POEM,), lambda: (PANGRAM,))
def word_frequencies(text):
    counts = {}
    for word in text.lower().split():
        word = word.strip(".,;:!?")
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))


@program("text", lambda: (POEM,), lambda: ("mississippi",))
def letter_counts(text):
    counts = Counter(c for c in text.lower() if c.isalpha())
    return counts.most_common(3), counts["a"], len(counts), max(counts, key=counts.get)


@program("text", lambda: ("eat tea tan ate nat bat " * 3,))
def group_anagrams(line):
    groups = defaultdict(list)
    for word in line.split():
        groups["".join(sorted(word))].append(word)
    return sorted(groups.values(), key=len), list(groups)


@program("text", lambda: (PANGRAM,), lambda: (POEM,))
def is_pangram(text):
    alphabet = set("abcdefghijklmnopqrstuvwxyz")
    letters = {c for c in text.lower() if c.isalpha()}
    return letters == alphabet, "".join(sorted(alphabet - letters))


@program(
    "text",
    lambda: ("{[()]}(()[]{})" * 6,),
    lambda: ("{[()]}(()[]{})" * 6 + "(",),
    lambda: ("([)]",),
)
def balanced(expression):
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for c in expression:
        if c in "([{":
            stack.append(c)
        elif c in pairs:
            if not stack or stack.pop() != pairs[c]:
                return False
    return not stack


@program(
    "text exception checks", lambda: ("3 4 + 2 * " + "1 + " * 20,), lambda: ("1 +" + " 2" * 40,)
)
def reverse_polish(line):
    stack = []
    for token in line.split():
        if token in ("+", "-", "*"):
            b = stack.pop()
            a = stack.pop()
            if token == "+":
                stack.append(a + b)
            elif token == "-":
                stack.append(a - b)
            else:
                stack.append(a * b)
        else:
            stack.append(int(token))
    return stack[-1]


@program("text", lambda: ("3 + 2 * 2 - 10 / 3 " + "+ 1 " * 20,), lambda: ("14-3/2",))
def calculator(s):
    stack = []
    number = 0
    sign = "+"
    for i, c in enumerate(s):
        if c.isdigit():
            number = number * 10 + int(c)
        if (not c.isdigit() and c != " ") or i == len(s) - 1:
            if sign == "+":
                stack.append(number)
            elif sign == "-":
                stack.append(-number)
            elif sign == "*":
                stack.append(stack.pop() * number)
            else:
                stack.append(int(stack.pop() / number))
            sign = c
            number = 0
    return sum(stack)


@program("text", lambda: ("x1 = 10 * (y_2 + 33) - foo / 7; " * 3,), lambda: ("a=1",))
def tokenize(source):
    tokens = []
    i = 0
    while i < len(source):
        c = source[i]
        if c.isspace():
            i += 1
        elif c.isalpha() or c == "_":
            start = i
            while i < len(source) and (source[i].isalnum() or source[i] == "_"):
                i += 1
            tokens.append(("name", source[start:i]))
        elif c.isdigit():
            start = i
            while i < len(source) and source[i].isdigit():
                i += 1
            tokens.append(("number", source[start:i]))
        else:
            tokens.append(("op", c))
            i += 1
    return tokens


class Parser:
    """Sums, products and brackets by recursive descent, the value and where it ends."""

    def __init__(self, text):
        self.text = text
        self.pos = 0

    def peek(self):
        return self.text[self.pos] if self.pos < len(self.text) else ""

    def number(self):
        start = self.pos
        while self.peek().isdigit():
            self.pos += 1
        return int(self.text[start : self.pos])


@program("text", lambda: ("12+34+5" + "+1" * 40,), lambda: ("7",))
def sums_by_a_class(text):
    parser = Parser(text)
    total = parser.number()
    while parser.peek() == "+":
        parser.pos += 1
        total += parser.number()
    return total, parser.pos


@program("text", lambda: ("(1+2)*3-(4-(5*6))+" + "2*" * 30 + "1",), lambda: ("2*(3+4)",))
def shunting_yard(text):
    precedence = {"+": 1, "-": 1, "*": 2}
    values = []
    operators = []
    number = ""
    for c in text + "$":
        if c.isdigit():
            number += c
            continue
        if number:
            values.append(int(number))
            number = ""
        if c == "(":
            operators.append(c)
            continue
        rank = precedence.get(c, 0)
        while operators and operators[-1] != "(" and precedence[operators[-1]] >= rank:
            op = operators.pop()
            b = values.pop()
            a = values.pop()
            values.append(a + b if op == "+" else a - b if op == "-" else a * b)
        if c == ")":
            operators.pop()
        elif c != "$":
            operators.append(c)
    return values[0]


@program(
    "text exception checks",
    lambda: ("1,22,-3,+4, 5 ," + "6," * 30 + "7",),
    lambda: ("1,2,x",),
    lambda: ("1,,2",),
)
def comma_separated(line):
    numbers = [int(part) for part in line.split(",")]
    return sum(numbers), max(numbers), len(numbers)


@program("text", lambda: ("babadracecarxyz" * 5,), lambda: ("cbbd",))
def longest_palindrome(s):
    start, best = 0, 0
    for center in range(len(s)):
        for lo, hi in ((center, center), (center, center + 1)):
            while lo >= 0 and hi < len(s) and s[lo] == s[hi]:
                lo -= 1
                hi += 1
            if hi - lo - 1 > best:
                best = hi - lo - 1
                start = lo + 1
    return s[start : start + best]


@program("text", lambda: ("abcabcbbpwwkew" * 5,), lambda: ("",), lambda: ("dvdf",))
def longest_without_repeating(s):
    last = {}
    start = best = 0
    for i, c in enumerate(s):
        if c in last and last[c] >= start:
            start = last[c] + 1
        last[c] = i
        best = max(best, i - start + 1)
    return best


@program("text", lambda: ("kitten" * 12, "sitting" * 11), lambda: ("", "abc"))
def edit_distance(a, b):
    previous = np.arange(len(b) + 1)
    for i, x in enumerate(a):
        current = previous.copy()
        current[0] = i + 1
        for j, y in enumerate(b):
            cost = 0 if x == y else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous = current
    return int(previous[len(b)])


@program("text", lambda: (POEM,), lambda: ("hello world",))
def pig_latin(text):
    out = []
    for word in text.lower().split():
        if word[0] in "aeiou":
            out.append(word + "way")
        else:
            out.append(word[1:] + word[0] + "ay")
    return " ".join(out)


@program("text", lambda: (POEM,), lambda: ("a",), lambda: ("  two  words ",))
def reversed_words(s):
    return " ".join(s.split()[::-1]), " ".join(w[::-1] for w in s.split(" ")), s.title()


@program("text", lambda: ("2-4,6-8\n2-3,4-5\n5-7,7-9\n2-8,3-7\n6-6,4-6\n2-6,4-8\n" * 2,))
def ranges_that_contain_others(data):
    count = 0
    for line in data.splitlines():
        left, right = line.split(",")
        a, b = map(int, left.split("-"))
        c, d = map(int, right.split("-"))
        if a <= c and b >= d or c <= a and d >= b:
            count += 1
    return count


@program("text prints", lambda: (POEM,), lambda: ("one two",))
def printed(s):
    for c in s:
        print(c, end="-")
        if c == " ":
            break
    print()
    print(s, len(s), [s[:3], s[3:6]], {"k": s[:2]}, f"{s[:4]!r:>8}")


@program("text exception", lambda: (POEM,), lambda: ("much longer, " * 20,))
def asserted(s):
    assert len(s) > 200, s[:5] + "!"
    table = {"much": 1}
    return table[s.split()[1]]


@program("text", lambda: ("The quick brown fox jumps over the lazy dog and runs away", 15))
def wrapped(text, width):
    lines, line, used = [], [], 0
    for word in text.split():
        if used + len(word) + len(line) > width:
            lines.append(" ".join(line))
            line, used = [], 0
        line.append(word)
        used += len(word)
    if line:
        lines.append(" ".join(line))
    return lines, max(map(len, lines))


@program("text", lambda: (np.array([3, -4]), 2), lambda: (np.array([-3, 4]), -2))
def shown_as_they_are(a, n):
    n_ = f"{n!r} up" if n > 0 else f"{n > 5!r}"
    x = f"{a[0]!r} up" if a[0] > 0 else "none"
    return n_, n_[0], x


READINGS = [1.0, -2.0, 3.0, -4.5, 5.0, 0.0, 3.0]


@program("text", lambda: (READINGS,), lambda: (READINGS[::-1],), lambda: ([-1.0] * 6,))
def floats_shown_in_a_list(xs):
    shown = [f"{x:.2f}" for x in xs if x > 0]
    log = []
    for i, x in enumerate(xs):
        if x < 0:
            log.append(f"{i}: {x:6.1f}")
        elif x > 2:
            log.append("large")
    rows = [(f"{x!r}", i) for i, x in enumerate(xs) if x]
    return shown, log, ", ".join(shown), f"<{' '.join(log)}>", rows, shown[1:] + ["end"], len(log)


@program("text", lambda: (READINGS,), lambda: ([3.0, 1.0, 1.0, 2.0, 1.0],))
def floats_looked_for_as_texts(xs):
    names = ["high" if x > 2 else "1.0" for x in xs if x > 0]
    digits = [str(int(x)) for x in xs if x > 0]
    shown = [f"{x:.2f}" for x in xs if x > 0]
    wanted = f"{xs[0]:.1f}", f"{xs[0]:.0f}"
    return wanted[0] in names, wanted[1] in digits, names.count(wanted[0]), "3.00" in shown[:0]


@program("text", lambda: (READINGS,))
def floats_as_texts_are_changed(xs):
    shown = [f"{x:.2f}" for x in xs if x > 0]
    shown[0] = "first"
    shown.insert(1, "second")
    shown.extend([f"{x}" for x in xs if x < 0])
    shown.reverse()
    last = shown.pop()
    return shown, "\n".join(shown), str(shown), last, {f"{x:.1f}": i for i, x in enumerate(xs)}


@program("text", lambda: (3,), lambda: (0,))
def repeated_as_often_as_known(n):
    texts = "ab" * (n - n + 2), "ab" * (n - n), n * b"xy"
    return texts, texts[0] == "abab", texts[1] == "", len(texts[2])


@program(
    "strings exceptions",
    lambda: (np.array([[3, 10], [-12345, 1]]), "ab", "*"),
    lambda: (np.array([[-7, 5]]), "-", "--"),
)
def widths_of_data(m, s, fill):
    widest = len(str(m.max())) + 2
    cells = [
        str(v).rjust(widest, ".") + str(v).ljust(widest) + str(v).zfill(widest) for v in m.flat
    ]
    known = [(s.center(v, "x"), "-7".zfill(v), "".ljust(v), s.center(widest + v % 3)) for v in m[0]]
    try:
        return cells, known, s.rjust(widest, fill)
    except TypeError as e:
        return cells, known, str(e)


@program("strings", lambda: (1,), lambda: (7,))
def a_triangle_in_the_middle(n):
    rows = [[1]]
    while len(rows) < n:
        rows.append([a + b for a, b in zip([0, *rows[-1]], [*rows[-1], 0])])
    width = len(" ".join(map(str, rows[-1])))
    return [" ".join(map(str, row)).center(width) for row in rows]


class Named:
    def __init__(self, x, tags):
        self.x = x
        self.tags = tags


@program("format", lambda: (1.5, {"a": 2, "b": [3, 4]}), lambda: (-2.0, {"a": 7, "b": [1, 2]}))
def fields_of_fields(x, d):
    named = Named(x, [1, "b"])
    template = "{0.x:.1f} {0.tags[1]} {p.x!r} {1[a]} {1[b][1]}"
    inside = template.format(named, d, p=Named(2.0, []))
    wide = "{:{}}|{:{w}.{p}f}|{:>{}}|{{}}".format(x, 8, x, "a", 5, w=9, p=2)
    missing = []
    for template in ("{0[q]}", "{1[5]}", "{2.y}", "{9}", "{z}", "{} {0}", "{0:{1:{2}}}"):
        try:
            missing.append(template.format(d, d["b"], named))
        except (LookupError, AttributeError, ValueError) as e:
            missing.append(str(e))
    return inside, wide, missing


@program("bools as indices", lambda: (True, 3), lambda: (False, 4))
def by_bools(alive, n):
    for _ in range(n):
        alive = not alive
    row = ["x", "y"]
    row[alive] = "z"
    return ".#"[alive], ("no", 1.5)[alive], range(4, 8)[alive], row


PAIR, GAP = "{}{}", "-%s"


@program(
    "text lists",
    lambda: ([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 2], [0, 1, 0]], "ACAC", "CA"),
    lambda: ([[0, 0, 0], [0, 3, 1], [0, 1, 0], [0, 0, 2], [0, 1, 0]], "ACAC", "CA"),
)
def aligned_from_the_largest_score(score, query, subject):
    """Texts that a loop writes at their fronts, by f-strings and by sums."""
    largest, i, j = float("-inf"), 0, 0
    for row, values in enumerate(score):
        for column, value in enumerate(values):
            if value > largest:
                largest, i, j = value, row, column
    above, below = "", ""
    while i > 0 and j > 0:
        if score[i][j] == score[i - 1][j - 1] + (1 if query[i - 1] == subject[j - 1] else -1):
            above, below = query[i - 1] + above, subject[j - 1] + below
            i, j = i - 1, j - 1
        elif score[i][j] == score[i - 1][j] - 2:
            above, below = PAIR.format(query[i - 1], above), f"-{below}"
            i -= 1
        else:
            above, below = GAP % above, subject[j - 1] + below
            j -= 1
    return f"{above}\n{below}"


@program(
    "lines of texts of many characters",
    *[lambda text=text: (text,) for text in ("a\nb\r\nc\r\rd\n\ne\x0bf\x1cg\n" * 5, "\r\n" * 40)],
    *[
        lambda text=text: (text,)
        for text in ("\r\n\n\r" * 30 + "x", "x" * 70, "\u00e9\u2028b\x85" * 40)
    ],
)
def lines_of_many_kinds(text):
    ends = text.splitlines(True)
    return (
        text.splitlines(),
        ends,
        [len(line.split("b")) for line in text.split("\n")],
        text.split(),
    )
