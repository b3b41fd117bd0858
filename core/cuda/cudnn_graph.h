// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cuda/cudnn_api.h"

namespace opscope::cuda::cudnn {

// The part of cuDNN's graph interface that is used: everything is a node with attributes by number. The
// numbers are its headers'; where those are, a test compares.
enum class NodeKind : int {
  Convolution = 1,
  Engine = 2,
  EngineConfig = 3,
  EngineHeuristics = 4,
  ExecutionPlan = 5,
  ConvolutionForward = 10,
  OperationGraph = 15,
  VariantPack = 16,
  Tensor = 17
};
enum class Attribute : int {
  ConvolutionType = 100,
  ConvolutionModeOf = 101,
  ConvolutionDilations = 102,
  ConvolutionStrides = 103,
  ConvolutionPostPaddings = 104,
  ConvolutionPrePaddings = 105,
  ConvolutionSpatialDims = 106,
  HeuristicsMode = 200,
  HeuristicsGraph = 201,
  HeuristicsResults = 202,
  ConfigEngine = 300,
  PlanHandle = 400,
  PlanConfig = 401,
  PlanWorkspace = 402,
  ForwardAlpha = 700,
  ForwardBeta = 701,
  ForwardConvolution = 702,
  ForwardW = 703,
  ForwardX = 704,
  ForwardY = 705,
  GraphHandle = 800,
  GraphOperations = 801,
  TensorAlignment = 900,
  TensorType = 901,
  TensorDimensions = 902,
  TensorStrides = 903,
  TensorId = 906,
  PackIds = 1000,
  PackPointers = 1001,
  PackWorkspace = 1003,
  EngineNotes = 1303
};
enum class ValueType : int {
  LibraryHandle = 0,
  DataType = 1,
  Int64 = 3,
  Float = 4,
  Pointer = 6,
  ConvolutionMode = 7,
  HeuristicsMode = 8,
  NumericalNote = 11,
  Node = 15
};
enum class ConvolutionMode : int { CrossCorrelation = 1 };
enum class HeuristicsMode : int { Fallback = 2, A = 3 };
enum class NumericalNote : int { TensorCore = 0, DownConvertInputs = 1, ReducedPrecisionReduction = 2 };

/// One node of cuDNN's graphs, destroyed with its last copy. Nodes that it names must be finished before it
/// is, and cuDNN keeps what it needs of them.
class Node {
 public:
  /// Throws what Api::check() does, as all members but `tried` do.
  explicit Node(NodeKind kind);

  template <typename T>
  Node& set(Attribute name, ValueType type, std::span<const T> values) {
    return setBytes(name, type, static_cast<std::int64_t>(values.size()), values.data());
  }
  template <typename T>
  Node& set(Attribute name, ValueType type, const T& value) {
    return setBytes(name, type, 1, &value);
  }
  Node& set(Attribute name, const Node& node);
  Node& finish(std::string_view doing);
  /// The same where cuDNN may refuse: an engine that cannot run this graph after all.
  Status tryToFinish();

  std::int64_t integer(Attribute name) const;
  std::vector<NumericalNote> notes() const;  ///< of an engine
  Node node(Attribute name, NodeKind kind) const;
  std::vector<Node> nodes(Attribute name, NodeKind kind, std::int64_t most) const;

  Descriptor get() const { return descriptor_.get(); }

 private:
  Node& setBytes(Attribute name, ValueType type, std::int64_t count, const void* values);

  std::shared_ptr<void> descriptor_;
};

}  // namespace opscope::cuda::cudnn
