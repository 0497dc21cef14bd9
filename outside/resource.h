// The resource that a lock protects, for clients outside: named values with a version each, as a
// process of the simulation. It knows no lock. It accepts every read and write, or with fencing
// only those with a token that is not older than the newest it was shown.
//
// A request is an array of bulk strings, as Redis's clients send them:
//   READ NAME [TOKEN n]                                     the value or nil, and its version
//   WRITE NAME VALUE [TOKEN n] [IF-VERSION v | BASED-ON v]  the version that it has made
// A rejected one is answered with an error, REJECTED-TOKEN or REJECTED-VERSION. The version of what
// nobody has written is 1.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/resource/fence.h"
#include "models/resource/resource.h"
#include "sim/service.h"

namespace picklock::outside {

inline constexpr std::size_t kMostValueBytes = std::size_t{1} << 20;

class Resource final : public sim::Service {
 public:
  void reset(history::RecordedSimulation& simulation, sim::Process& process,
             const models::ResourceRules& rules);

  static const sim::Protocol& protocol();
  // Each name that was used. The key of an event at the resource is its number.
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Thing {
    models::Fence fence;
    std::uint32_t version = 1;
    std::string value;
    std::uint32_t number = 0;
  };
  struct Asked {
    std::string_view name;
    std::string_view value;
    std::string_view token;
    std::uint32_t if_version = 0;  // 0: any
    std::uint32_t based_on = 0;    // 0: on none
  };

  bool apply(sim::Message& request, sim::Payload& answer) override;
  void serve(const sim::Message& request, sim::Payload& answer);
  Thing* thing(std::string_view name);
  bool is_admitted(Thing& thing, models::Access access, const Asked& asked,
                   const sim::Message& request);
  void read(const Asked& asked, const sim::Message& request, sim::Payload& answer);
  void write(const Asked& asked, const sim::Message& request, sim::Payload& answer);
  history::HistoryEvent event_of(const Thing& thing, const sim::Message& request,
                                 history::What what) const;

  history::Recorder* recorder_ = nullptr;
  models::ResourceRules rules_;
  std::map<std::string, Thing, std::less<>> things_;
  std::vector<std::string> names_;
  std::vector<std::string_view> argv_;
};

}  // namespace picklock::outside
