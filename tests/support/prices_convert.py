"""Makes src/core/prices.tsv out of three published price tables.  The build does not need it: it shows where each
figure comes from, and makes the table anew when a source has a newer version.

    python3 tests/support/prices_convert.py GENAI_PRICES.json MODELS_DEV.json LITELLM.json > src/core/prices.tsv

Each model is taken from the first source that has it.  Figures are carried as decimal text from end to end; none is
computed from another, except that a price per token is told per million.
"""
import json
import re
import sys
from decimal import Decimal

GENAI = ("genai-prices 0.1.8", "2026-09-23")
MODELS_DEV = ("models.dev in pi-ai 0.73.1", "2026-05-08")
LITELLM = ("LiteLLM in tokencost e7f7c19", "2025-09-05")

RATES = ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"]
COLUMNS = (["model", "from"] + RATES + ["above_tokens"] + ["above_" + rate for rate in RATES]
           + ["cache_min_tokens", "source", "source_date", "aliases"])

# Makers of models, the ones whose name is used first when two sell under one name: their names in the three sources.
MAKERS = [
    ("anthropic", ["anthropic"], ["anthropic"]),
    ("openai", ["openai"], ["openai", "text-completion-openai"]),
    ("google", ["google"], ["gemini"]),
    ("x-ai", ["xai"], ["xai"]),
    ("deepseek", ["deepseek"], ["deepseek"]),
    ("mistral", ["mistral"], ["mistral"]),
    ("cohere", [], ["cohere", "cohere_chat"]),
    ("moonshotai", ["moonshotai"], ["moonshot"]),
    ("zai", ["zai"], []),
    ("zhipuai", [], []),
    ("minimax", ["minimax"], []),
    ("arcee", [], []),
    ("xiaomi", ["xiaomi"], []),
    ("ai21", [], ["ai21"]),
]
# A reseller whose names with dots (claude-sonnet-4.5) are in wide use; only its names are taken.
DOTTED_NAMES = "github-copilot"

GENAI_RATES = {"input_mtok": "input", "output_mtok": "output", "cache_read_mtok": "cache_read",
               "cache_write_mtok": "cache_write_5m", "cache_write_1h_mtok": "cache_write_1h"}
# Charges that a bill of tokens would leave out.
UNCOUNTED = {"requests_kcount", "input_text_messages_kcount", "output_reasoning_mtok", "output_citation_mtok"}
MODELS_DEV_RATES = {"input": "input", "output": "output", "cacheRead": "cache_read", "cacheWrite": "cache_write_5m"}
LITELLM_RATES = {"input": ["input_cost_per_token"], "output": ["output_cost_per_token"],
                 "cache_read": ["cache_read_input_token_cost", "input_cost_per_token_cache_hit"],
                 "cache_write_5m": ["cache_creation_input_token_cost"]}

# The smallest prefix that is cached, from platform.claude.com (prompt-caching), developers.openai.com (prompt-caching)
# and ai.google.dev (caching), read in 2026-11.  claude-opus-5, claude-fable-5, claude-haiku-3-5 and claude-haiku-3 are
# told by secondary pages only.  OpenAI has one figure for all models that cache: see cache_minimum.
CACHE_MINIMUM = {
    "claude-opus-5": 512, "claude-fable-5": 512, "claude-opus-4-8": 1024, "claude-sonnet-5": 1024,
    "claude-sonnet-4-6": 1024, "claude-sonnet-4-5": 1024, "claude-sonnet-4-0": 1024, "claude-3-7-sonnet-latest": 1024,
    "claude-opus-4-1": 1024, "claude-opus-4-0": 1024, "claude-opus-4-7": 2048, "claude-opus-4-6": 4096,
    "claude-opus-4-5": 4096, "claude-haiku-4-5": 4096, "claude-3-5-haiku-latest": 2048, "claude-3-haiku": 2048,
    "gemini-2.5-flash": 1024, "gemini-2.5-pro": 4096, "gemini-3-flash-preview": 1024, "gemini-3-pro-preview": 4096,
}
OPENAI_CACHE_MINIMUM = 1024

HEADER = """\
# List prices of models: USD per million tokens, exact decimals; an empty cell is a price that is not known.
# Made by tests/support/prices_convert.py; cmake/prices.cmake turns it into a C table when the program is built.
#
# A row holds from its date on, until the next row of its model; without a date it has always held.  A request whose
# context is larger than above_tokens is priced whole by the above_* cells, an empty one of which means the cell without
# above_.  cache_min_tokens is the smallest prefix that is cached.  A row with no prices at all marks the day from which
# the model has none that this table can tell.
#
# Sources, in this order of preference; each is under the MIT licence:
#   genai-prices 0.1.8            npm @pydantic/genai-prices, data of 2026-09-23
#   models.dev in pi-ai 0.73.1    npm @mariozechner/pi-ai of 2026-05-08, generated from models.dev and OpenRouter
#   LiteLLM in tokencost e7f7c19  model_prices.json in AgentOps-AI/tokencost, commit
#                                 e7f7c1928084af55bb4955102327982401ed8649 of 2025-09-05, a copy of BerriAI/litellm's
#                                 model_prices_and_context_window.json (both projects MIT)
# Only what the makers of models charge themselves; resellers are left out.  cache_min_tokens is from the makers' pages
# on prompt caching, read in 2026-11 (claude-opus-5, claude-fable-5, claude-3-5-haiku and claude-3-haiku from secondary
# pages); OpenAI's 1024 stands at every OpenAI model that has a price for cache reads.
# The two other sources say 0 for a cache price that does not exist: such a cell is empty here.  Perplexity's models,
# which charge for each request too, are left out.
# Aliases are the other names that genai-prices gives its prices to: the ones that it lists, and names in the two other
# sources that its rules match; not a name whose base price in models.dev is another, which has a row of its own.
#
# Known disagreements:
#   claude-3-sonnet      a cache write is 3.75 in genai-prices (used), 0.3 in models.dev.
#   deepseek-chat        LiteLLM has 0.14 / 0.014 / 0.28 (input, cache read, output) as deepseek-chat and 0.27 / 0.07 /
#                        1.10 as deepseek/deepseek-chat; genai-prices has prices by the time of day, 0.27 / 0.07 / 1.10
#                        in its daytime.  The second LiteLLM figure is used; bills have shown 0.28 / 0.028 / 0.42.
#   claude-sonnet-4-6    the smallest cached prefix is documented as 1024 (used); users report 2048.
#   claude-opus-4-7      the smallest cached prefix is 2048 at its maker (used) and 4096 at a reseller.
#   cache reads          are not a tenth of the input price everywhere: claude-fable-5-1 has a 40th, claude-opus-5-5 a
#                        20th, and models of OpenAI a half, a quarter or a tenth.
#   one-hour writes are told by genai-prices only, long contexts hardly by the others.
"""


def decimal_text(number):
    """Plain digits without a trailing zero; None when it has more than six decimals."""
    if number != round(number, 6):
        return None
    text = format(number, "f")
    return (text.rstrip("0").rstrip(".") or "0") if "." in text else text


class Table:
    def __init__(self):
        self.rows = {}      # model -> list of rows
        self.maker = {}     # model -> maker
        self.aliases = {}   # model -> set of names
        self.left_out = []  # (name, why)
        self.disputes = []  # (name, source, figures there)
        self.taken = {}     # name in lower case, or as it is -> model

    def refuse(self, name, why):
        self.left_out.append((name, why))

    def add(self, maker, model, rows):
        for row in rows:
            for key, value in row.items():
                if isinstance(value, Decimal):
                    row[key] = decimal_text(value)
                    if row[key] is None:
                        self.taken[model] = None
                        self.refuse(model, "a price has more than six decimals")
                        return
        self.rows[model], self.maker[model], self.aliases[model] = rows, maker, set()
        self.taken[model] = model

    def add_alias(self, model, name):
        if model in self.rows and name not in self.taken:
            self.taken[name] = model
            self.aliases[model].add(name)


def matches(rule, name):
    (kind, what), = rule.items()
    if kind == "or":
        return any(matches(one, name) for one in what)
    if kind == "and":
        return all(matches(one, name) for one in what)
    what = what.lower() if kind != "regex" else what
    return {"equals": lambda: name == what, "starts_with": lambda: name.startswith(what),
            "ends_with": lambda: name.endswith(what), "contains": lambda: what in name,
            "regex": lambda: re.search(what, name) is not None}[kind]()


def equal_names(rule):
    (kind, what), = rule.items()
    return [what] if kind == "equals" else [n for one in what for n in equal_names(one)] if kind == "or" else []


def plain(name):
    return re.fullmatch(r"[A-Za-z0-9._-]*[A-Za-z0-9]", name) is not None


def genai_row(prices, since):
    """One row; None when it has more than one tier."""
    row, starts = {"from": since}, set()
    for key, rate in GENAI_RATES.items():
        price = prices.get(key)
        if isinstance(price, dict):
            if len(price["tiers"]) != 1:
                return None
            starts.add(price["tiers"][0]["start"])
            row["above_" + rate] = Decimal(price["tiers"][0]["price"])
            price = price["base"]
        if price is not None:
            row[rate] = Decimal(price)
    if len(starts) > 1:
        return None
    if starts:
        row["above_tokens"] = str(starts.pop())
    return row


def genai_rows(table, model):
    """The rows of a model, or None with the reason told to the table."""
    entries = model["prices"] if isinstance(model["prices"], list) else [{"prices": model["prices"]}]
    entries = [{"since": "", **e} if "constraint" not in e else
               {"since": e["constraint"].get("start_date"), **e} for e in entries]
    dated = [e for e in entries if e["since"] is not None]
    if len(dated) < len(entries):  # the last day-dated entry is one among several times of day
        since = dated.pop()["since"]
        if not dated:
            table.refuse(model["id"], "its price in genai-prices depends on the time of day")
            return None
        dated.append({"since": since, "prices": {}, "times": True})
        table.refuse(model["id"] + " from " + since, "its price depends on the time of day: a row without prices")
    for entry in dated:
        prices = entry["prices"]
        if "times" not in entry and not ("input_mtok" in prices and "output_mtok" in prices):
            return None  # speech, pictures, pages, vectors, or nothing
        if UNCOUNTED & set(prices):
            table.refuse(model["id"], "it also charges for requests or for parts of the output")
            return None
    rows = [genai_row(entry["prices"], entry["since"]) for entry in dated]
    if None in rows:
        table.refuse(model["id"], "it has more than one tier of context")
        return None
    return rows


def figures(row):
    return [row.get(rate) for rate in ("input", "cache_read", "cache_write_5m", "output")]


def agrees(row, rows):
    """Whether one of the rows has the same figures as far as both tell one."""
    return any(all(a is None or b is None or a == b for a, b in zip(figures(row), figures(other))) for other in rows)


def same_base(row, rows):
    return any(row["input"] == other.get("input") and row["output"] == other.get("output") for other in rows)


def finder_of(models):
    """The model whose rule matches a name; the first one wins."""
    return lambda name: next((m["id"] for m in models if matches(m["match"], name.lower())), None)


def add_genai(table, providers):
    """Returns maker -> function that finds the genai model of a name (also of models that were refused)."""
    finders = {}
    for maker, _, _ in MAKERS:
        models = providers.get(maker, {"models": []})["models"]
        models = [m for m in models if not (maker == "google" and m["id"].startswith("claude"))]
        for model in models:
            if plain(model["id"]) and model["id"] not in table.taken:
                rows = genai_rows(table, model)
                if rows:
                    table.add(maker, model["id"], rows)
        finders[maker] = finder_of(models)
        for model in models:
            for name in equal_names(model["match"]):
                if plain(name) and finders[maker](name) == model["id"]:
                    table.add_alias(model["id"], name)
        for row in (row for model in models for row in table.rows.get(model["id"], [])):
            row["source"], row["source_date"] = GENAI
    return finders


def models_dev_row(cost):
    """None for what a subscription pays or nobody does."""
    row = {rate: Decimal(cost[key]) for key, rate in MODELS_DEV_RATES.items() if cost.get(key)}
    return row if "input" in row and "output" in row else None


def litellm_row(model):
    row = {"from": ""}
    for rate, keys in LITELLM_RATES.items():
        value = next((Decimal(model[key]) * 1000000 for key in keys if model.get(key)), None)
        if value is not None:
            row[rate] = value
    for threshold in ("128", "200"):
        for rate, keys in LITELLM_RATES.items():
            value = model.get(f"{keys[0]}_above_{threshold}k_tokens")
            if value:
                row["above_tokens"] = threshold + "000"
                row["above_" + rate] = Decimal(value) * 1000000
    return row if "input" in row and "output" in row else None


def litellm_models(models, providers):
    """Name without its provider -> row.  The name with the provider wins: deepseek/deepseek-chat is the newer one."""
    found = {}
    for key, model in sorted(models.items(), key=lambda item: "/" in item[0]):
        if model["litellm_provider"] in providers and key.count("/") <= 1:
            found[key.split("/")[-1]] = model
    return found


def in_text(row):
    return {key: decimal_text(value) if isinstance(value, Decimal) else value for key, value in row.items()}


def add_others(table, finders, catalogue, make_row, source):
    """Rows of models that no earlier source has, and aliases of those that one has.  A name of models.dev whose base
    price differs gets its own row, since that source is about as new; LiteLLM's is older, so genai-prices wins."""
    for maker, _, _ in MAKERS:
        for name, model in sorted(catalogue[maker].items()):
            row, covered = make_row(model), finders[maker](name)
            covered = table.taken.get(name) or (covered if covered in table.rows else None)
            if not plain(name):
                continue
            if row is None:
                if name not in table.taken:
                    table.refuse(name, f"no price in {source[0]}" + (f", another than {covered}'s" if covered else ""))
                    table.taken[name] = None
                continue
            if covered and not agrees(in_text(row), table.rows[covered]):
                table.disputes.append((name, source[0], in_text(row)))
            if covered and (name in table.taken or source is LITELLM or same_base(in_text(row), table.rows[covered])):
                table.add_alias(covered, name)
            elif name not in table.taken:
                row["source"], row["source_date"] = source
                table.add(maker, name, [row])


def cache_minimum(maker, model, row):
    if maker == "openai":
        return str(OPENAI_CACHE_MINIMUM) if "cache_read" in row else ""
    return str(CACHE_MINIMUM[model]) if model in CACHE_MINIMUM else ""


def print_comments(table):
    print(HEADER + "#")
    print("# Where an older source differs from genai-prices, as input / cache read / 5-minute write / output:")
    for name, source, row in sorted(table.disputes, key=lambda one: one[:2]):
        print(f"#   {name}: {' / '.join(figure or '-' for figure in figures(row))} in {source}")
    print("#\n# Left out:")
    for name, why in sorted(set(table.left_out)):
        print(f"#   {name}: {why}")


def print_table(table):
    print_comments(table)
    print("#\n# " + "\t".join(COLUMNS))
    for model in sorted(table.rows):
        for row in table.rows[model]:
            cells = {"from": "", **row, "model": model, "aliases": " ".join(sorted(table.aliases[model])),
                     "cache_min_tokens": cache_minimum(table.maker[model], model, row)}
            print("\t".join(cells.get(column, "") for column in COLUMNS))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


def main():
    genai, models_dev, litellm = (load(path) for path in sys.argv[1:4])
    providers = {provider["id"]: provider for provider in genai["providers"]}
    dev = {maker: {name: model for p in names for name, model in models_dev["providers"].get(p, {}).items()}
           for maker, names, _ in MAKERS}
    lite = {maker: litellm_models(litellm["models"], names) for maker, _, names in MAKERS}
    table = Table()
    finders = add_genai(table, providers)
    add_others(table, finders, dev, lambda model: models_dev_row(model["cost"]), MODELS_DEV)
    add_others(table, finders, lite, litellm_row, LITELLM)
    for maker, name in ((maker, name) for maker, _, _ in MAKERS for name in models_dev["providers"][DOTTED_NAMES]):
        if name not in table.taken and finders[maker](name):
            table.add_alias(finders[maker](name), name)
    print_table(table)


if __name__ == "__main__":
    main()
