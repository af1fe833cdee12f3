// The body that is chosen: its key, its losses in the conversation, and where the prompt cache ends.

/** @import { Sheet, SheetKey } from "../types.js" */

import { setText } from "./dom.js";
import { answers, describe, here, state, view } from "./state.js";

/** @returns {SheetKey} */
function key() {
  if (state.side) return `recorded/${state.id}/${state.side}`;
  if (state.about === "answer") return `answer/${state.id}/${state.wire}`;
  return `wire/${state.id}/${state.wire}/${state.how}/${state.cut}`;
}

/**
 * Ask for what is chosen, and mark it in the conversation; null if something else was chosen since.
 *
 * @returns {Promise<Sheet | null>}
 */
export async function loadAnswer() {
  const asked = key();
  const answer = await answerFor(asked);
  if (asked !== key()) return null;
  view.answer = answer;
  view.chat?.mark(answer.losses);
  const number = answer.losses.filter((loss) => loss.kind !== "expected").length;
  setText(document, "#tab-losses .count", number === 0 ? "" : String(number));
  return answer;
}

/**
 * The answer to a key. An exported page may lack a cut history: then it is the whole one.
 *
 * @param {SheetKey} asked
 * @returns {Promise<Sheet>}
 */
async function answerFor(asked) {
  try {
    return await answers.ask(asked);
  } catch (error) {
    if (state.cut > 0 && !answers.live) {
      const whole = await answers.ask(/** @type {SheetKey} */ (asked.replace(/\/\d+$/, "/0"))).catch(() => null);
      if (whole !== null) return { ...whole, uncut: true, title: `${whole.wire}, struck out what is cut` };
    }
    return { wire: state.wire, refused: { text: describe(error) }, losses: [] };
  }
}

/** Mark where the prompt cache ends, in the chat and in what was recorded. */
export async function markBreak() {
  if (here().previous === null) return;
  if (view.cache === null) {
    const { cache } = await answers.ask(`changes/${state.id}`);
    view.cache = cache;
    if (cache.path) {
      view.chat?.breakAt(cache.path);
      view.chat?.mark(view.answer?.losses ?? []);
      view.chat?.cut(view.positions[state.cut]?.dropped ?? []);
    }
  }
  const recorded = state.side === "client" || (!state.side && state.wire === here().wire);
  if (view.cache?.path && recorded && state.about === "request")
    view.sheets[0]?.note(view.cache.path, "the prompt cache ends here");
}
