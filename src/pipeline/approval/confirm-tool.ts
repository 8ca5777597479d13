/** Puts a question of a flow to a person. */
import type { ReadyTool } from '../../contract/call.ts';
import type { Schema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { questionTool } from './question-tool.ts';

const CONFIRM_TOOL = 'toolcrib:confirm';

/** What a person is shown: the question, and what it is about. */
export interface ConfirmInput {
  readonly flow: string;
  readonly runId: string;
  readonly question: string;
  readonly details?: unknown;
}

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
