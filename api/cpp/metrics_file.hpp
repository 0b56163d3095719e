// The metrics that the environment asks for.
#pragma once

namespace soma::detail {

class runtime_end;

/// Writes the metrics of a runtime to the file that SOMA_METRICS names, if it does. A file that cannot be
/// written is told on standard error.
void write_metrics_file(runtime_end& of) noexcept;

}  // namespace soma::detail
