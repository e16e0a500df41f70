# Writes requests to an endpoint of GraphQL, a JSON object on each line: graphql_requests.py COUNT SEED.
#
# "body" (base64) or "url" (the query of a GET) is the request; "may" lists what some service could execute, as "mutation deleteRef": by
# every reading of its JSON that there is among parsers, with graphql-core's reading of the document. "must" is the same of a request that
# every service reads in one way, and else null.
import base64, itertools, json, random, re, sys, urllib.parse
from graphql import GraphQLError, parse
from graphql.language import FieldNode, FragmentDefinitionNode, FragmentSpreadNode, Lexer, OperationDefinitionNode, Source, TokenKind

count, chance = int(sys.argv[1]), random.Random(int(sys.argv[2]))
one = lambda *items: chance.choice(items)
often = lambda share: chance.random() < share

READS = ["viewer", "repository", "node", "search", "__typename", "mutation", "on", "query"]
WRITES = ["createIssue", "deleteRef", "closeIssue", "updateUser", "subscription", "fragment"]
NAMES = ["A", "B", "a", "Query", "mutation", "query", "on"]
MEMBERS = ["operationName", "variables", "extensions", "query"]


# Documents.
def blank():
    usual = ["", "", "", " ", ",", "\n", "\t", "\r\n", "\ufeff", "\r", "#c\n", "#}mutation{deleteRef}\n", '#"\n', '#"""\n', "#{\r\n"]
    return one("#x\r", "#\u2028", "#}\u2029", "#\r}", "\u00a0", "\v", "\u200b") if often(0.002) else one(*usual)


def join(*tokens):
    # Names and numbers need something between them.
    text = ""
    for token in tokens:
        gap = blank()
        if text and token and re.match(r"[\w.-]", token) and re.search(r"[\w.]$", text) and not re.search(r"[\s,]$", gap):
            gap += " "
        text += gap + token
    return text


def string():
    inner = one("", "}", "{", "}mutation{deleteRef}", "#", "\\\"", "\\\\", "\\u007d", "é", "(", ")", "\ufeff", "\u2028", "'", "x")
    if often(0.3):
        return '"""' + one(inner, '\n}\n', '\\"""', '""x', " \" ", '"" ', "\r", '\\"""}#') + one("", " ", "\n") + '"""'
    if often(0.003):
        return one('"', '"\n"', '"\\x"', '"\\"', '"""', '"\\u12"')
    return '"' + inner + '"'


def value(depth=0):
    if depth < 3 and often(0.3):
        inner = [value(depth + 1) for _ in range(chance.randint(0, 3))]
        if often(0.5):
            return join("[", *inner, "]")
        return join("{", *itertools.chain(*(["k", ":", item] for item in inner)), "}")
    return one(string(), string(), "1", "-0", "1.5e3", "true", "null", "ENUM", "$v", one("01", "1x", "-", "0x1", "1.") if often(0.004) else "2")


def arguments(share):
    if not often(share):
        return []
    return ["("] + list(itertools.chain(*(["k", ":", value()] for _ in range(chance.randint(1, 2))))) + [")"]


def directives():
    return ["@", one("skip", "include", "on")] + arguments(0.7) if often(0.15) else []


def selection(fields, fragments, depth=0):
    tokens = ["{"]
    for _ in range(chance.randint(1, 3)):
        kind = chance.random()
        if kind < 0.12 and fragments:
            tokens += ["...", one(*fragments)] + directives()
        elif kind < 0.3 and depth < 4:
            tokens += ["..."] + one([], ["on", one("Query", "Mutation", "on")]) + directives() + selection(fields, fragments, depth + 1)
        else:
            alias = [one(*READS, *WRITES), ":"] if often(0.4) else []
            below = selection(READS + WRITES, fragments, depth + 1) if depth < 4 and often(0.4) else []
            tokens += alias + [one(*fields)] + arguments(0.4) + directives() + below
    return tokens + ["}"]


def document():
    fragments = [name for name in ["F", "G", "on" if often(0.01) else "H"] if often(0.5)]
    parts = []
    for _ in range(one(1, 1, 1, 2, 3)):
        kind = one("query", "query", "mutation", "subscription" if often(0.2) else "query")
        fields = WRITES if kind == "mutation" else READS
        if kind == "query" and often(0.3):
            parts.append(selection(fields, fragments))
            continue
        name = [one(*NAMES)] if often(0.7) else []
        variables = ["(", "$", "v", ":", "[", "Int", "!", "]", "=", value(), ")"] if often(0.3) else []
        parts.append([kind] + name + variables + directives() + selection(fields, fragments))
    for name in fragments + (["F"] if often(0.02) else []):
        if often(0.97):
            fields = READS + WRITES if often(0.5) else WRITES
            parts.append(["fragment", name, "on", one("Query", "Mutation")] + directives() + selection(fields, fragments))
    chance.shuffle(parts)
    text = join(*itertools.chain(*parts)) + blank()
    if often(0.02):
        depth = one(50, 150, 5000)
        text += "query Deep" + "{a" * depth + "}" * depth
    if often(0.1):
        place = chance.randrange(len(text) + 1)
        cut = place + one(0, 0, 1, 1, 3)
        text = text[:place] + one("", "", "{", "}", '"', "#", "\\", "...", "mutation", "MUTATION", "\0", ")", "\r", "type A{b:C}", '"d"') + text[cut:]
    return text


# Bodies.
def quote(text):
    quoted = json.dumps(text, ensure_ascii=often(0.5))
    return re.sub(r"[a-z{}]", lambda m: "\\u%04x" % ord(m[0]) if often(0.02) else m[0], quoted) if often(0.2) and "\\" not in quoted else quoted


def member(name, written):
    spelled = one(name, name, name, name.upper(), name.capitalize(), name + "\\u0000", name + " ", name.replace("e", "\\u0065", 1)) if often(0.06) else name
    return '"' + spelled + '"' + one("", " ") + ":" + one("", " ", "\n") + written


def body_request():
    text = document()
    names = re.findall(r"\b(?:query|mutation)\s+(\w+)", text)
    members = [member("query", quote(text) if often(0.99) else one("null", "1", '""', "[%s]" % quote(text)))]
    if often(0.45):
        chosen = one(*names, *names, *names, "A", "") if names else one("A", "")
        members.append(member("operationName", quote(chosen) if often(0.9) else one("null", "1", '["A"]')))
    if often(0.4):
        members.append(member("variables", one("{}", "null", '{"v":[1,{"query":"mutation{deleteRef}"}]}', '"{}"' if often(0.1) else "{}")))
    if often(0.15):
        members.append(member("extensions", one("null", "{}", '{"persistedQuery":{"version":1,"sha256Hash":"0"}}')))
    if often(0.05):
        members.append(member("query", quote(document())))
    if often(0.04):
        members.append(member("operationName", quote(one(*NAMES))))
    if often(0.03):
        members.append(member(one("id", "doc_id", "documentId", "operationname", "queryId"), quote("x")))
    if often(0.03):
        members = [m for m in members if not m.startswith('"query"')]
    chance.shuffle(members)
    return "{" + ("," + one("", " ")).join(members) + ("," if often(0.01) else "") + "}"


def body():
    text = body_request()
    if often(0.1):
        text = "[" + ",".join([text] + [body_request() for _ in range(chance.randint(0, 2))]) + "]"
    if often(0.08):
        text = one(
            "\ufeff" + text, text + body_request(), text + "\n" + body_request(), text + one("\0", "x", "}", " ", "\n"),
            "/*x*/" + text, text.replace('"', "'"), text.replace('"query"', "query"), "[" + text, text[:-1], "[" + text + "]",
            text.replace("\\n", "\n"), urllib.parse.urlencode({"query": document()}), text[:-1] + "/*" + text[1:] + "*/}")
    kind = chance.random()
    if kind < 0.005:
        return text.encode("utf-16")
    if kind < 0.01:
        return text.encode("utf-16-le")
    data = text.encode("utf-8", "replace")
    if kind < 0.02:
        place = chance.randrange(len(data) + 1)
        data = data[:place] + one(b"\xff", b"\xc0\xaf", b"\xc3", b"\xed\xa0\x80", b"\0") + data[place:]
    return data


def url():
    pairs = [("query", document())]
    if often(0.5):
        pairs.append(("operationName", one(*NAMES)))
    if often(0.3):
        pairs.append(("variables", one("{}", "1", '{"a":1}', '{},"query":"mutation{deleteRef}"')))
    if often(0.05):
        pairs.append((one("query", "Query", "query[]", "id"), document()))
    chance.shuffle(pairs)
    text = one("&", "&", "&", ";" if often(0.1) else "&").join(
        f"{name}={urllib.parse.quote(urllib.parse.quote(data) if often(0.02) else data, safe=one('', '{}:', '(){},'))}" for name, data in pairs)
    return text.replace("%20", "+") if often(0.5) else text


# What services could execute.
class Repeated(list):
    """The members of an object, repeated ones too."""


def find(value, name):
    """Every value that a parser could give for a member."""
    cut = lambda key: key.split("\0")[0].split("[")[0].strip().casefold()
    return [data for key, data in value if isinstance(key, str) and cut(key) == name.casefold()]


def texts(data):
    for encoding, errors in [("utf-8", "strict"), ("utf-8", "replace"), ("utf-8", "ignore"), ("latin-1", "strict"), ("utf-16", "ignore"), ("utf-16-le", "ignore")]:
        try:
            text = data.decode(encoding, errors).lstrip("\ufeff")
        except ValueError:
            continue
        yield text
        yield text.split("\0")[0]
        yield re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        yield text.replace("'", '"')
        yield re.sub(r"\b(?<!\")query(?=\s*:)", '"query"', text)
        yield re.sub(r",\s*([}\]])", r"\1", text)


def requests(data):
    """Each request that a parser could find."""
    decoder = json.JSONDecoder(object_pairs_hook=Repeated, strict=False)
    for text in dict.fromkeys(texts(data)):
        starts = [0] + [m.start() for m in re.finditer(r"[{\[]", text)][:3] + [m.end() for m in re.finditer(r"[}\n]", text)][-4:]
        for start in dict.fromkeys(starts):
            try:
                value, _ = decoder.raw_decode(text[start:].lstrip())
            except (ValueError, RecursionError):
                continue
            flat = [value] if isinstance(value, Repeated) else value if isinstance(value, list) else []
            # What is read from the middle on counts only where what comes before could be passed over.
            if start == 0 or text[:start].strip("[ \n/*x\ufeff\0") == "" or text[start - 1] in "}\n":
                yield from (item for item in flat if isinstance(item, Repeated))
        if text.startswith("query="):
            yield Repeated(urllib.parse.parse_qsl(text))


known = {}


def parsed(text):
    if text not in known:
        try:
            known[text] = parse(text, no_location=True).definitions
        except (GraphQLError, RecursionError):
            known[text] = None
    return known[text]


def fields(operation, definitions):
    fragments, found, seen, roots = {}, [], set(), [operation.selection_set]
    for definition in definitions:
        if isinstance(definition, FragmentDefinitionNode):
            fragments.setdefault(definition.name.value, []).append(definition)
    isWhole = True
    while roots:
        for item in roots.pop().selections:
            if isinstance(item, FieldNode):
                found.append(item.name.value)
            elif isinstance(item, FragmentSpreadNode):
                name = item.name.value
                isWhole = isWhole and len(fragments.get(name, [])) == 1
                if name not in seen:
                    seen.add(name)
                    roots += [definition.selection_set for definition in fragments.get(name, [])]
            else:
                roots.append(item.selection_set)
    return [f"{operation.operation.value} {name}" for name in dict.fromkeys(found)], isWhole


def executed(text, name):
    """What is executed by the rules of the specification, or could be where they make it an error; and whether they do not."""
    definitions = parsed(text)
    if definitions is None:
        return [], False
    operations = [item for item in definitions if isinstance(item, OperationDefinitionNode)]
    chosen = [item for item in operations if name is None or (item.name and item.name.value == name)]
    isClear = len(chosen) == 1 and len(operations) + len({item.name.value for item in definitions if isinstance(item, FragmentDefinitionNode)}) == len(definitions)
    isClear = isClear and not any(getattr(item, "description", None) for item in definitions)
    found = [fields(item, definitions) for item in chosen or operations]
    return list(itertools.chain(*(item[0] for item in found))), isClear and found[0][1] and bool(found[0][0])


def lenient(text):
    """A document as other readers' line ends, and those that end at NUL, have it."""
    yield text
    yield text.split("\0")[0]
    yield re.sub("[\u2028\u2029\u0085\v\f]", "\n", text)
    yield re.sub("\r(?!\n)", " ", text)


def may(found):
    acts = set()
    for request in found:
        names = [name for name in find(request, "operationName") if isinstance(name, str)] or [None]
        for text in [text for text in find(request, "query") if isinstance(text, str)]:
            for variant in dict.fromkeys(lenient(text)):
                for name in names:
                    acts.update(executed(variant, name or None)[0])
    return sorted(acts)


class Unclear(Exception):
    pass


def unrepeated(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Unclear
    return dict(pairs)


def refuse(text):
    raise Unclear


def has_odd_block(text):
    """Whether a block string has a quote or a backslash, which readers of 2016 see otherwise."""
    lexer = Lexer(Source(text))
    try:
        while lexer.advance().kind is not TokenKind.EOF:
            token = lexer.token
            if token.kind is TokenKind.BLOCK_STRING and re.search(r'["\\]', text[token.start + 3:token.end - 3]):
                return True
    except GraphQLError:
        pass
    return False


def must(data):
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=unrepeated, parse_constant=refuse)
    except (ValueError, RecursionError, Unclear):
        return None
    acts = []
    for request in value if isinstance(value, list) else [value]:
        if not isinstance(request, dict) or not set(request) <= set(MEMBERS) or not isinstance(request.get("query"), str):
            return None
        if any(not isinstance(request.get(name), (dict, type(None))) for name in ["variables", "extensions"]):
            return None
        text, name = request["query"], request.get("operationName")
        if "persistedQuery" in (request.get("extensions") or {}) or has_odd_block(text):
            return None
        if not isinstance(name, (str, type(None))) or re.search("#[^\n]*?(\r(?!\n)|[\u0085\u2028\u2029])|[\ud800-\udfff]|[\0-\x08\v\f\x0e-\x1f\x7f]", text) or text.count("{a{a{a") and text.count("{a") > 190:
            return None
        found, isClear = executed(text, name)
        if not isClear:
            return None
        acts += found
    return sorted(set(acts)) or None


for _ in range(count):
    if often(0.1):
        text = url()
        pairs = {}
        candidates = [Repeated((urllib.parse.unquote_plus(n), d) for n, d in (p.partition("=")[::2] for p in re.split(pattern, text)))
                      for pattern in ["&", "[&;]"]]
        found = [Repeated((n, decode(d)) for n, d in pairs) for pairs in candidates
                 for decode in [urllib.parse.unquote_plus, urllib.parse.unquote, lambda d: urllib.parse.unquote_plus(urllib.parse.unquote_plus(d))]]
        line = {"url": text, "may": may(found), "must": None}
    else:
        data = body()
        line = {"body": base64.b64encode(data).decode(), "may": may(requests(data)), "must": must(data)}
    print(json.dumps(line))
