// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

// How many places a kernel that spans `span` pixels has along one side.
std::int64_t placesOf(std::int64_t size, std::int64_t span, std::int64_t stride, std::int64_t padding) {
  return (size + 2 * padding - span) / stride + 1;
}

struct Convolution {
  std::int64_t images, cIn, height, width, cOut, kernel, stride, padding, dilation;

  std::int64_t span() const { return dilation * (kernel - 1) + 1; }
  std::int64_t outHeight() const { return placesOf(height, span(), stride, padding); }
  std::int64_t outWidth() const { return placesOf(width, span(), stride, padding); }

  /// term(place in x, place in w) for everything that is added up for one place of y.
  template <typename Term>
  void terms(std::int64_t index, Term term) const {
    const std::int64_t column = index % outWidth(), row = index / outWidth() % outHeight();
    const std::int64_t plane = index / outWidth() / outHeight();
    const std::int64_t image = plane / cOut, out = plane % cOut;
    for (std::int64_t c = 0; c < cIn; ++c)
      for (std::int64_t i = 0; i < kernel; ++i) {
        const std::int64_t r = row * stride - padding + i * dilation;
        if (r < 0 || r >= height) continue;
        for (std::int64_t j = 0; j < kernel; ++j) {
          const std::int64_t s = column * stride - padding + j * dilation;
          if (s < 0 || s >= width) continue;
          term(((image * cIn + c) * height + r) * width + s, ((out * cIn + c) * kernel + i) * kernel + j);
        }
      }
  }
};

template <typename Dim>
Convolution convolutionFrom(Dim dim) {
  return {dim("images"), dim("c_in"),   dim("height"),  dim("width"),   dim("c_out"),
          dim("kernel"), dim("stride"), dim("padding"), dim("dilation")};
}

host::Function conv2d() {
  return oneKernel("conv2d", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")),
            w = elementsOf<const Element>(context.tensor("w")), y = elementsOf<Element>(context.tensor("y")),
            count = context.tensor("y").elements(),
            sizes = convolutionFrom([&](const char* dim) { return context.integer(dim); })] {
      for (std::int64_t index = 0; index < count; ++index) {
        float sum = 0;
        sizes.terms(index, [&](std::int64_t from, std::int64_t weight) {
          sum += toFloat(x[from]) * toFloat(w[weight]);
        });
        fromFloat(sum, y[index]);
      }
    };
  });
}

void referenceConv2d(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                     std::span<ReferenceValue> values) {
  const HostTensor &x = input.inputs.at("x"), &w = input.inputs.at("w");
  const Convolution sizes = convolutionFrom([&](const char* dim) { return input.dims.at(dim); });
  for (std::size_t i = 0; i < indices.size(); ++i) {
    values[i] = {};
    sizes.terms(indices[i], [&](std::int64_t from, std::int64_t weight) {
      const double product = elementOf(x, from) * elementOf(w, weight);
      values[i].value += product;
      values[i].magnitude += std::abs(product);
    });
  }
}

struct Pooling {
  std::int64_t height, width, window, stride, padding;

  template <typename Each>
  void eachOfWindow(std::int64_t index, Each each) const {
    const std::int64_t outWidth = placesOf(width, window, stride, padding);
    const std::int64_t outHeight = placesOf(height, window, stride, padding);
    const std::int64_t top = index / outWidth % outHeight * stride - padding;
    const std::int64_t left = index % outWidth * stride - padding;
    const std::int64_t plane = index / outWidth / outHeight;
    for (std::int64_t r = std::max<std::int64_t>(top, 0); r < std::min(top + window, height); ++r)
      for (std::int64_t c = std::max<std::int64_t>(left, 0); c < std::min(left + window, width); ++c)
        each((plane * height + r) * width + c);
  }
};

template <typename Dim>
Pooling poolingFrom(Dim dim) {
  return {dim("height"), dim("width"), dim("window"), dim("stride"), dim("padding")};
}

host::Function maxPool2d() {
  return oneKernel("max_pool2d", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            count = context.tensor("y").elements(),
            sizes = poolingFrom([&](const char* dim) { return context.integer(dim); })] {
      for (std::int64_t index = 0; index < count; ++index) {
        float largest = -std::numeric_limits<float>::infinity();
        sizes.eachOfWindow(index, [&](std::int64_t from) { largest = std::max(largest, toFloat(x[from])); });
        fromFloat(largest, y[index]);
      }
    };
  });
}

void referenceMaxPool2d(const ReferenceInput& input, const std::string&,
                        std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const Pooling sizes = poolingFrom([&](const char* dim) { return input.dims.at(dim); });
  for (std::size_t i = 0; i < indices.size(); ++i) {
    double largest = -std::numeric_limits<double>::infinity();
    sizes.eachOfWindow(indices[i], [&](std::int64_t from) {
      largest = std::max(largest, elementOf(input.inputs.at("x"), from));
    });
    values[i] = exactly(largest);
  }
}

}  // namespace

void registerConvolution(HostOps& ops) {
  ops.function("conv2d", conv2d());
  ops.function("max_pool2d", maxPool2d());
  ops.reference("conv2d", referenceConv2d);
  ops.reference("max_pool2d", referenceMaxPool2d);
}

}  // namespace opscope
