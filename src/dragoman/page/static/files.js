// How files come into the page: chosen, dropped, or pasted; and what it says while it has none.

import { fill, h, icon } from "./dom.js";

/** @typedef {(files: File[]) => unknown} Open */

const MOST = 200; // files of a folder that is dropped

/**
 * A button that opens files.
 *
 * @param {string} label
 * @param {Open} open
 */
export function opener(label, open) {
  const input = h("input", {
    type: "file",
    multiple: true,
    "aria-label": "Open files",
    onchange: async () => {
      await open([...(input.files ?? [])]);
      input.value = ""; // the same file may be chosen again
    },
  });
  return h("label", { class: "button file" }, icon("open"), label, input);
}

/**
 * What stands where nothing is open yet.
 *
 * @param {HTMLElement} main
 * @param {Open} open
 */
export function welcome(main, open) {
  main.className = "empty";
  main.setAttribute("aria-busy", "false");
  const area = h("textarea", {
    "aria-label": "A request, an answer or a recording",
    spellcheck: "false",
    placeholder: '{"model": "…", "messages": […]}',
  });
  const show = () => area.value.trim() && open([pasted(area.value)]);
  const kinds = [
    ["A request or an answer", "of any wire: whose it is, is detected"],
    ["A stream", "server-sent events, JSON lines, an AWS event stream"],
    ["A recording", "of a gateway or a test: one exchange a line"],
    ["A session", "of Claude Code, Codex, Gemini CLI or opencode, or an ATIF trajectory"],
    ["Messages", "as dragoman.message.dump stores them"],
  ];
  fill(
    main,
    h(
      "div",
      { class: "welcome" },
      h("h1", {}, "Read a conversation as every model would get it"),
      h("p", {}, "Drop a file here, or paste what was sent. Nothing leaves this machine."),
      h(
        "div",
        { class: "drop" },
        area,
        h(
          "div",
          { class: "actions" },
          h("button", { type: "button", class: "primary", onclick: show }, "Show"),
          opener("Open a file", open),
        ),
      ),
      h(
        "ul",
        {},
        kinds.map(([name, words]) => h("li", {}, h("b", {}, name), ` ${words}`)),
      ),
    ),
  );
}

/**
 * Take what is dropped on the page, and what is pasted where no field is.
 *
 * @param {Open} open
 */
export function takeDrops(open) {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (event.dataTransfer !== null) filesIn(event.dataTransfer).then(open);
  });
  addEventListener("paste", (event) => {
    const { target, clipboardData } = event;
    if (clipboardData === null || (target instanceof Element && target.closest("input, textarea"))) return;
    const text = clipboardData.getData("text");
    const files = text.trim() ? [pasted(text)] : [...clipboardData.files];
    if (files.length > 0) open(files);
  });
}

/**
 * The files that were dropped, with those in folders.
 *
 * @param {DataTransfer} transfer
 * @returns {Promise<File[]>}
 */
async function filesIn(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => !!entry);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  /** @type {File[]} */
  const files = [];
  /**
   * @param {FileSystemEntry} entry
   * @returns {Promise<void>}
   */
  const take = async (entry) => {
    if (files.length >= MOST) return;
    if (isFile(entry)) files.push(await new Promise((done, failed) => entry.file(done, failed)));
    else if (isFolder(entry)) for (const inner of await listed(entry.createReader())) await take(inner);
  };
  for (const entry of entries) await take(entry);
  return files;
}

/**
 * @param {FileSystemEntry} entry
 * @returns {entry is FileSystemFileEntry}
 */
function isFile(entry) {
  return entry.isFile;
}

/**
 * @param {FileSystemEntry} entry
 * @returns {entry is FileSystemDirectoryEntry}
 */
function isFolder(entry) {
  return entry.isDirectory;
}

/**
 * All entries of a folder, which come in portions.
 *
 * @param {FileSystemDirectoryReader} reader
 * @returns {Promise<FileSystemEntry[]>}
 */
async function listed(reader) {
  /** @type {FileSystemEntry[]} */
  const all = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** @param {string} text */
function pasted(text) {
  return new File([text], "pasted");
}
