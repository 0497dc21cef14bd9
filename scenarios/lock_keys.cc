#include "keys/key_kinds.h"
#include "models/locks/catalogue.h"
#include "scenarios/keys.h"

namespace picklock::scenarios {

using namespace keys;

const Keys<models::LockOptions>& option_keys() {
  static const Keys<models::LockOptions> all = [] {
    Keys<models::LockOptions> keys;
    for (const models::Algorithm* algorithm : models::locks::all()) {
      for (const Key<models::LockOptions>& key : algorithm->keys) {
        if (find(keys, key.name) == nullptr) keys.push_back(key);
      }
    }
    return keys;
  }();
  return all;
}

const Keys<LockSpec>& lock_keys() {
  static const Keys<LockSpec> all = [] {
    Keys<LockSpec> keys = {
        text<LockSpec>("algorithm", at<&LockSpec::algorithm>,
                       "the lock: a name of `picklock list algorithms`; must be given"),
        text<LockSpec>("key", at<&LockSpec::key>, "the key that every client wants"),
        text<LockSpec>("version", at<&LockSpec::version>,
                       "an older version of the lock's library, from which options that are not "
                       "given have their defaults: one of the lock's page in docs/locks"),
    };
    add_lifted(keys, option_keys(), at<&LockSpec::options>);
    // The same option may need another one with one lock and nothing with the next.
    for (Key<LockSpec>& key : keys) key.needs.reset();
    return keys;
  }();
  return all;
}

}  // namespace picklock::scenarios
