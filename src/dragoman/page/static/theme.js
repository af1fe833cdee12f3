// Light or dark: what the system says, or what was chosen, which the browser keeps.

import { say } from "./dom.js";

const THEME = "dragoman-theme";

function readTheme() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null; // a browser that keeps nothing
  }
}

/** @param {string | null} theme */
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    if (theme) localStorage.setItem(THEME, theme);
    else localStorage.removeItem(THEME);
  } catch {
    // it holds for as long as the page is open
  }
}

export function switchTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  setTheme(now === "dark" ? "light" : "dark");
  say(now === "dark" ? "Light" : "Dark");
}

export function restoreTheme() {
  setTheme(readTheme());
}
