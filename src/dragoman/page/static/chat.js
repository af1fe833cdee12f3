// The conversation as a chat: each block knows its path, and losses are marked in it. The blocks are
// made in ../chat.py; ../types.d.ts has their types.

/** @import { Answers, Block, Child, Citation, Conversation, Loss, MediumBlock, Message, ResultBlock, Skipped, Text, TextBlock, ThinkingBlock, Tool } from "../types.js" */

import { bytes, count, fill, findAll, h, setText, several } from "./dom.js";
import { isMarked, pills } from "./losses.js";
import { link, markdown } from "./markdown.js";
import { Pager } from "./pager.js";
import { nearest } from "./paths.js";
import { head, whole } from "./source.js";

const STEP = 100_000; // characters that a long text grows by
/** @type {Record<string, string>} */
const ROLES = { assistant: "Assistant", user: "User", system: "System", developer: "Developer", tool: "Tool" };
const OPTION = 60; // characters of an option's value
const LONG_PROMPT = 600; // characters of a system prompt that is folded away

/** A conversation in an element. `go` leads from a block to its JSON. */
export class Chat {
  /** @type {Answers} */
  #answers;
  /** @type {Conversation} */
  #data;
  /** @type {Pager} */
  #pager;
  /** @type {Map<string, number>} */
  #known = new Map(); // path -> index of the message; -1 for what the request says beside
  /** @type {Map<string, Loss[]>} */
  #marks = new Map(); // path of a block -> losses
  /** @type {Set<number>} */
  #dropped = new Set();
  /** @type {number | null} */
  #break = null; // index of the message at which the prompt cache ends
  #raw = false;
  /** @type {Element} */
  #root;
  /** @type {string} */
  #countedBy;
  /** @type {(number | null)[]} */
  #tokens = [];
  /** @type {((path: string) => void) | null} */
  #go;

  /**
   * @param {Element} root
   * @param {Answers} answers
   * @param {Conversation} data
   * @param {string} countedBy
   * @param {((path: string) => void) | null} go
   */
  constructor(root, answers, data, countedBy, go) {
    this.#countedBy = countedBy;
    this.#root = root;
    this.#answers = answers;
    this.#data = data;
    this.#go = go;
    this.#index();
    this.#pager = this.#draw();
  }

  #index() {
    this.#known.set("$", -1);
    for (const tool of this.#data.tools) this.#known.set(tool.path, -1);
    this.#data.messages.forEach((message, index) => {
      this.#known.set(message.path, index);
      /** @param {Block} block */
      const inside = (block) => {
        if (!this.#known.has(block.path)) this.#known.set(block.path, index);
        block.blocks?.forEach(inside);
      };
      message.blocks.forEach(inside);
    });
  }

  #redraw() {
    this.#pager.stop();
    this.#pager = this.#draw();
  }

  #draw() {
    const transcript = h("div", { class: "transcript" });
    const faults = this.#data.faults.map((fault) =>
      h(
        "div",
        { class: "fault", role: "alert" },
        h("p", {}, fault.status ? `${fault.status}: ${fault.text}` : fault.text),
        fault.path && h("p", { class: "mono" }, fault.path),
        fault.hint && h("p", {}, fault.hint),
      ),
    );
    fill(this.#root, this.#request(), transcript, faults, this.#ending());
    return new Pager(this.#root, {
      count: this.#data.messages.length,
      size: 20,
      height: 96,
      holder: transcript,
      render: (index) => this.#message(index),
    });
  }

  /**
   * Show texts as they are, or with their Markdown laid out.
   *
   * @param {boolean} raw
   */
  setRaw(raw) {
    this.#raw = raw;
    this.#redraw();
  }

  /**
   * Say how many tokens each message takes; null for one of which it is not known.
   *
   * @param {(number | null)[]} tokens
   */
  setTokens(tokens) {
    this.#tokens = tokens;
    setText(this.#root, ".total", this.#total());
    for (const [index, element] of this.#pager.rendered()) {
      setText(element, ".tokens", this.#size(index));
    }
  }

  /** @param {number} index */
  #size(index) {
    const tokens = this.#tokens[index] ?? null;
    return tokens === null ? "" : `~${count(tokens)}`;
  }

  #total() {
    let sum = 0;
    for (const tokens of this.#tokens) sum += tokens ?? 0;
    return sum === 0 ? "" : ` · about ${several(sum, "token")}, ${this.#countedBy}`;
  }

  /**
   * Mark these losses, and no others, where they are.
   *
   * @param {Loss[]} losses
   */
  mark(losses) {
    this.#marks = new Map();
    for (const loss of losses.filter(isMarked)) {
      const path = nearest(loss.where, this.#known) || "$";
      this.#marks.set(path, [...(this.#marks.get(path) ?? []), loss]);
    }
    for (const [, element] of this.#pager.rendered()) this.#markWithin(element);
    this.#markWithin(this.#root.querySelector(".request"));
  }

  /** @param {Element | null} element */
  #markWithin(element) {
    if (element === null) return;
    for (const marks of findAll(element, ".marks[data-path]")) this.#fillMarks(marks);
  }

  /** @param {HTMLElement} marks */
  #fillMarks(marks) {
    const losses = this.#marks.get(marks.dataset.path ?? "") ?? [];
    fill(marks, pills(losses));
  }

  /** @param {string} path */
  #marksAt(path) {
    const marks = h("div", { class: "marks", "data-path": path });
    this.#fillMarks(marks);
    return marks;
  }

  /**
   * Strike out what a cut takes away: indexes of messages, of those with a path of the request.
   *
   * @param {number[]} indexes
   */
  cut(indexes) {
    this.#dropped = new Set(indexes);
    for (const [index, element] of this.#pager.rendered()) this.#strike(index, element);
  }

  /**
   * @param {number} index
   * @param {Element} element
   */
  #strike(index, element) {
    element.classList.toggle("cut", this.#dropped.has(index - this.#data.prompts));
  }

  /**
   * The paths of messages by their indexes in the request.
   *
   * @param {number[]} indexes
   */
  pathsOf(indexes) {
    return indexes.map((index) => this.#data.messages[index + this.#data.prompts].path);
  }

  /**
   * Mark where the prompt cache ends.
   *
   * @param {string} path
   */
  breakAt(path) {
    this.#break = this.#known.get(nearest(path, this.#known)) ?? null;
    this.#redraw();
  }

  /**
   * Scroll to what stands at a path.
   *
   * @param {string} path
   */
  show(path) {
    const near = nearest(path, this.#known);
    const index = this.#known.get(near) ?? -1;
    if (index < 0) {
      this.#root.scrollTo({ top: 0 });
      return;
    }
    const message = this.#pager.show(index);
    const found = findAll(message, "[data-block]").filter((block) => block.dataset.block === near);
    const target = found[0] ?? message;
    target.closest("details")?.setAttribute("open", "");
    target.classList.remove("flash");
    requestAnimationFrame(() => {
      target.scrollIntoView({ block: "center" });
      target.classList.add("flash");
    });
  }

  /**
   * The next message from `from` on whose text holds the words, also far into it; -1 for none.
   *
   * @param {string} words
   * @param {number} from
   */
  async find(words, from) {
    const wanted = words.toLowerCase();
    const { messages } = this.#data;
    for (let i = 0; i < messages.length; i += 1) {
      const index = (from + i) % messages.length;
      if (await this.#holds(messages[index].blocks, wanted)) {
        this.#root.querySelector(".found")?.classList.remove("found");
        const element = this.#pager.show(index);
        element.classList.add("found");
        for (const fold of element.querySelectorAll("details")) {
          if (fold.textContent.toLowerCase().includes(wanted)) fold.open = true;
        }
        return index;
      }
    }
    return -1;
  }

  /**
   * @param {Block[]} blocks
   * @param {string} wanted
   * @returns {Promise<boolean>}
   */
  async #holds(blocks, wanted) {
    for (const block of blocks) {
      const shown = `${head(block.text ?? "")}\n${block.preview ?? ""}\n${block.name ?? ""}`;
      if (shown.toLowerCase().includes(wanted)) return true;
      if (typeof block.text === "object" && (await whole(this.#answers, block.text)).toLowerCase().includes(wanted))
        return true;
      if (block.blocks && (await this.#holds(block.blocks, wanted))) return true;
    }
    return false;
  }

  // -- what the request says beside its messages ------------------------------------------------

  #request() {
    const { options, tools, model, messages, skipped, agent } = this.#data;
    const values = options.map(([name, value]) =>
      h("span", { title: name }, `${name} ${short(JSON.stringify(value))}`),
    );
    const element = h(
      "section",
      { class: "request", "aria-label": "Request" },
      h(
        "p",
        { class: "figures" },
        model && h("b", {}, model),
        model && " · ",
        agent && `${agent} · `,
        messages.length > 0 ? several(messages.length, "message") : "Nothing to show",
        h("span", { class: "total" }, this.#total()),
      ),
      values.length > 0 && h("p", { class: "options muted" }, values),
      this.#marksAt("$"),
      tools.length > 0 && this.#tools(tools),
      skipped.length > 0 && besides(skipped),
    );
    return element;
  }

  /** @param {Tool[]} tools */
  #tools(tools) {
    const names = tools.map((tool) => tool.name).join(", ");
    return h(
      "details",
      { class: "fold" },
      h("summary", {}, h("span", {}, several(tools.length, "tool")), h("span", { class: "preview" }, names)),
      h(
        "div",
        { class: "inside" },
        tools.map((tool) =>
          h(
            "div",
            { class: "block", "data-block": tool.path },
            h("b", { class: "mono" }, tool.name),
            tool.server ? " (run by the provider)" : "",
            tool.description && h("p", { class: "muted" }, this.#text(tool.description, true)),
            tool.schema && h("pre", { class: "raw-text", tabindex: "0" }, head(tool.schema)),
            this.#marksAt(tool.path),
            tool.cache && cacheMark(tool.cache),
          ),
        ),
      ),
    );
  }

  #ending() {
    const ending = this.#data.answer;
    if (!ending) return null;
    const usage = Object.entries(ending.usage).map(([name, tokens]) => `${name.replace("_", " ")} ${count(tokens)}`);
    const reason = ending.raw && ending.raw !== ending.finish ? `${ending.finish} (${ending.raw})` : ending.finish;
    return h(
      "footer",
      { class: "ending figures" },
      `Answer ${ending.status}: ${reason}`,
      ending.model ? ` · ${ending.model}` : "",
      usage.length > 0 ? ` · tokens: ${usage.join(", ")}` : "",
    );
  }

  // -- messages ---------------------------------------------------------------------------------

  /** @param {number} index */
  #message(index) {
    const message = this.#data.messages[index];
    const go = this.#go;
    const blocks = message.blocks.map((block) => this.#block(block, message));
    const element = h(
      "article",
      {
        class: `message ${message.role}`,
        "aria-label": `${ROLES[message.role] ?? message.role}, message ${index + 1}`,
      },
      this.#data.compactions.includes(index - this.#data.prompts) &&
        h("p", { class: "cache-mark" }, "From here the agent went on with a summary"),
      this.#break === index && h("p", { class: "cache-mark break" }, "The prompt cache ends here"),
      h(
        "header",
        {},
        h("span", { class: "role" }, ROLES[message.role] ?? message.role),
        message.name && message.name !== message.role && h("span", { class: "who" }, message.name),
        message.answer && h("span", { class: "tag" }, "answer"),
        h("span", { class: "space" }),
        go && h("button", { type: "button", class: "bare to-json", onclick: () => go(message.path) }, "Show in JSON"),
        h("span", { class: "tokens" }, this.#size(index)),
      ),
      blocks,
      message.cache && cacheMark(message.cache),
      message.blocks.every((block) => block.path !== message.path) && this.#marksAt(message.path),
    );
    this.#strike(index, element);
    return element;
  }

  /**
   * @param {Block} block
   * @param {Message | null} message
   * @returns {HTMLElement}
   */
  #block(block, message) {
    const content = this.#content(block, message);
    return h(
      "div",
      { class: "block", "data-block": block.path },
      content,
      this.#marksAt(block.path),
      block.cache && cacheMark(block.cache),
    );
  }

  /**
   * @param {Block} block
   * @param {Message | null} message
   * @returns {Child}
   */
  #content(block, message) {
    switch (block.kind) {
      case "text":
        return this.#said(block, message);
      case "thinking":
        return thinking(block, this.#text(block.text));
      case "call":
        return fold(
          "call",
          [
            h("span", { class: "what" }, block.unfinished ? "breaks off in" : "calls"),
            h("span", { class: "name" }, block.name),
            h("span", { class: "preview" }, block.preview),
          ],
          h("pre", { class: "raw-text" }, this.#text(block.text, true)),
          h("p", { class: "muted small" }, `id ${block.id}`),
        );
      case "result":
        return this.#result(block);
      case "refusal":
        return h("p", {}, h("span", { class: "tag" }, "declines"), " ", this.#text(block.text));
      case "raw":
        return fold(
          "raw",
          [
            h("span", { class: "name" }, block.name),
            h("span", { class: "muted" }, `of ${block.issuer} alone`),
            h("span", { class: "preview" }, block.preview),
          ],
          h("pre", { class: "raw-text" }, this.#text(block.text, true)),
        );
      default:
        return this.#medium(block);
    }
  }

  /**
   * @param {TextBlock} block
   * @param {Message | null} message
   */
  #said(block, message) {
    const size = typeof block.text === "string" ? block.text.length : block.text.size;
    const prompt = message?.role === "system" || message?.role === "developer";
    const content = [this.#text(block.text), ...(block.citations ?? []).map(citation)];
    if (!prompt || size < LONG_PROMPT) return content;
    const line = head(block.text).trim().split("\n")[0];
    return fold("prompt", [h("span", {}, "prompt"), h("span", { class: "preview" }, line)], ...content);
  }

  /** @param {ResultBlock} block */
  #result(block) {
    const content = block.blocks
      ? block.blocks.map((inner) => this.#block(inner, null))
      : h("pre", { class: "raw-text" }, this.#text(block.text ?? "", true));
    const title = [
      h("span", { class: "what" }, block.error ? "fails" : "gives"),
      block.name && h("span", { class: "name" }, block.name),
      h("span", { class: "preview" }, block.preview),
    ];
    const element = fold(block.error ? "failed" : "", title, content);
    // a picture that a tool gave is worth more than a line about it
    if (block.blocks?.some((inner) => inner.data)) element.open = true;
    return element;
  }

  /** @param {MediumBlock} block */
  #medium(block) {
    const caption = [block.kind, block.title, block.media_type, block.size && bytes(block.size), block.name]
      .filter(Boolean)
      .join(" · ");
    if (block.data) {
      const holder = h("div", { class: "picture" });
      const broken = () => fill(holder, h("p", { class: "muted" }, "This picture is broken, and cannot be shown."));
      const image = h("img", {
        alt: block.title || `${block.kind} in the conversation`,
        loading: "lazy",
        decoding: "async",
        onerror: broken,
      });
      this.#answers.ask(`text/${block.data}`).then((data) => {
        image.src = `data:${block.media_type};base64,${data}`;
        holder.append(image);
      });
      return h("figure", { class: "medium" }, holder, h("figcaption", {}, caption));
    }
    const outside =
      block.url &&
      h(
        "p",
        { class: "source" },
        link(block.url, block.url) ?? h("code", {}, block.url),
        h("span", { class: "muted" }, " (not loaded)"),
      );
    return h(
      "figure",
      { class: "medium" },
      h("figcaption", {}, caption),
      outside,
      block.text && this.#text(block.text),
    );
  }

  /**
   * A text; of a long one its beginning, and a button for more.
   *
   * @param {Text} text
   * @param {boolean} [plain]
   */
  #text(text, plain = false) {
    /** @param {string} words */
    const make = (words) => (plain || this.#raw ? h("div", { class: "raw-text" }, words) : markdown(words));
    if (typeof text === "string") return make(text);
    const holder = h("div", {}, make(`${text.head}…`));
    let shown = text.head.length;
    const grow = async () => {
      const all = await whole(this.#answers, text);
      shown = shown === text.head.length && all.length <= STEP ? all.length : Math.min(all.length, shown + STEP);
      holder.replaceChildren(make(all.slice(0, shown)));
      if (shown < all.length) holder.append(more());
    };
    /** @returns {HTMLElement} */
    const more = () => h("button", { type: "button", onclick: grow }, `Show more of ${count(text.size)} characters`);
    holder.append(more());
    return holder;
  }
}

/** @param {string} text */
function short(text) {
  return text.length > OPTION ? `${text.slice(0, OPTION)}…` : text;
}

/**
 * What a session log holds that is no part of the conversation: it is named, and not lost in silence.
 *
 * @param {Skipped[]} rows
 */
function besides(rows) {
  const total = rows.reduce((sum, row) => sum + row.times, 0);
  return fold(
    "besides",
    [
      h("span", {}, `${several(total, "note")} of the log left out`),
      h("span", { class: "preview" }, rows.map((row) => row.what).join(", ")),
    ],
    h(
      "ul",
      { class: "notes" },
      rows.map((row) =>
        h(
          "li",
          {},
          h("b", { class: "mono" }, row.what),
          row.times > 1 && ` ×${count(row.times)}`,
          h("span", { class: "muted" }, `: ${row.why} (${row.times > 1 ? "first at " : ""}${row.place})`),
        ),
      ),
    ),
  );
}

/**
 * @param {string} kind
 * @param {Child} title
 * @param {...Child} content
 */
function fold(kind, title, ...content) {
  return h("details", { class: `fold ${kind}` }, h("summary", {}, title), h("div", { class: "inside" }, content));
}

/**
 * @param {ThinkingBlock} block
 * @param {Child} text
 */
function thinking(block, text) {
  const sealed = block.sealed ? `sealed, ${count(block.sealed)} characters` : "";
  const by = block.issuer ? `by ${block.issuer}` : "";
  const note = [by, sealed].filter(Boolean).join(", ");
  const line = head(block.text).trim().split("\n")[0];
  const title = [h("span", {}, "thinks"), h("span", { class: "preview" }, line || note)];
  return fold("thinking", title, head(block.text) ? text : null, note && h("p", { class: "small" }, note));
}

/** @param {Citation} row */
function citation(row) {
  const where = row.url ? (link(row.url, row.title || row.url) ?? row.url) : row.title;
  return h("p", { class: "source muted small" }, "source: ", where ?? "unnamed", row.quote ? ` “${row.quote}”` : "");
}

/** @param {string} ttl */
function cacheMark(ttl) {
  return h("p", { class: "cache-mark" }, ttl === "default" ? "cache mark" : `cache mark, ${ttl}`);
}
