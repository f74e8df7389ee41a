// The identity of this tab. Each tab is one player: the token is kept with the tab and survives a reload. The last
// session is also kept with the browser, and the next tab takes it up if no other tab holds it.

const KEY = "tavolata.session";
const NAME = "tavolata.name";
const LOCK_WAIT = 1_500;

const read = (store) => {
  try {
    return JSON.parse(store.getItem(KEY) ?? "null");
  } catch {
    return null;
  }
};

export const guest = () => `Guest${1000 + Math.floor(Math.random() * 9000)}`;

/** True once this tab holds the session; false if another tab does. Held until the tab is closed. */
function hold(session, wait) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((answer) => {
    const options = wait ? { signal: AbortSignal.timeout(wait) } : { ifAvailable: true };
    navigator.locks
      .request(`tavolata:${session}`, options, (lock) => {
        answer(lock !== null);
        return lock && new Promise(() => {});
      })
      .catch(() => answer(false));
  });
}

class Identity {
  constructor(kept) {
    this.token = kept?.token ?? null;
    this.name = kept?.name ?? localStorage.getItem(NAME) ?? guest();
    this.session = kept?.session ?? null;
  }

  keep({ token, name, session }) {
    if (this.session !== session) hold(session, LOCK_WAIT);
    Object.assign(this, { token, name, session });
    const text = JSON.stringify({ token, name, session });
    sessionStorage.setItem(KEY, text);
    localStorage.setItem(KEY, text);
    localStorage.setItem(NAME, name);
  }

  forget() {
    this.token = this.session = null;
    sessionStorage.removeItem(KEY);
    localStorage.removeItem(KEY);
  }

  /** Chooses another name, close to the one that is taken. */
  another() {
    this.name = /^Guest\d+$/.test(this.name)
      ? guest()
      : `${this.name.slice(0, 29)}${10 + Math.floor(Math.random() * 90)}`;
  }
}

export async function recall() {
  const own = read(sessionStorage);
  if (own && (await hold(own.session, LOCK_WAIT))) return new Identity(own);
  const last = own ? null : read(localStorage);
  if (last && navigator.locks && (await hold(last.session))) return new Identity(last);
  sessionStorage.removeItem(KEY);
  return new Identity(null);
}
