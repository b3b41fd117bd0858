// SPDX-License-Identifier: Apache-2.0
#include "session/sqlite.h"

#include <fmt/format.h>

#include <utility>

namespace opscope::sqlite {
namespace {

[[noreturn]] void fail(sqlite3* database) {
  throw Failure(sqlite3_extended_errcode(database), sqlite3_errmsg(database));
}

// In a URI '?', '#' and '%' have meanings of their own; a file may have any of them in its name.
std::string uriOf(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '?' || c == '#' || c == '%')
      uri += fmt::format("%{:02X}", static_cast<unsigned>(c));
    else
      uri += c;
  }
  return uri + "?immutable=1";
}

int flagsOf(Database::Mode mode) {
  switch (mode) {
    case Database::Mode::Create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Database::Mode::ReadWrite:
      return SQLITE_OPEN_READWRITE;
    case Database::Mode::ReadOnly:
      return SQLITE_OPEN_READONLY;
    case Database::Mode::Immutable:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  }
  return SQLITE_OPEN_READONLY;
}

}  // namespace

Statement::Statement(sqlite3* database, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(database);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(sqlite3_db_handle(statement_.get()));
}

void Statement::reset() noexcept {
  sqlite3_reset(statement_.get());
}

std::string_view Statement::view(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL, and an empty view may hold one.
  check(sqlite3_bind_text(statement_.get(), index, text.empty() ? "" : text.data(),
                          static_cast<int>(text.size()), SQLITE_STATIC));
}

void Statement::bind(int index, std::nullptr_t) {
  check(sqlite3_bind_null(statement_.get(), index));
}

void Statement::stepToEnd() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_DONE && code != SQLITE_ROW) {
    sqlite3* database = sqlite3_db_handle(statement_.get());
    Failure failure(sqlite3_extended_errcode(database), sqlite3_errmsg(database));  // before reset clears it
    reset();
    throw Failure(std::move(failure));
  }
  reset();
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(statement_.get()));
}

Database::Database(const std::filesystem::path& file, Mode mode) {
  // Absolute, so that names with a meaning to SQLite (":memory:", "file:...") are files like any other.
  const std::filesystem::path path = std::filesystem::absolute(file);
  const std::string name = mode == Mode::Immutable ? uriOf(path) : path.string();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flagsOf(mode), nullptr);
  handle_.reset(handle);
  if (handle == nullptr) throw Failure(SQLITE_NOMEM, "out of memory");
  if (code != SQLITE_OK) fail(handle);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, 5000);
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(handle_.get());
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.text(0) : std::string();
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace opscope::sqlite
