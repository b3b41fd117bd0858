// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace opscope::sqlite {

/// What SQLite reported, with its extended code. Stays inside the session room: the store turns it into
/// CannotRead or CannotWrite, which name the file.
class Failure : public std::runtime_error {
 public:
  Failure(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const noexcept { return code_; }  ///< extended result code

 private:
  int code_;
};

/// A prepared statement. Values are bound in order by run() and bindAll(), and must live until the step.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);

  /// Binds all parameters, runs a statement that returns no rows, and makes it ready for the next time.
  template <class... Values>
  void run(const Values&... values) {
    bindAll(values...);
    stepToEnd();
  }
  /// Starts a query again with these parameters; step() then gives its rows.
  template <class... Values>
  void bindAll(const Values&... values) {
    reset();
    int index = 0;
    (bind(++index, values), ...);
  }
  bool step();
  /// Ends a query whose rows are not all wanted: an unfinished one keeps its read lock.
  void reset() noexcept;

  int columns() const { return sqlite3_column_count(statement_.get()); }
  bool isNull(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  template <std::integral T>
  T as(int column) const {
    return static_cast<T>(integer(column));
  }
  /// SQLite stores NaN as NULL, so NULL is read back as NaN.
  double real(int column) const {
    return isNull(column) ? std::numeric_limits<double>::quiet_NaN()
                          : sqlite3_column_double(statement_.get(), column);
  }
  /// Valid until the next step.
  std::string_view view(int column) const;
  std::string text(int column) const { return std::string(view(column)); }
  template <std::integral T>
  std::optional<T> optional(int column) const {
    if (isNull(column)) return std::nullopt;
    return as<T>(column);
  }

 private:
  void bind(int index, std::string_view text);
  void bind(int index, std::nullptr_t);
  template <std::integral T>
  void bind(int index, T value) {
    // 64-bit unsigned values keep their bits: SQLite's integers are signed.
    check(sqlite3_bind_int64(statement_.get(), index, static_cast<sqlite3_int64>(value)));
  }
  void bind(int index, double value) { check(sqlite3_bind_double(statement_.get(), index, value)); }
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    if (value)
      bind(index, *value);
    else
      bind(index, nullptr);
  }
  void stepToEnd();
  void check(int code) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open database file.
class Database {
 public:
  enum class Mode {
    Create,     ///< read, write, create when missing
    ReadWrite,  ///< an existing file; finishes what a crash left in a journal beside it
    ReadOnly,
    Immutable,  ///< read only, without locks or files beside it: for folders that cannot be written
  };
  Database(const std::filesystem::path& file, Mode mode);
  /// A database in memory, empty.
  static Database inMemory();
  /// One that is read from the bytes of a file, which must outlive it.
  static Database readingFrom(std::span<const std::byte> image);
  /// One in memory that begins with a copy of these bytes.
  static Database startingFrom(std::span<const std::uint8_t> image);
  /// What its file would hold.
  std::vector<std::uint8_t> image();

  void execute(const std::string& sql);  ///< any number of statements, rows ignored
  Statement prepare(std::string_view sql) { return Statement(handle_.get(), sql); }
  std::int64_t integer(std::string_view sql);  ///< first column of the first row; 0 without one
  std::string text(std::string_view sql);
  std::int64_t lastRowId() const { return sqlite3_last_insert_rowid(handle_.get()); }
  sqlite3* handle() const { return handle_.get(); }

 private:
  Database(const std::string& name, int flags);

  struct Close {
    void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace opscope::sqlite
