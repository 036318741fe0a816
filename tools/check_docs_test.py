"""Tests of check_docs.py with a small tree of its own."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_docs

FILES = {
    "dev": """cmd_help() {
  cat <<'EOF'
./dev bench SCENES --json OUT      drivers
./dev check [--fast]
                                   [--slow]  checks
./dev run [OPTIONS]                the daemon
./dev cli ARGUMENTS                the command
EOF
}
cmd_bench() {
  exec python3 "$root/benchmarks/run.py" "$@"
}
cmd_check() { tools/check.sh; }
cmd_run() { true; }
cmd_cli() { true; }
""",
    "benchmarks/run.py": 'p.add_argument(\n    "-o", "--only", help="or --nothing")\n',
    "tools/check.sh": 'case $1 in\n  --deep | --deep=*) shift ;;\nesac\n',
    "client/cli/command_table.cc": """constexpr OptionSpec kOptions[] = {
    {"address", "HOST:PORT", "address"},
    {"times", "T", "times"},
    {"mask", "PATH", "prims"},
};
const Names kEverywhere = {"address"};
Names OptionsOfStages(const Names& more) {
  Names all = {"mask"};
}
const std::vector<CommandSpec>& Table() {
  static const auto* table = new std::vector<CommandSpec>{
      {"get", "ROOT", "print", 2, 2, OptionsOfStages({"times"})},
      {"stats", "", "print", 0, 0, {}},
  };
  return *table;
}
""",
    "server/config/daemon_flag_table.cc": 'Flag("max-calls", "calls")\n',
    "server/config/upstream_flags.cc": 'Flag("upstream", "daemons")\n',
    "server/metrics.cc": 'AddGauge("stagedoor_calls"); AddLru("stagedoor_cache", prefix + "_hits_total");\n',
    "server/rpc/fair_queue.h": "class FairQueue { int Take(); static constexpr int kMany = 3; };\n",
    "server/BUILD.bazel": 'cc_test(name = "server_test")\n',
    "docs/other.md": "# Other page\n\n## The `name` of [it](x)\n",
    "tools/check_docs_foreign.txt": "# OpenUSD's\nUsdThing\nSdf*\n",
}


def complaints(files, chosen=()):
    with tempfile.TemporaryDirectory() as root:
        for name, content in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(content)
        return list(check_docs.complaints(root, sorted(files), chosen))


class CheckDocsTest(unittest.TestCase):
    def found(self, text, path="docs/page.md"):
        """The complaints about a page, without its name."""
        return [line.replace(path + ":", "") for line in complaints({**FILES, path: text}, [path])]

    def test_what_exists_passes(self):
        self.assertEqual(self.found("""# Page
[other](other.md#other-page), [it](other.md#the-name-of-it), [self](#page), [folder](../server), [web](https://example.org/x.md)
`server/rpc`, `server/rpc/fair_queue`, `fair_queue.h`, `server/*.cc`, `benchmarks/r*.py`, `server/NAME/fair_queue.h`, `FairQueue::Take`, `kMany`
`--max-calls`, `--times T`, `STAGEDOOR_MAX_CALLS`, `stagedoor_calls`, `stagedoor_calls_bucket`, `stagedoor_cache_hits_total`
`//server:server_test`, `//server/...`, `UsdThing`, `SdfLayer`, `words in a row`, `lower`

    ./dev bench SCENES --only x --json OUT | less
    ./dev check --fast --slow --deep=3
    ./dev run --max-calls 3
    X=1 stagedoor get shot.usda --times 1 --mask /A && ./dev cli stats --address :1
    benchmarks/run.py --only x
"""), [])

    def test_links_and_headings(self):
        self.assertEqual(self.found("a [x](none.md)\n[x](other.md#none) [x](#none)"),
                         ["1: the link leads to docs/none.md, which does not exist", "2: docs/other.md has no heading #none",
                          "2: docs/page.md has no heading #none"])

    def test_paths_names_and_targets(self):
        for span, complaint in {
                "server/none.cc": "server/none.cc does not exist",
                "server/rpc/fair_queue.{h,cc}": "server/rpc/fair_queue.{h,cc} does not exist",
                "server/NAME/NAME_list.h": "server/NAME/NAME_list.h does not exist",
                "none.cc": "no file is named none.cc",
                "//server:none": "the target //server:none does not exist",
                "//none/...": "the target //none/... does not exist"}.items():
            self.assertEqual(self.found("see `%s`" % span), ["1: " + complaint])
        self.assertEqual(self.found("```\ncat server/none.cc\n```"), ["2: server/none.cc does not exist"])

    def test_commands_and_their_flags(self):
        for command, complaint in {
                "./dev none": "./dev has no command none",
                "./dev bench X --none": "./dev bench has no flag --none",
                "./dev bench X --nothing": "./dev bench has no flag --nothing",
                "./dev check --only x": "./dev check has no flag --only",
                "./dev run --none": "stagedoord has no flag --none",
                "stagedoord --times 3": "stagedoord has no flag --times",
                "stagedoor none": "stagedoor has no command none",
                "./dev cli stats --times 3": "stagedoor stats has no flag --times",
                "stagedoor stats --mask /A": "stagedoor stats has no flag --mask",
                "bazel test //server:none": "the target //server:none does not exist",
                "benchmarks/run.py --none": "benchmarks/run.py has no flag --none"}.items():
            self.assertEqual(self.found("see `%s`" % command), ["1: " + complaint])
            self.assertEqual(self.found("see\n\n    $ %s" % command), ["3: " + complaint])
        self.assertEqual(self.found("`--none`"), ["1: no program of this repository has the flag --none"])

    def test_names_in_sources(self):
        for name, missing in {
                "StaleQueue": "StaleQueue", "FairQueue::Gone": "Gone", "Gone": "Gone", "Gone()": "Gone", "kFew": "kFew",
                "NO_SUCH_REASON": "NO_SUCH_REASON", "STAGEDOOR_NONE": "STAGEDOOR_NONE", "stagedoor_none": "stagedoor_none",
                "stagedoor_cache_misses_total": "stagedoor_cache_misses_total"}.items():
            self.assertEqual(self.found("the `%s`" % name), ["1: no source has " + missing])
        self.assertEqual(self.found("```\nrate(stagedoor_none[5m])\n```"), ["2: no source has stagedoor_none"])

    def test_decisions_may_name_what_is_gone(self):
        self.assertEqual(self.found("`StaleQueue` in `server/none.cc`, [x](none.md)", "docs/decisions/one.md"),
                         ["1: the link leads to docs/decisions/none.md, which does not exist"])
        self.assertEqual(self.found("`StaleQueue`", "CHANGELOG.md"), [])

    def test_the_help_of_dev_lists_each_command_once(self):
        dev = FILES["dev"].replace("./dev run [", "./dev gone\n./dev bench again\n./dev walk [")
        self.assertEqual(complaints({"dev": dev}),
                         ["dev: ./dev help lists the command bench 2 times", "dev: ./dev help lists gone, which is not a command",
                          "dev: ./dev help lists the command run 0 times", "dev: ./dev help lists walk, which is not a command"])

    def test_names_that_nothing_needs_are_reported(self):
        self.assertEqual(complaints({"a.md": "`SdfLayer`\n", "tools/check_docs_foreign.txt": "UsdThing\nSdf*\n"}),
                         ["tools/check_docs_foreign.txt: the documentation does not need UsdThing"])


if __name__ == "__main__":
    unittest.main()
