// Requests to the operators' API, with the token of an operator.

/** The outcome of an act: `ok`, or the text of the refusal; `again`: it is uncertain, and may be sent again. */
function outcome(status, said) {
  if (status < 300) return { ok: true };
  const again = status === 0 || said?.code === "ops/unanswered";
  const text = said?.text ?? "the cluster does not answer";
  return { ok: false, again, text: `${text.charAt(0).toUpperCase()}${text.slice(1)}.` };
}

/** A random id for an act. An act that is sent again under the same id is carried out once. */
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class OpsClient {
  #token;
  #banner;
  #refused;

  /** `banner(text)` shows a lasting text; `refused(text)` is called when the token is not accepted. */
  constructor(token, banner, refused) {
    this.#token = token;
    this.#banner = banner;
    this.#refused = refused;
  }

  /** The answer to a GET; null if there is none, `{wrong}` if it was refused. */
  async get(path) {
    const [status, said, wait] = await this.#ask(path);
    this.#banner(status === 0 || status === 503 ? "The cluster does not answer; trying again." : "");
    if (status === 401 || status === 429) {
      this.#refused(wait ? `Too many wrong tokens. Try again in ${wait} s.` : "This is not the token of an operator.");
      return null;
    }
    if (status === 0 || status === 503) return null;
    return status < 300 ? said : { wrong: said.text };
  }

  async order(path, body) {
    const [status, said] = await this.#ask(path, body);
    return outcome(status, said);
  }

  /** Status (0: none), body and Retry-After of an answer. */
  async #ask(path, body) {
    const headers = { Authorization: `Bearer ${this.#token}` };
    const order = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
    try {
      const answer = await fetch(`/api/ops/${path}`, order);
      return [answer.status, await answer.json(), answer.headers.get("Retry-After")];
    } catch {
      return [0, null, null];
    }
  }
}
