// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/colours.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace opscope::ui {
namespace {

constexpr std::array<QRgb, 7> kOkabeIto{0xff0072b2, 0xffe69f00, 0xff009e73, 0xffd55e00,
                                        0xffcc79a7, 0xff56b4e9, 0xfff0e442};

}  // namespace

QColor implementationColour(std::size_t implementation) {
  return QColor::fromRgb(kOkabeIto[implementation % kOkabeIto.size()]);
}

QColor causeColour(GapCause cause) {
  switch (cause) {
    case GapCause::HostLate:
      return QColor(0xd5, 0x5e, 0x00);
    case GapCause::LatencyExposed:
      return QColor(0xe6, 0x9f, 0x00);
    case GapCause::Queued:
      return QColor(0x56, 0xb4, 0xe9);
    case GapCause::InGraph:
      return QColor(0x00, 0x9e, 0x73);
    case GapCause::Copy:
      return QColor(0xcc, 0x79, 0xa7);
    case GapCause::Instrument:
      return QColor(0xd0, 0xc4, 0x20);
    case GapCause::ClockSuspect:
    case GapCause::NoLaunchRecord:
    case GapCause::Undecided:
      return QColor(0x8c, 0x8c, 0x8c);
  }
  return QColor(0x8c, 0x8c, 0x8c);
}

Qt::BrushStyle causeHatch(GapCause cause) {
  switch (cause) {
    case GapCause::HostLate:
      return Qt::BDiagPattern;
    case GapCause::LatencyExposed:
      return Qt::FDiagPattern;
    case GapCause::Queued:
      return Qt::HorPattern;
    case GapCause::InGraph:
      return Qt::VerPattern;
    case GapCause::Copy:
      return Qt::CrossPattern;
    case GapCause::Instrument:
      return Qt::DiagCrossPattern;
    case GapCause::ClockSuspect:
    case GapCause::NoLaunchRecord:
      return Qt::Dense6Pattern;
    case GapCause::Undecided:
      return Qt::Dense7Pattern;
  }
  return Qt::Dense7Pattern;
}

std::string_view kernelBaseName(std::string_view name) {
  // "(anonymous namespace)" opens with the parenthesis that otherwise begins the parameters.
  std::size_t from = 0;
  int angle = 0;
  std::size_t end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') {
      if (angle++ == 0 && end == name.size()) end = i;
    } else if (c == '>') {
      --angle;
    } else if (angle == 0 && c == ':' && i + 1 < name.size() && name[i + 1] == ':') {
      from = i + 2;
      end = name.size();
      ++i;
    } else if (angle == 0 && c == ' ' && end == name.size()) {
      from = i + 1;
    } else if (angle == 0 && c == '(') {
      const auto close = name.find(")::", i);
      if (close == std::string_view::npos || name.substr(i + 1, 9) != "anonymous") {
        if (end == name.size()) end = i;
        break;
      }
      i = close;
    }
  }
  if (from >= end) return name;
  return name.substr(from, end - from);
}

QColor kernelColour(std::string_view name, bool dark) {
  std::uint32_t hash = 2166136261u;  // FNV-1a: std::hash may differ between libraries
  for (const char c : kernelBaseName(name)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  hash ^= hash >> 15;
  const int hue = static_cast<int>(hash % 360);
  const int step = static_cast<int>((hash >> 10) % 3);
  return dark ? QColor::fromHsl(hue, 90, 92 + 14 * step) : QColor::fromHsl(hue, 105, 158 + 16 * step);
}

QColor textOn(const QColor& fill) {
  const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  const double luminance =
      0.2126 * linear(fill.redF()) + 0.7152 * linear(fill.greenF()) + 0.0722 * linear(fill.blueF());
  // Where black and white have the same contrast (WCAG): sqrt(1.05 * 0.05) - 0.05.
  return luminance > 0.179 ? QColor(Qt::black) : QColor(Qt::white);
}

}  // namespace opscope::ui
