/**
 * Counts the prompt tokens of a session, and what the same calls would have taken with every tool in the
 * prompt: definitions once, then every input and result. Long texts are estimated from their beginning.
 */
import type { Catalog } from '../../contract/catalog.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';

export interface TokenReceipt {
  /** With the definitions of all tools, and all inner inputs and results, in the prompt. */
  readonly fullSurface: number;
  /** With the definitions of this surface, the code, and what it returned. */
  readonly codeSurface: number;
}

export interface ReceiptOptions {
  readonly catalog: Pick<Catalog, 'tokenReport'>;
  /** The tools that the code surface shows to a model. */
  readonly shown: readonly string[];
}

/** Tokens of a longer text are estimated from this many of its characters. */
const SAMPLE_CHARS = 4_000;
/** Characters of one text that a model gets at most: the rest is cut. */
const MAX_TEXT = 40_000;
const MAX_SESSIONS = 1_000;

interface Running {
  full: number;
  code: number;
  readonly uncounted: TextStart[];
}

interface TextStart {
  readonly start: string;
  readonly length: number;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const startOf = (value: unknown): TextStart => {
  const text = textOf(value);
  return { start: text.slice(0, SAMPLE_CHARS), length: text.length };
};

const countText = async ({ start, length }: TextStart): Promise<number> => {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // A special token that is spelled out in a text counts as text.
  const counted = countTokens(start, { disallowedSpecial: new Set<string>() });
  if (length <= SAMPLE_CHARS) return counted;
  return Math.round((counted * Math.min(length, MAX_TEXT)) / SAMPLE_CHARS);
};

export class TokenReceipts {
  readonly #options: ReceiptOptions;
  /** When it is full, the session that was used longest ago is dropped. */
  readonly #sessions = new BoundedMap<string, Running>(MAX_SESSIONS);

  constructor(options: ReceiptOptions) {
    this.#options = options;
  }

  /** Adds texts that went through the prompt of a session. */
  async add(session: string, sent: readonly unknown[]): Promise<void> {
    const running = this.#running(session);
    for (const each of sent) running.code += await countText(startOf(each));
  }

  /** Notes texts that would have gone through the prompt with all tools in it; `of` counts them. */
  note(session: string, ...texts: readonly unknown[]): void {
    this.#running(session).uncounted.push(...texts.map(startOf));
  }

  async of(session: string): Promise<TokenReceipt> {
    const { catalog, shown } = this.#options;
    const running = this.#running(session);
    for (const start of running.uncounted.splice(0)) running.full += await countText(start);
    const { full, code } = running;
    const { byTool } = await catalog.tokenReport({ enabled: true });
    const cost = (isShown: boolean): number =>
      byTool
        .filter(({ tool }) => shown.includes(tool) === isShown)
        .reduce((sum, { tokens }) => sum + tokens, 0);
    return { fullSurface: cost(false) + full, codeSurface: cost(true) + code };
  }

  #running(session: string): Running {
    const running = this.#sessions.get(session) ?? { full: 0, code: 0, uncounted: [] };
    this.#sessions.set(session, running);
    return running;
  }
}
