/**
 * Puts questions of a server to the approver of calls. The edited input of the approval is the answer; a
 * plain approval answers with the defaults. No answer means no.
 */
import { randomUUID } from 'node:crypto';
import type { ApprovalRequest, Approver } from '../../../contract/approver.ts';
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import type { Elicitation, ElicitationAnswer } from '../../../contract/elicitation.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { McpDeps } from '../server-settings.ts';

const MAX_WAIT_MS = 300_000;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (schema: Fields): Readonly<Record<string, Fields>> =>
  typeof schema.properties === 'object' && schema.properties !== null
    ? (schema.properties as Readonly<Record<string, Fields>>)
    : {};

const defaultsOf = (schema: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fieldsOf(schema)).flatMap(([name, field]) =>
      field?.default === undefined ? [] : [[name, field.default]],
    ),
  );

const requestFor = (question: Elicitation, { now }: Runtime): ApprovalRequest => {
  const names = Object.keys(fieldsOf(question.schema));
  return {
    id: randomUUID(),
    caller: { ...LOCAL_CALLER, agentId: `mcp:${question.server}`, roles: [], permissions: [] },
    tool: `mcp:${question.server}`,
    version: '1.0.0',
    description: question.message,
    tier: 'external_api',
    action: 'elicit',
    input: defaultsOf(question.schema),
    estimatedCost: 0,
    estimatedTime: undefined,
    effects: [`Sends your answer to the MCP server ${question.server}`],
    targets: [],
    reason: `The MCP server ${question.server} asks for: ${names.join(', ') || 'a word'}.`,
    rule: 'mcp.elicitation',
    definition: '',
    rememberable: false,
    expiresAt: now() + MAX_WAIT_MS,
  };
};

type Value = string | number | boolean | string[];

const isValue = (value: unknown): value is Value =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/** Picks the requested fields; returns nothing when a required one is missing or a value has a wrong type. */
export const contentOf = (input: unknown, schema: Fields): Record<string, Value> | undefined => {
  if (typeof input !== 'object' || input === null) return undefined;
  const fields = fieldsOf(schema);
  const entries = Object.entries(input).filter(([name]) => Object.hasOwn(fields, name));
  const content: Record<string, Value> = {};
  for (const [name, value] of entries) {
    if (!isValue(value)) return undefined;
    content[name] = value;
  }
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return required.every((name) => Object.hasOwn(content, name)) ? content : undefined;
};

export const elicitByApprover =
  (approver: Approver, runtime: Runtime): NonNullable<McpDeps['elicit']> =>
  async (question, signal): Promise<ElicitationAnswer> => {
    const request = requestFor(question, runtime);
    const { answer, input = request.input } = await approver.ask(request, signal);
    if (answer !== 'approve') return { action: answer === 'deny' ? 'decline' : 'cancel' };
    const content = contentOf(input, question.schema);
    return content ? { action: 'accept', content } : { action: 'cancel' };
  };
