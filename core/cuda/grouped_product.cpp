// SPDX-License-Identifier: Apache-2.0
#include "cuda/grouped_product.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "cuda/cuda_check.h"
#include "cuda/kernel_arguments.h"

namespace opscope::cuda {

std::vector<GroupedProduct::Group> groupsOf(const std::vector<std::int64_t>& offsets, std::int64_t rows,
                                            const std::string& label) {
  if (offsets.size() < 2 || offsets.front() != 0 || offsets.back() != rows)
    throw BadInput(fmt::format("{}: the offsets of the groups do not go from 0 to {}", label, rows));
  std::vector<GroupedProduct::Group> groups;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    if (offsets[g + 1] < offsets[g])
      throw BadInput(fmt::format("{}: the offset {} of group {} is above the next one, {}", label, offsets[g],
                                 g, offsets[g + 1]));
    if (offsets[g + 1] > offsets[g])
      groups.push_back({static_cast<std::int64_t>(g), offsets[g], offsets[g + 1] - offsets[g]});
  }
  return groups;
}

GroupedProduct groupedProductOf(CudaContext& context, const CallSpec& spec) {
  GroupedProduct product;
  product.a = &tensorNamed(spec, "a");
  product.w = &tensorNamed(spec, "w");
  product.c = &tensorNamed(spec, "c");
  const TensorArg& offsets = tensorNamed(spec, "offsets");
  const auto &a = product.a->shape, &w = product.w->shape, &c = product.c->shape;
  const bool fits = a.size() == 2 && w.size() == 3 && c.size() == 2 && offsets.shape.size() == 1 &&
                    w[2] == a[1] && c[0] == a[0] && c[1] == w[1] && offsets.shape[0] == w[0] + 1;
  if (!fits)
    throw BadInput(
        fmt::format("{}: grouped products need a[T, K], w[E, N, K], offsets[E + 1] and c[T, N], not [{}], "
                    "[{}], [{}] and [{}]",
                    spec.label, fmt::join(a, ", "), fmt::join(w, ", "), fmt::join(offsets.shape, ", "),
                    fmt::join(c, ", ")));
  if (product.a->dtype != product.w->dtype || product.a->dtype != product.c->dtype ||
      offsets.dtype != DType::Int64)
    throw BadInput(
        fmt::format("{}: grouped products need a, w and c in one dtype and offsets in int64", spec.label));
  product.n = w[1];
  product.k = w[2];
  std::vector<std::int64_t> begins(static_cast<std::size_t>(offsets.shape[0]));
  check(cudaMemcpyAsync(begins.data(), offsets.memory->address(), begins.size() * sizeof begins[0],
                        cudaMemcpyDeviceToHost, context.main()),
        "reading the sizes of the groups");
  context.drain();
  product.groups = groupsOf(begins, a[0], spec.label);
  return product;
}

}  // namespace opscope::cuda
