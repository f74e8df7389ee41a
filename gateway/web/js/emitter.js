// Who wants to hear what.

export class Emitter {
  #ears = new Map();

  /** Calls `ear` whenever `name` is told; the answer is a function that ends it. */
  on(name, ear) {
    const ears = this.#ears.get(name) ?? new Set();
    this.#ears.set(name, ears.add(ear));
    return () => ears.delete(ear);
  }

  tell(name, what) {
    for (const ear of [...(this.#ears.get(name) ?? [])]) ear(what);
  }
}
