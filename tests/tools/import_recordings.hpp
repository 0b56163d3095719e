// Small recordings of each kind, made by hand, for the tests of the importers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace soma::tools {

/// Writes the instructions of a pickle one by one.
class pickle_writer {
public:
  pickle_writer& text(std::string_view value) {
    bytes_ += '\x8c';
    bytes_ += static_cast<char>(value.size());
    bytes_ += value;
    return *this;
  }

  pickle_writer& number(std::int32_t value) {
    bytes_ += 'J';
    const auto bits = static_cast<std::uint32_t>(value);
    for (unsigned place = 0; place < 4; ++place) {
      bytes_ += static_cast<char>((bits >> (8 * place)) & 0xFFU);
    }
    return *this;
  }

  pickle_writer& raw(std::string_view instructions) {
    bytes_ += instructions;
    return *this;
  }

  [[nodiscard]] std::string finished() const { return "\x80\x04" + bytes_ + "."; }

private:
  std::string bytes_;
};

inline std::string snapshot_recording() {
  pickle_writer writer;
  writer.raw("}(").text("segments").raw("](}(").text("device").number(0).text("address").number(4096);
  writer.text("total_size").number(4096).text("stream").number(0).text("blocks").raw("](}(");
  writer.text("size").number(1024).text("requested_size").number(1000).text("state").text("active_allocated");
  writer.text("address").number(4096).raw("ueue").text("device_traces").raw("](](");
  const auto event = [&writer](const char* action, std::int32_t address, std::int32_t size,
                               std::int32_t time) {
    writer.raw("}(").text("action").text(action).text("addr").number(address).text("size").number(size);
    writer.text("stream").number(address % 3).text("time_us").number(time).text("frames").raw("](}(");
    writer.text("line").number(7).raw("ueu");
  };
  event("alloc", 9000, 500, 10);
  event("free_requested", 8000, 300, 11);
  event("free_completed", 8000, 300, 11);
  event("alloc", 10000, 700, 12);
  event("free_requested", 9000, 500, 13);
  event("segment_alloc", 20000, 4096, 14);
  event("free_completed", 9000, 500, 15);
  return writer.raw("eeu").finished();
}

inline std::string rmm_recording() {
  return "Thread,Time,Action,Pointer,Size,Stream\n"
         "1,15:47:02.841961,allocate,0x1000,1048576,0\n"
         "1,15:47:02.841977,free,0x1000,1048576,0\n"
         "1,15:47:02.841978,free,0x2000,512,0x55\n"
         "1,15:47:02.841979,allocate failure,0x0,512,0x55\n";
}

inline std::string operators_recording() {
  return "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Allocation Total "
         "Allocated(MB),"
         "Release Total Allocated(MB),Stream Ptr,Device Type\n"
         "a,1024,100.5,105.5,104,11,12,7,NPU:0\n"
         "b,2048,102,,,13,,8,NPU:0\n"
         "\"c,d\",512.5,103,104,110,13.50048828125,12,7,NPU:0\n";
}

inline std::string records_recording() {
  return "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device "
         "Type\n"
         "PTA,1.5\t,8.0,100,8,2,NPU:0\nAPP,1.5,,100,,,NPU:0\nPTA,2,10,100,8,2,NPU:0\nPTA,3,3,100,8,2,NPU:0\n";
}

inline std::string trace_recording() {
  return R"({"schemaVersion":1,"traceEvents":[{"ph":"i","name":"[memory]","ts":1.5,"args":{"Device Type":1,)"
         R"("Device Id":0,"Addr":64,"Bytes":1024,"Total Allocated":9000}},{"name":"x","args":{"y":[1,{}]}},)"
         R"({"name":"[memory]","ts":2,"args":{"Device Type":1,"Device Id":0,"Addr":64,"Bytes":-1024}},)"
         R"({"name":"[memory]","ts":3,"args":{"Device Type":1,"Device Id":0,"Addr":99,"Bytes":-24}}]})";
}

inline std::vector<std::string> all_recordings() {
  return {snapshot_recording(), rmm_recording(), operators_recording(), records_recording(),
          trace_recording()};
}

}  // namespace soma::tools
