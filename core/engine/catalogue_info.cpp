// SPDX-License-Identifier: Apache-2.0
#include "engine/catalogue_info.h"

namespace opscope {
namespace {

std::vector<std::string> namesOf(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(nameOf(dtype));
  return names;
}

std::string wholePath(const std::filesystem::path& file) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(file, failed);
  return (failed ? file : whole).lexically_normal().string();
}

Place wholePlace(Place place) {
  if (!place.file.empty()) place.file = wholePath(place.file);
  return place;
}

CatalogueInfo::Op describeOp(const OpSpec& spec) {
  CatalogueInfo::Op op{
      .name = spec.name, .family = spec.family, .doc = spec.doc, .dtypes = namesOf(spec.dtypes)};
  op.place = wholePlace(spec.place);
  for (const WorkloadSpec& workload : spec.workloads)
    op.workloads.push_back({workload.label, workload.dims, namesOf(workload.dtypes)});
  for (const ImplementationSpec& implementation : spec.implementations) {
    CatalogueInfo::Implementation info{.name = implementation.name, .doc = implementation.doc};
    for (const auto& [kind, body] : implementation.bodies) {
      info.deviceKinds.push_back(kind);
      if (!body.source.empty()) info.sources[kind] = wholePath(body.source);
    }
    info.place = wholePlace(implementation.place);
    op.implementations.push_back(std::move(info));
  }
  return op;
}

}  // namespace

CatalogueInfo describeCatalogue(const Catalogue& catalogue) {
  CatalogueInfo info;
  for (const OpSpec& op : catalogue.ops()) info.ops.push_back(describeOp(op));
  for (ErrorInfo problem : catalogue.problems()) {
    problem.place = wholePlace(problem.place);
    info.problems.push_back(std::move(problem));
  }
  return info;
}

Catalogue loadCatalogue(const EngineOptions& options) {
  std::vector<std::filesystem::path> folders{resourceFolder() / "ops"};
  folders.insert(folders.end(), options.opFolders.begin(), options.opFolders.end());
  return Catalogue::load(folders);
}

}  // namespace opscope
