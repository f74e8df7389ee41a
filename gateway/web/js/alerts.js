// Tones and notifications: your turn, a message, the end of a game. Both are off until the player turns them on.

import { setting } from "./settings.js";

/** Frequency in Hz and beginning in seconds of each tone. */
const TONES = {
  turn: [
    [587, 0],
    [880, 0.12],
  ],
  chat: [[740, 0]],
  end: [
    [523, 0],
    [659, 0.14],
    [784, 0.28],
  ],
};
const LENGTH_S = 0.28;
const LOUDNESS = 0.12;

let audio = null;

export function play(kind) {
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
  for (const [frequency, after] of TONES[kind]) {
    const start = audio.currentTime + after;
    const tone = new OscillatorNode(audio, { frequency, type: "triangle" });
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(LOUDNESS, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, start + LENGTH_S);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + LENGTH_S);
  }
}

/** Alerts the player as far as the settings allow: by a tone, and by a notification if the tab is hidden. */
export function alert(kind, text, hidden) {
  if (setting("sound")) play(kind);
  if (!setting("notify") || !hidden || Notification.permission !== "granted") return;
  const note = new Notification(text, { tag: `tavolata-${location.pathname}`, icon: "/web/icon.svg" });
  note.onclick = () => {
    focus();
    note.close();
  };
}
