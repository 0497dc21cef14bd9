// How one client process is connected to the servers of one kind.
#pragma once

#include <typeinfo>

#include "history/history.h"

namespace picklock::servers {

class ClientEnd {
 public:
  virtual ~ClientEnd() = default;

  // The interface of this type that locks use; nullptr: it has another type.
  virtual void* find(const std::type_info& type) = 0;

  virtual void start() {}     // call this as soon as the process runs
  virtual void forget() = 0;  // the process has crashed
  // The sender of the message that a listener of this end is handling; 0: there is none.
  virtual history::TenureId speaker() const { return 0; }

  // Whether it can look up again which servers lead.
  virtual bool discovers() const { return false; }
  // Looks them up and follows them.
  virtual void refresh() {}
};

// An end that itself is the `Interface` that locks use.
template <typename Interface>
class EndOf : public Interface, public ClientEnd {
 public:
  void* find(const std::type_info& type) final {
    return type == typeid(Interface) ? static_cast<Interface*>(this) : nullptr;
  }
};

}  // namespace picklock::servers
