/** Puts the plan of a flow to a person as one question. */
import type { ReadyTool } from '../../contract/call.ts';
import type { PlanQuestion } from '../../contract/flow-plan.ts';
import type { Schema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { questionTool } from './question-tool.ts';

export const PLAN_TOOL = 'toolcrib:plan';

const TEXTS = ['flow', 'version', 'digest'] as const;
const LISTS = ['calls', 'asks'] as const;

const input: Schema<PlanQuestion> = {
  validate: (value) => {
    const fields = isRecord(value) ? value : {};
    const issues = [
      ...TEXTS.filter((name) => typeof fields[name] !== 'string').map((name) => ({
        path: [name],
        message: 'has to be a text',
      })),
      ...LISTS.filter((name) => !Array.isArray(fields[name])).map((name) => ({
        path: [name],
        message: 'has to be a list',
      })),
    ];
    return issues.length === 0
      ? { ok: true, value: fields as unknown as PlanQuestion }
      : { ok: false, issues };
  },
  json: {
    type: 'object',
    properties: Object.fromEntries([
      ...TEXTS.map((name) => [name, { type: 'string' }]),
      ...LISTS.map((name) => [name, { type: 'array' }]),
    ]),
    required: [...TEXTS, ...LISTS],
  },
};

export const planTool = (): ReadyTool =>
  questionTool(
    { name: PLAN_TOOL, description: 'A flow asks once for all the calls that its plan lists.' },
    input,
  );
