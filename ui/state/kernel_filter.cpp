// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/kernel_filter.h"

#include "state/colours.h"
#include "state/text.h"

namespace opscope::ui {

void KernelFilter::setPattern(const QString& pattern) {
  pattern_ = pattern;
  expression_ = QRegularExpression(pattern, QRegularExpression::CaseInsensitiveOption);
  plain_ = !pattern.isEmpty() && !expression_.isValid();
}

bool KernelFilter::fitsName(const std::string& name) const {
  if (!names.empty() && !names.contains(std::string(kernelBaseName(name)))) return false;
  if (pattern_.isEmpty()) return true;
  const QString words = text(name);
  return plain_ ? words.contains(pattern_, Qt::CaseInsensitive) : expression_.match(words).hasMatch();
}

bool KernelFilter::fits(const std::string& name, std::uint32_t stream) const {
  return (streams.empty() || streams.contains(stream)) && fitsName(name);
}

}  // namespace opscope::ui
