// SPDX-License-Identifier: Apache-2.0
#include "engine/catalogue_info.h"

namespace opscope {
namespace {

std::vector<std::string> namesOf(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(nameOf(dtype));
  return names;
}

CatalogueInfo::Op describeOp(const OpSpec& spec) {
  CatalogueInfo::Op op{
      .name = spec.name, .family = spec.family, .doc = spec.doc, .dtypes = namesOf(spec.dtypes)};
  for (const WorkloadSpec& workload : spec.workloads)
    op.workloads.push_back({workload.label, workload.dims, namesOf(workload.dtypes)});
  for (const ImplementationSpec& implementation : spec.implementations) {
    CatalogueInfo::Implementation info{.name = implementation.name, .doc = implementation.doc};
    for (const auto& [kind, body] : implementation.bodies) info.deviceKinds.push_back(kind);
    op.implementations.push_back(std::move(info));
  }
  return op;
}

}  // namespace

CatalogueInfo describeCatalogue(const Catalogue& catalogue) {
  CatalogueInfo info;
  for (const OpSpec& op : catalogue.ops()) info.ops.push_back(describeOp(op));
  info.problems = catalogue.problems();
  return info;
}

Catalogue loadCatalogue(const EngineOptions& options) {
  std::vector<std::filesystem::path> folders{resourceFolder() / "ops"};
  folders.insert(folders.end(), options.opFolders.begin(), options.opFolders.end());
  return Catalogue::load(folders);
}

}  // namespace opscope
