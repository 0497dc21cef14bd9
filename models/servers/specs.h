// The settings of lock servers in one scenario. Each kind of server has a struct of its own, by
// whose type it is found: `specs.of<redis::Spec>().masters`.
#pragma once

#include <any>
#include <vector>

namespace picklock::keys {

class Value;
template <typename Target>
struct Key;

}  // namespace picklock::keys

namespace picklock::servers {

// A value: copies are independent. A kind that nobody has set up has its defaults.
class Specs {
 public:
  template <typename Spec>
  const Spec& of() const {
    for (const std::any& one : given_) {
      if (const auto* spec = std::any_cast<Spec>(&one)) return *spec;
    }
    static const Spec defaults{};
    return defaults;
  }

  // The reference lasts until another kind is set up for the first time.
  template <typename Spec>
  Spec& of() {
    for (std::any& one : given_) {
      if (auto* spec = std::any_cast<Spec>(&one)) return *spec;
    }
    return given_.emplace_back().template emplace<Spec>();
  }

 private:
  std::vector<std::any> given_;
};

}  // namespace picklock::servers
