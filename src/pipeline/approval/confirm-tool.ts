/** Puts a question of a flow to a person. */
import type { ReadyTool } from '../../contract/call.ts';
import type { Schema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { questionTool } from './question-tool.ts';

const CONFIRM_TOOL = 'toolcrib:confirm';

/** What a person is shown: the question, and what it is about. In lists it is read in this order. */
export interface ConfirmInput {
  readonly question: string;
  readonly flow: string;
  /** What the run was given, as JSON. One that is long is cut, and says so: it tells two runs apart. */
  readonly input?: string;
  readonly runId: string;
  readonly details?: unknown;
}

const MAX_GIVEN = 1_000;

/** Writes what a run was given for a person; nothing where it was given nothing. */
export const givenText = (given: unknown): string | undefined => {
  const text = JSON.stringify(given);
  if (text === undefined || text === '{}' || text === 'null') return undefined;
  if (text.length <= MAX_GIVEN) return text;
  // Whoever starts a run chooses what stands first: that something is not shown has to be said.
  return `${text.slice(0, MAX_GIVEN)}… (${text.length - MAX_GIVEN} more characters are not shown)`;
};

const NAMES = ['flow', 'runId', 'question'] as const;

const input: Schema<ConfirmInput> = {
  validate: (value) => {
    const issues = NAMES.flatMap((name) =>
      isRecord(value) && typeof value[name] === 'string'
        ? []
        : [{ path: [name], message: 'has to be a text' }],
    );
    return issues.length === 0
      ? { ok: true, value: value as unknown as ConfirmInput }
      : { ok: false, issues };
  },
  json: {
    type: 'object',
    properties: {
      flow: { type: 'string' },
      runId: { type: 'string' },
      question: { type: 'string' },
    },
    required: [...NAMES],
  },
};

export const confirmTool = (): ReadyTool =>
  questionTool(
    { name: CONFIRM_TOOL, description: 'A flow asks a person before it goes on.' },
    input,
  );
