// SPDX-License-Identifier: Apache-2.0
#include "session/html.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdlib>

#include "session/kept.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

bool hasPython() {
  return std::system("python3 -c 'import html.parser, xml.etree' 2>/dev/null") == 0;
}

}  // namespace

TEST_CASE("text on a page is text, whatever it holds") {
  CHECK(htmlText("a<b> & \"c\"") == "a&lt;b&gt; &amp; &quot;c&quot;");
  CHECK(htmlText("k\xC3\xA4se \xE2\x82\xAC \xF0\x9F\x98\x80") == "k\xC3\xA4se \xE2\x82\xAC \xF0\x9F\x98\x80");
  CHECK(htmlText("\x01\n\t") == " \n\t");
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(htmlText("\xFF") == bad);
  CHECK(htmlText("\xC0\xAF") == bad + bad);            // overlong
  CHECK(htmlText("\xED\xA0\x80") == bad + bad + bad);  // half a surrogate
  CHECK(htmlText("\xE2\x82") == bad + bad);            // cut off
  CHECK(htmlText("\xEF\xBF\xBF") == bad + bad + bad);  // no character of XML
}

TEST_CASE("a page has everything in itself, and two parsers of another program read it") {
  const TemporaryFolder folder;
  Run run = syntheticRun();
  run.note = "</p><script>alert(1)</script>\x01\xFF";
  const std::string page = runsHtml({std::make_shared<Run>(run), std::make_shared<Run>(syntheticRun())});
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("url(") == std::string::npos);
  CHECK(page.find("<link") == std::string::npos);
  CHECK_THAT(page, ContainsSubstring("the median iteration"));
  CHECK_THAT(page, ContainsSubstring("the slowest iteration"));
  if (!hasPython()) SKIP("there is no python3 here");
  writeText(folder / "page.html", page);
  writeText(folder / "read.py", R"(import html.parser, sys, xml.etree.ElementTree as tree
text = open(sys.argv[1], encoding="utf-8").read()
class Page(html.parser.HTMLParser):
    open, rows, cells, words = [], [], [], []
    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag == "tr": self.rows.append([])
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag): assert self.open.pop() == tag, tag
    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"): self.rows[-1].append(data)
        self.words.append(data)
page = Page()
page.feed(text)
page.close()
assert not page.open, page.open
assert any("RecordsLost" in cell for row in page.rows for cell in row)
assert any("</p><script>alert(1)</script>" in word for word in page.words)
root = tree.fromstring(text.split("\n", 1)[1])  # without the doctype
drawings = list(root.iter("{http://www.w3.org/2000/svg}svg"))
assert len(drawings) == 4, len(drawings)  # the median and the slowest of A, twice
for drawing in drawings:
    bars = {}
    for bar in drawing.iter("{http://www.w3.org/2000/svg}rect"):
        bars.setdefault(bar.get("class"), []).append((float(bar.get("x")), float(bar.get("width"))))
    assert len(bars["kernel"]) == 2 and len(bars["gap"]) == 1 and len(bars["busy"]) == 2, bars
    # Busy, gap and busy again stand beside each other.
    spans = sorted(bars["busy"] + bars["gap"])
    assert all(abs(a[0] + a[1] - b[0]) < 0.03 for a, b in zip(spans, spans[1:])), spans
assert not [e for e in root.iter() if e.get("href") or e.get("src")]
)");
  CHECK(std::system(
            ("python3 " + (folder / "read.py").string() + " " + (folder / "page.html").string()).c_str()) ==
        0);
}

TEST_CASE("a page of runs without records says so and draws nothing") {
  const std::string page = runsHtml({std::make_shared<Run>(reducedTo(RecordsKept::Summary, syntheticRun()))});
  CHECK(page.find("<svg") == std::string::npos);
  CHECK_THAT(page, ContainsSubstring("there is no timeline"));
  CHECK_THAT(runsHtml({}), ContainsSubstring("There are no runs."));
}

TEST_CASE("every CSV and the JSON are read by another program's parsers") {
  if (!hasPython()) SKIP("there is no python3 here");
  const TemporaryFolder folder;
  const Runs runs{std::make_shared<Run>(syntheticRun()), std::make_shared<Run>(syntheticRun())};
  const auto files = writeCsvSet(folder / "csv", runs);
  CHECK(files.size() >= 7);
  writeText(folder / "runs.json", runsJson(runs));
  writeText(folder / "read.py", R"(import csv, json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
tables = {}
for file in (folder / "csv").iterdir():
    raw = file.read_bytes()
    assert raw.endswith(b"\r\n"), file
    with open(file, newline="", encoding="utf-8") as lines:
        rows = list(csv.reader(lines, strict=True))
    assert len(set(rows[0])) == len(rows[0]), rows[0]
    assert all(len(row) == len(rows[0]) for row in rows), file
    tables[file.stem] = [dict(zip(rows[0], row)) for row in rows[1:]]
assert len(tables["summary"]) == 4
assert len(tables["samples"]) == 8
assert len(tables["kernels"]) == 16
assert any('"quoted"' in row["name"] for row in tables["kernels"])
assert sum(int(row["length_ns"]) for row in tables["gaps"]) == 8 * 3000
runs = json.load(open(folder / "runs.json", encoding="utf-8"))["runs"]
for run in runs:
    busy = [b for p in run["passes"] if "samples" in p for b in p["samples"]["busy_ns"]]
    assert sorted(busy * 2) == sorted(int(row["busy_ns"]) for row in tables["samples"])
)");
  CHECK(std::system(("python3 " + (folder / "read.py").string() + " " + folder.path().string()).c_str()) ==
        0);
}
