// Where answers come from: a server on this machine, or the page itself. Both have `ask(key)`.

/** @import { Answer, Answers, Text } from "../types.js" */

/**
 * The answers of a live page, asked of its server once each.
 *
 * @implements {Answers}
 */
class Live {
  live = /** @type {const} */ (true);
  /** @type {Map<string, Promise<any>>} a key tells what its answer is */
  #answers = new Map();

  /**
   * @template {string} Key
   * @param {Key} key
   * @returns {Promise<Answer<Key>>}
   */
  ask(key) {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = this.#fetch(`api/${key.split("/").map(encodeURIComponent).join("/")}`);
    this.#answers.set(key, answer);
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }

  /**
   * @param {string} name
   * @param {Blob} data
   * @returns {Promise<number[]>} the ids of the exchanges in it
   */
  async open(name, data) {
    const ids = await this.#fetch(`open?name=${encodeURIComponent(name)}`, {
      method: "POST",
      body: data,
      headers: { "content-type": "application/octet-stream" },
    });
    this.#answers.delete("contents");
    return ids;
  }

  /**
   * @param {string} path
   * @param {RequestInit} [options]
   */
  async #fetch(path, options) {
    let response;
    try {
      response = await fetch(path, options);
    } catch {
      throw new Error("The server does not answer: it may have been stopped.");
    }
    const value = await response.json().catch(() => ({ error: `The server says ${response.status}.` }));
    if (!response.ok) throw new Error([value.error, value.hint].filter(Boolean).join(" "));
    return value;
  }
}

/**
 * The answers that an exported page carries.
 *
 * @implements {Answers}
 */
class Exported {
  live = /** @type {const} */ (false);
  /** @type {Record<string, any>} */
  #answers;

  /** @param {Record<string, any>} answers */
  constructor(answers) {
    this.#answers = answers;
  }

  /**
   * @template {string} Key
   * @param {Key} key
   * @returns {Promise<Answer<Key>>}
   */
  async ask(key) {
    const answer = this.#answers[key];
    if (answer === undefined) throw new Error("The exported page does not hold this; the live page does.");
    if (answer && answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }
}

/**
 * The source of this page.
 *
 * @returns {Live | Exported}
 */
export function source() {
  const block = document.getElementById("answers");
  return block === null ? new Live() : new Exported(JSON.parse(block.textContent));
}

/**
 * The whole of a text: of a long one only its head and its key were sent.
 *
 * @param {Answers} answers
 * @param {Text} text
 * @returns {Promise<string>}
 */
export async function whole(answers, text) {
  return typeof text === "string" ? text : answers.ask(`text/${text.key}`);
}

/**
 * What is there of a text already.
 *
 * @param {Text} text
 */
export function head(text) {
  return typeof text === "string" ? text : text.head;
}
