// Named events with listeners.

export class Emitter {
  #listeners = new Map();

  /** Calls `listener` for every event of this name. Returns a function that ends it. */
  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  emit(name, detail) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(detail);
  }
}
