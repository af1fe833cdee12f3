// A long list of which only the pages near the eye are in the document.

import { h } from "./dom.js";

const NEAR = "1500px"; // above and below what is seen

/**
 * @typedef {object} Options
 * @property {number} count of all items
 * @property {number} size items of a page
 * @property {number} height about so many pixels of an item
 * @property {(index: number) => Element} render
 * @property {Element} [holder] what the pages go into, if that is not the root itself
 *
 * @typedef {{ page: HTMLElement, start: number, end: number, filled: boolean }} Page
 */

/** Fills `root`, which scrolls, with `count` items that `render(index)` makes when they are needed. */
export class Pager {
  /** @type {Page[]} */
  #pages = [];
  /** @type {Options["render"]} */
  #render;
  #size;
  #watch;

  /**
   * @param {Element} root
   * @param {Options} options
   */
  constructor(root, { count, size, height, render, holder = root }) {
    this.#render = render;
    this.#size = size;
    /** @type {IntersectionObserverCallback} */
    const seen = (entries) => {
      for (const entry of entries) this.#seen(entry);
    };
    this.#watch = new IntersectionObserver(seen, { root, rootMargin: `${NEAR} 0px` });
    for (let start = 0; start < count; start += size) {
      const end = Math.min(start + size, count);
      const page = h("div", { class: "page" });
      page.style.minHeight = `${(end - start) * height}px`;
      this.#pages.push({ page, start, end, filled: false });
      holder.append(page);
    }
    // the first page at once: what is seen first does not wait for an observer
    if (this.#pages.length > 0) this.#fillPage(this.#pages[0]);
    for (const row of this.#pages) this.#watch.observe(row.page);
  }

  /** @param {IntersectionObserverEntry} entry */
  #seen(entry) {
    const row = this.#pages.find((one) => one.page === entry.target);
    if (row === undefined) return;
    if (entry.isIntersecting) this.#fillPage(row);
    else if (row.filled && this.#pages.length > 8) this.#emptyPage(row);
  }

  /** @param {Page} row */
  #fillPage(row) {
    if (row.filled) return;
    row.filled = true;
    row.page.style.minHeight = "";
    for (let index = row.start; index < row.end; index += 1) row.page.append(this.#render(index));
  }

  /** @param {Page} row */
  #emptyPage(row) {
    if (row.page.contains(document.activeElement)) return; // what has the focus stays
    row.page.style.minHeight = `${row.page.getBoundingClientRect().height}px`;
    row.page.replaceChildren();
    row.filled = false;
  }

  /**
   * The element of an item, which is made if need be.
   *
   * @param {number} index
   * @returns {Element}
   */
  element(index) {
    const row = this.#pages[Math.floor(index / this.#size)];
    this.#fillPage(row);
    return row.page.children[index - row.start];
  }

  /**
   * The items that are in the document, as [index, element].
   *
   * @returns {Generator<[index: number, element: Element]>}
   */
  *rendered() {
    for (const row of this.#pages) {
      if (!row.filled) continue;
      for (let index = row.start; index < row.end; index += 1) {
        yield [index, row.page.children[index - row.start]];
      }
    }
  }

  /**
   * Scroll to an item; pages on the way get their heights as they are filled.
   *
   * @param {number} index
   * @param {ScrollLogicalPosition} [block]
   */
  show(index, block = "center") {
    const element = this.element(index);
    element.scrollIntoView({ block });
    requestAnimationFrame(() => element.scrollIntoView({ block }));
    return element;
  }

  /** Stop watching: the list goes. */
  stop() {
    this.#watch.disconnect();
  }
}
