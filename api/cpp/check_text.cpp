// Reports of the race detector as text.

#include <string>

#include "soma/check.hpp"

namespace soma::check {

namespace {

std::string described(const check_operation& what) {
  auto text = what.call;
  if (!what.kernel.empty()) {
    text += " of kernel " + what.kernel;
  }
  return what.place.empty() ? text : text + " at " + what.place;
}

std::string line_for(const check_operation& what) { return "\n  " + what.name + ": " + described(what); }

}  // namespace

std::string to_text(const check_report& report) {
  auto text = "soma check: " + std::string(to_string(report.kind)) + ": " + report.text;
  if (!report.missing_edge.empty()) {
    text += "\n  " + report.missing_edge;
  }
  for (const auto& operation : {report.first, report.second}) {
    if (operation) {
      text += line_for(*operation);
    }
  }
  if (!report.block) {
    return text;
  }
  const auto& block = *report.block;
  text += "\n  the block: " + std::to_string(block.requested) + " bytes";
  if (!report.first || report.first->name != block.allocated.name) {
    text += " from " + block.allocated.name + ": " + described(block.allocated);
  }
  const auto is_told = [&](const auto& operation) {
    return operation && operation->name == block.freed->name && operation->place == block.freed->place;
  };
  if (block.freed && !is_told(report.first) && !is_told(report.second)) {
    text += line_for(*block.freed);
  }
  return text;
}

}  // namespace soma::check
