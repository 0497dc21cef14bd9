// Records the grants on one server: those of the locks of a scenario, or of any lock that clients
// outside the simulation name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/mysql/grants.h"

namespace picklock::mysql {

class GrantRecorder {
 public:
  // A client is about to execute this statement, which may name a lock.
  void note_names(const Statement& statement, const Engine& engine);
  // As in Grants, for every lock.
  void committed(const Changes& changes, history::TenureId by);
  void committed_in_ring(const Changes& changes, bool elsewhere);
  void forget_rows();
  void sessions_end(history::Cause cause);
  void pass_to(GrantRecorder& successor);
  bool any_is_over() const;
  bool held(history::KeyId lock) const;
  // Returns the lock that expires first; nullptr: there is no lock.
  template <typename TenureOf>
  const Grants* look(Engine& engine, const Grants::Doing& doing, TenureOf tenure_of) {
    const Grants* first = nullptr;
    for (Grants& lock : locks_) {
      lock.look(engine, doing, tenure_of);
      const bool sooner = first == nullptr || first->over_at() == 0 ||
                          (lock.over_at() != 0 && lock.over_at() < first->over_at());
      if (sooner) first = &lock;
    }
    return first;
  }

 protected:
  ~GrantRecorder() = default;

  // Somebody has named this lock, perhaps for the first time.
  virtual void meet(std::string_view lock) = 0;
  Grants* find(std::string_view lock);

  std::vector<Grants> locks_;
};

// The locks of a scenario.
class KnownLocks final : public GrantRecorder {
 public:
  // As in Grants::reset(); number i of `keys` is key i of the history.
  void reset(history::RecordedSimulation& simulation, const sim::Process& place,
             models::Tenures& tenures, std::span<const std::string> keys, std::uint32_t rows,
             Grants::OverBy over_by);

 private:
  void meet(std::string_view) override {}
};

// Every name of GET_LOCK, and every row of a table of locks by its name.
class AnyLock final : public GrantRecorder {
 public:
  void reset(history::RecordedSimulation& simulation, const sim::Process& place,
             models::Tenures& tenures, models::Keys& keys, Grants::OverBy over_by);

 private:
  void meet(std::string_view lock) override;

  history::RecordedSimulation* simulation_ = nullptr;
  const sim::Process* place_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  models::Keys* keys_ = nullptr;
  Grants::OverBy over_by_{};
};

}  // namespace picklock::mysql
