// What the page gets by each key of `queries.py`, and what its modules hand to each other. Read by
// the type checker alone: no browser loads it. `tests/page/test_types.py` lays it beside answers.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What `h` puts into an element; null, undefined and false are left out. */
export type Child = string | number | Node | false | null | undefined | readonly Child[];

type Handler<E extends Event> = (event: E) => unknown;

export interface Attributes {
  onclick?: Handler<MouseEvent>;
  onkeydown?: Handler<KeyboardEvent>;
  onchange?: Handler<Event>;
  oninput?: Handler<Event>;
  onerror?: Handler<Event>;
  [name: string]: string | number | boolean | null | undefined | ((event: never) => unknown);
}

// -- answers by their keys ------------------------------------------------------------------------

export type Answer<Key extends string> = Key extends "contents"
  ? Contents
  : Key extends `conversation/${string}`
    ? Conversation
    : Key extends `tokens/${string}`
      ? (number | null)[]
      : Key extends `stream/${string}`
        ? Stream
        : Key extends `changes/${string}`
          ? Changes
          : Key extends `losses/${string}`
            ? Sum[]
            : Key extends `cuts/${string}`
              ? Cuts
              : Key extends `text/${string}`
                ? string
                : Key extends SheetKey
                  ? Sheet
                  : never;

/** One body, whole or as events: on a wire, as an answer, or as it was recorded. */
export type SheetKey = `wire/${string}` | `answer/${string}` | `recorded/${string}`;

export interface Answers {
  ask<Key extends string>(key: Key): Promise<Answer<Key>>;
}

// -- what is open ---------------------------------------------------------------------------------

export interface Contents {
  files: { name: string; exchanges: number[] }[];
  exchanges: Exchange[];
  protocols: string[];
  vendors: string[];
  speakers: Record<string, string>;
  counted_by: string;
  left_out?: number; // of an exported page
}

export interface Exchange {
  id: number;
  place: string;
  wire: string;
  model: string;
  session: string;
  agent: string;
  when: string;
  status: number | null;
  request: boolean;
  answer: string;
  previous: number | null;
  upstream: string;
  losses: number;
  fault: string;
}

// -- the conversation -----------------------------------------------------------------------------

/** A text, or the beginning of a long one. */
export type Text = string | { head: string; key: string; size: number };

export interface Conversation {
  messages: Message[];
  tools: Tool[];
  options: [name: string, value: Json][];
  prompts: number; // messages that are shown before those of the request
  faults: Fault[];
  skipped: Skipped[];
  compactions: number[];
  agent?: string;
  stream?: boolean;
  model?: string | null;
  answer?: Ending;
}

export interface Message {
  path: string;
  role: string;
  name: string;
  blocks: Block[];
  cache?: string;
  answer?: boolean;
  finish?: string;
}

export interface Tool {
  name: string;
  path: string;
  server?: boolean;
  description?: Text;
  schema?: Text;
  cache?: string;
}

export interface Fault {
  text: string;
  path?: string;
  hint?: string;
  status?: number;
  type?: string;
  code?: string;
}

export interface Skipped {
  what: string;
  why: string;
  times: number;
  place: string;
}

export interface Ending {
  status: string;
  finish: string;
  raw: string | null;
  model: string | null;
  id: string | null;
  usage: Record<string, number>;
}

/** What may be asked of any block. */
interface BlockBase {
  path: string;
  cache?: string;
  text?: Text;
  name?: string | null;
  preview?: string;
  blocks?: Block[];
  unfinished?: boolean;
  url?: string;
  data?: string;
}

export interface TextBlock extends BlockBase {
  kind: "text";
  text: Text;
  citations?: Citation[];
}

export interface ThinkingBlock extends BlockBase {
  kind: "thinking";
  text: Text;
  sealed: number;
  issuer: string;
}

export interface CallBlock extends BlockBase {
  kind: "call";
  id: string;
  name: string;
  text: Text;
  preview: string;
  unfinished: boolean;
}

export interface ResultBlock extends BlockBase {
  kind: "result";
  id: string;
  error: boolean;
  preview: string;
}

export interface RefusalBlock extends BlockBase {
  kind: "refusal";
  text: Text;
}

export interface RawBlock extends BlockBase {
  kind: "raw";
  issuer: string;
  name: string;
  text: Text;
  preview: string;
}

export interface MediumBlock extends BlockBase {
  kind: "image" | "audio" | "video" | "document";
  title: string;
  source: string;
  media_type?: string;
  size?: number;
}

export type Block = TextBlock | ThinkingBlock | CallBlock | ResultBlock | RefusalBlock | RawBlock | MediumBlock;

export interface Citation {
  url?: string;
  title?: string;
  quote?: string;
}

// -- wires ----------------------------------------------------------------------------------------

export type Way = (string | number)[];

/** Where a long text was cut out of a body, under which key it is kept, and its size. */
export type LongText = [way: Way, key: string, size: number];

export interface Sheet {
  wire: string;
  losses: Loss[];
  speakers?: string;
  side?: string;
  model?: string | null;
  path?: string;
  headers?: Record<string, string>;
  body?: Json;
  long?: LongText[];
  pairs?: [at: string, source: string][];
  events?: WireEvent[];
  refused?: Fault;
  // what the page itself adds
  title?: string;
  uncut?: boolean;
}

export interface WireEvent {
  from: number;
  name: string | null;
  data: Json;
  long: LongText[];
  steps?: Step[];
}

export interface Loss {
  kind: string;
  code: string;
  weight: "major" | "minor" | "trivial";
  where: string;
  what: string;
  did: string;
  rule: string;
  meaning: string;
  fix: string;
  at: string[];
}

/** The losses of a wire by their kinds, or why the request cannot go there. */
export type Sum =
  | { wire: string; refused: string }
  | { wire: string; refused?: undefined; kinds: Record<string, number>; major: number };

export interface Cuts {
  positions: Position[];
  refused?: Fault;
}

export interface Position {
  limit: number;
  tokens: number;
  dropped: number[];
  cache_lost: number | null;
  unbound: number;
}

// -- streams --------------------------------------------------------------------------------------

export interface Stream {
  wire: string;
  framing: string;
  events: Omit<WireEvent, "from">[];
  messages: Message[];
  answer: Ending;
  failed: string | null;
}

export type Step =
  | { do: "block"; key: string; block: Block }
  | { do: "grow"; key: string; text: string }
  | { do: "start"; key: string; kind: string; block?: Block }
  | { do: "end"; key: string; kind: string; block?: Block };

/** A block of an answer that grows. */
export type Grown =
  | { kind: "block"; block: Block; text: string; open?: boolean; unfinished?: boolean }
  | { kind: string; block?: undefined; text: string; name?: string | null; open?: boolean; unfinished?: boolean };

// -- changes --------------------------------------------------------------------------------------

export type Change = "inserted" | "removed" | "changed";

export interface Changes {
  before: number;
  after: number;
  wire: string;
  counts: Partial<Record<Change, number>>;
  differences: Difference[];
  cache: Cache;
}

export interface Difference {
  change: Change;
  kind: string;
  left: string;
  right: string;
  parts: [how: "same" | "was" | "now", text: Text][];
}

export type Cache =
  | { unknown: string; path?: undefined }
  | {
      unknown?: undefined;
      path: string;
      why: string;
      kept: number;
      missed: number;
      counted: boolean;
      cached: boolean;
      minimum: number;
      unbound: string[];
      rule: string;
    };

/** Leads to a place in the chat, or in the JSON. */
export interface Go {
  chat(path: string): void;
  json(path: string): void;
}
