// SPDX-License-Identifier: Apache-2.0
#include "session/sqlite.h"

#include <fmt/format.h>

#include <algorithm>
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

// Absolute, so that names with a meaning to SQLite (":memory:", "file:...") are files like any other.
Database::Database(const std::filesystem::path& file, Mode mode)
    : Database(mode == Mode::Immutable ? uriOf(std::filesystem::absolute(file))
                                       : std::filesystem::absolute(file).string(),
               flagsOf(mode)) {}

Database::Database(const std::string& name, int flags) {
  sqlite3* handle = nullptr;
  // One thread at a time uses a connection; SQLite's own lock would be taken for every column of every row.
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (handle == nullptr) throw Failure(SQLITE_NOMEM, "out of memory");
  if (code != SQLITE_OK) fail(handle);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, 5000);
}

Database Database::inMemory() {
  return Database(std::string(":memory:"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

Database Database::readingFrom(std::span<const std::byte> image) {
  Database database = inMemory();
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // SQLite's interface is not const, but a database that is read only is not written to.
  auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(image.data()));
  const auto size = static_cast<sqlite3_int64>(image.size());
  if (sqlite3_deserialize(database.handle(), "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) !=
      SQLITE_OK)
    fail(database.handle());
  return database;
}

Database Database::startingFrom(std::span<const std::uint8_t> image) {
  Database database = inMemory();
  auto* const bytes = static_cast<unsigned char*>(sqlite3_malloc64(image.size()));
  if (bytes == nullptr) throw Failure(SQLITE_NOMEM, "out of memory");
  std::copy(image.begin(), image.end(), bytes);
  const auto size = static_cast<sqlite3_int64>(image.size());
  // SQLite frees the bytes, also when it does not take them.
  if (sqlite3_deserialize(database.handle(), "main", bytes, size, size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK)
    fail(database.handle());
  return database;
}

std::vector<std::uint8_t> Database::image() {
  struct Free {
    void operator()(unsigned char* bytes) const noexcept { sqlite3_free(bytes); }
  };
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, Free> bytes(sqlite3_serialize(handle_.get(), "main", &size, 0));
  if (!bytes) throw Failure(SQLITE_NOMEM, "out of memory");
  return {bytes.get(), bytes.get() + size};
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
