// In place of Medusa's framework, which is large: the two names that its lock in Redis uses.
exports.MedusaError = class extends Error {
  static Types = { CONFLICT: "conflict" };
  constructor(type, message) { super(message); this.type = type; }
};
exports.promiseAll = (promises) => Promise.all(promises);
