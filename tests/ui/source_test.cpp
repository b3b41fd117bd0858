// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <catch2/catch_test_macros.hpp>

#include "state/file_watcher.h"
#include "state/op_folders.h"
#include "state/op_sources.h"
#include "ui/fake_engine.h"
#include "ui/wait_for.h"

// The source of an op beside the window: what is said of its lines, and that it was written.

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::waitFor;

namespace {

void write(const QString& path, const char* words) {
  QFile file(path);
  REQUIRE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
  file.write(words);
}

}  // namespace

TEST_CASE("a compiler's log becomes messages at lines") {
  const ErrorInfo error{ErrorCode::CompileFailed,
                        "scale.cu does not compile for sm_90:\n"
                        "scale.cu(12): error: identifier \"n\" is undefined\n"
                        "    if (i < n) y[i] = x[i];\n"
                        "            ^\n"
                        "\n"
                        "opscope.cuh(7): warning #177-D: variable \"a\" was declared but never referenced\n"
                        "scale.cu(20): catastrophic error: cannot open source file \"gone.cuh\"\n"
                        "1 error detected in the compilation of \"scale.cu\".",
                        "",
                        {"scale.cu", 12, 0}};
  const auto messages = messagesOf(error, {"/ops/scale.yaml", 3, 1});
  REQUIRE(messages.size() == 3);
  CHECK(messages[0] ==
        SourceMessage{"scale.cu", 12, 0, true, QStringLiteral("identifier \"n\" is undefined")});
  CHECK(messages[1].file == "opscope.cuh");
  CHECK_FALSE(messages[1].isError);
  CHECK(messages[1].line == 7);
  CHECK(messages[2].line == 20);
  CHECK(messages[2].isError);
  CHECK(isOf(messages[0], "/ops/scale.cu"));
  CHECK_FALSE(isOf(messages[0], "/ops/other.cu"));
  CHECK_FALSE(isOf(messages[1], "/ops/scale.cu"));
  CHECK_FALSE(isOf(messages[0], ""));
}

TEST_CASE("a failure without lines of its own is one message at its place, or at the implementation's") {
  const ErrorInfo placed{ErrorCode::BadInput, "Unknown key", "Did you mean grid?", {"/ops/a.yaml", 9, 5}};
  CHECK(messagesOf(placed, {"/ops/b.yaml", 1, 1}) ==
        std::vector<SourceMessage>{
            {"/ops/a.yaml", 9, 5, true, QStringLiteral("Unknown key. Did you mean grid?")}});
  const ErrorInfo bare{ErrorCode::BadInput, "There is no function f.", "", {}};
  CHECK(messagesOf(bare, {"/ops/b.yaml", 4, 3}) ==
        std::vector<SourceMessage>{{"/ops/b.yaml", 4, 3, true, QStringLiteral("There is no function f.")}});
}

TEST_CASE("an implementation's files are found by device") {
  CatalogueInfo catalogue = uitest::FakeEngine().catalogue();
  auto& implementation = catalogue.ops[2].implementations[0];
  implementation.sources["cuda"] = "/ops/norm.cu";
  implementation.place = {"/ops/norm.yaml", 12, 5};
  const auto found = sourcesOf(catalogue, "rms_norm", "one-pass", "cuda");
  REQUIRE(found);
  CHECK(found->code == "/ops/norm.cu");
  CHECK(found->spec.line == 12);
  CHECK(sourcesOf(catalogue, "rms_norm", "one-pass", "host")->code.empty());
  CHECK_FALSE(sourcesOf(catalogue, "rms_norm", "gone", "cuda"));
  CHECK_FALSE(sourcesOf(catalogue, "gone", "one-pass", "cuda"));
}

TEST_CASE("a kernel's definition is found, not its call and not its declaration") {
  const QString source = QStringLiteral(
      "template <int N>\n"                                         // 1
      "__device__ float scale(float x) { return N * x; }\n"        // 2
      "__global__ void scale(float* x, int n);\n"                  // 3
      "extern \"C\" __global__ void\n"                             // 4
      "__launch_bounds__(256) copy(const float* x, float* y) {\n"  // 5
      "  y[0] = scale(x[0]);\n"
      "}\n"
      "__global__ void scaled(float* x) { x[0] = scale(x[0]); }\n");  // 8
  CHECK(lineOfKernel(source, QStringLiteral("copy")) == 5);
  CHECK(lineOfKernel(source, QStringLiteral("scaled")) == 8);
  CHECK_FALSE(lineOfKernel(source, QStringLiteral("scale")));
  CHECK_FALSE(lineOfKernel(source, QStringLiteral("cop")));
  CHECK_FALSE(lineOfKernel(source, {}));
}

TEST_CASE("a written file is noticed however it is written, and told of once") {
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("a.cu"));
  const QString other = folder.filePath(QStringLiteral("b.yaml"));
  write(path, "one");
  FileWatcher watcher;
  QStringList told;
  QObject::connect(&watcher, &FileWatcher::written, [&](const QString& file) { told << file; });
  watcher.watch({path.toStdString(), other.toStdString(), {}});

  write(path, "in place");
  REQUIRE(waitFor([&] { return told.size() == 1; }));
  CHECK(told.back() == path);

  // As most editors do: a new file takes the place of the old one. Twice, for a watch is lost by it.
  for (int i = 0; i < 2; ++i) {
    told.clear();
    write(path + QStringLiteral("~"), i == 0 ? "replaced" : "replaced once more");
    REQUIRE(std::rename((path + QStringLiteral("~")).toUtf8().constData(), path.toUtf8().constData()) == 0);
    REQUIRE(waitFor([&] { return !told.isEmpty(); }));
    CHECK(told == QStringList{path});
  }

  // And some remove it first.
  told.clear();
  REQUIRE(QFile::remove(path));
  write(path, "made anew");
  REQUIRE(waitFor([&] { return !told.isEmpty(); }));
  CHECK(told == QStringList{path});

  // A file that was not there when it was asked for.
  told.clear();
  write(other, "x: 1");
  REQUIRE(waitFor([&] { return !told.isEmpty(); }));
  CHECK(told == QStringList{other});

  // Neighbours are nobody's business, and what is no longer watched is none either.
  told.clear();
  watcher.watch({other.toStdString()});
  write(path, "not watched");
  write(folder.filePath(QStringLiteral("c.txt")), "neighbour");
  write(other, "x: 22");
  REQUIRE(waitFor([&] { return !told.isEmpty(); }));
  CHECK(told == QStringList{other});
}

TEST_CASE("folders of ops are kept, and an editor's command is taken apart") {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
  CHECK(opFolders(settings).isEmpty());
  keepOpFolders(settings, {QStringLiteral("/a, b"), QStringLiteral("/c")});
  CHECK(opFolders(settings) == QStringList{QStringLiteral("/a, b"), QStringLiteral("/c")});
  CHECK(isOnThisMachine(QStringLiteral("process")));
  CHECK_FALSE(isOnThisMachine(QStringLiteral("ssh box opscope serve")));
  CHECK(editorWords(QStringLiteral("code -g %f:%l"), QStringLiteral("/a b.cu"), 7) ==
        QStringList{QStringLiteral("code"), QStringLiteral("-g"), QStringLiteral("/a b.cu:7")});
  CHECK(editorWords(QStringLiteral("\"my editor\" -n"), QStringLiteral("/a.cu"), 7) ==
        QStringList{QStringLiteral("my editor"), QStringLiteral("-n"), QStringLiteral("/a.cu")});
  CHECK(editorWords({}, QStringLiteral("/a.cu"), 7).isEmpty());
}
