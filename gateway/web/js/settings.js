// The settings of this browser: theme, speed of animations, sound, notifications.

const KEY = "tavolata.settings";
const DEFAULTS = { theme: "system", motion: "normal", sound: false, notify: false };

function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

let values = read();

/** Shows the page in the chosen theme. Without a choice the system decides. */
export function applyTheme() {
  const { theme } = values;
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const setting = (name) => values[name];

export function change(name, value) {
  values = { ...values, [name]: value };
  localStorage.setItem(KEY, JSON.stringify(values));
  applyTheme();
}

addEventListener("storage", (event) => {
  if (event.key !== KEY) return;
  values = read();
  applyTheme();
});
