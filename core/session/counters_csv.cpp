// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "session/csv_fields.h"
#include "session/export.h"
#include "session/memory_traffic.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

constexpr const char* kHeader =
    "op,workload,dtype,implementation,claimed_bytes,call,kernel,name,dram_read_bytes,dram_written_bytes,l2_"
    "bytes,"
    "profiled_ns,counted_as,copies_in_call,refused,l2,l2_size_bytes,result,device,figures,run,"
    "environment\r\n";

std::string rowOf(const Run& run, std::size_t runNumber, const ImplementationResult& result,
                  const std::vector<std::string>& own) {
  std::vector<std::string> fields{run.op, run.workload, run.dtype, result.name, csvNumber(run.bytes)};
  fields.insert(fields.end(), own.begin(), own.end());
  for (const std::string& text : {std::string(verificationMark(result.verification)), run.deviceName,
                                  run.figures, csvNumber(runNumber), environmentText(run)})
    fields.push_back(text);
  return csvLine(fields);
}

std::string rowsOf(const Run& run, std::size_t runNumber, const ImplementationResult& result) {
  std::string out;
  if (result.countersRefused)
    out += rowOf(run, runNumber, result,
                 {"", "", "", "", "", "", "", "", "", failureText(*result.countersRefused), run.l2, ""});
  if (!result.counters || !result.hasNumber()) return out;
  const CounterReading& reading = *result.counters;
  for (std::size_t c = 0; c < reading.calls.size(); ++c)
    for (std::size_t k = 0; k < reading.calls[c].size(); ++k) {
      const MemoryTraffic& traffic = reading.calls[c][k];
      out += rowOf(run, runNumber, result,
                   {csvNumber(c), csvNumber(k), partName(reading, k, reading.calls[c].size()),
                    csvNumber(traffic.dramRead), csvNumber(traffic.dramWritten), csvNumber(traffic.l2),
                    csvNumber(traffic.profiled), reading.together ? "call" : "kernel",
                    csvNumber(reading.copies), "", reading.l2, csvNumber(reading.l2Bytes)});
    }
  return out;
}

}  // namespace

std::string countersCsv(const Runs& runs) {
  std::string rows;
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const ImplementationResult& result : runs[r]->implementations)
      rows += rowsOf(*runs[r], r + 1, result);
  return rows.empty() ? rows : kHeader + rows;
}

}  // namespace opscope
