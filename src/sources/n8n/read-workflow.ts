/** Reads one workflow of the API of n8n as a tool. All of it is foreign: sizes, names and paths are checked. */
import type { JsonSchema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import { parseJson } from '../../kit/http/read-reply.ts';

/** A discovered workflow. Plain JSON: it is cached. */
export interface DiscoveredWorkflow {
  readonly name: string;
  readonly workflowId: string;
  readonly webhookPath: string;
  readonly description: string;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
}

export type WorkflowReading =
  | { readonly workflow: DiscoveredWorkflow }
  | { readonly refused: { readonly name: string; readonly reason: string } };

type Node = Readonly<Record<string, unknown>>;

const WEBHOOK = 'n8n-nodes-base.webhook';
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const PATH = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;
const TOOL_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const MAX_NODES = 1_000;
const MAX_NAME = 64;
const MAX_PATH = 500;
const MAX_TEXT = 4_000;
const MAX_NOTE = 100_000;
const MAX_DEPTH = 30;
const MAX_SCHEMA_NODES = 5_000;
const MAX_FIELDS = 100;

/** Reads a text, no longer than is needed to tell that a note is too long. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MAX_NOTE + 1) : '';

const isSafePath = (path: string): boolean =>
  path.length <= MAX_PATH &&
  PATH.test(path) &&
  path.split('/').every((segment) => segment !== '.' && segment !== '..');

/** Makes the name of a tool of the name of a workflow; `undefined` where nothing is left of it. */
export const nameOf = (text: string): string | undefined => {
  const name = text
    .slice(0, 500)
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase()
    .slice(0, MAX_NAME);
  return TOOL_NAME.test(name) ? name : undefined;
};

/** Checks a schema of a note: an object, of bounded size, that refers to nothing outside itself. */
export const isUsableSchema = (schema: unknown): schema is JsonSchema => {
  if (!isRecord(schema)) return false;
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: schema, depth: 0 }];
  for (let seen = 0; open.length > 0; seen += 1) {
    const { value, depth } = open.pop() ?? { value: undefined, depth: 0 };
    if (seen > MAX_SCHEMA_NODES || depth > MAX_DEPTH) return false;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (isPrototypeKey(key)) return false;
      if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(key) && !textOf(child).startsWith('#')) {
        return false;
      }
      open.push({ value: child, depth: depth + 1 });
    }
  }
  return true;
};

const webhooksOf = (nodes: readonly Node[]): readonly Node[] =>
  nodes.filter(({ type, disabled }) => type === WEBHOOK && disabled !== true);

const takesPost = (parameters: Node): boolean => {
  const { httpMethod = 'GET' } = parameters;
  return Array.isArray(httpMethod) ? httpMethod.includes('POST') : httpMethod === 'POST';
};

/** Finds the JSON of a sticky note whose first line is `toolcrib`, with or without a fence around it. */
const noteOf = (nodes: readonly Node[]): Node => {
  for (const { type, parameters } of nodes) {
    const content = type === STICKY_NOTE && isRecord(parameters) ? textOf(parameters.content) : '';
    if (content.length > MAX_NOTE) continue;
    const lines = content.split('\n').map((line) => line.trim());
    if (!/^(?:#{1,6} )?toolcrib$/i.test(lines[0] ?? '')) continue;
    const json = lines.slice(1).filter((line) => !line.startsWith('```'));
    const note = parseJson(json.join('\n'))?.value;
    if (isRecord(note)) return note;
  }
  return {};
};

const typeOf = (value: unknown): JsonSchema => {
  if (Array.isArray(value)) return { type: 'array' };
  const type = value === null ? undefined : typeof value;
  return type === undefined ? {} : { type };
};

/** Describes the body that is pinned to the webhook: its fields, none of them required. */
const pinnedSchema = (pinData: unknown, webhook: Node): JsonSchema | undefined => {
  const items = isRecord(pinData) ? pinData[textOf(webhook.name)] : undefined;
  const first: unknown = Array.isArray(items) ? items[0] : undefined;
  const json = isRecord(first) ? first.json : undefined;
  const body = isRecord(json) ? json.body : undefined;
  if (!isRecord(body)) return undefined;
  const fields = Object.entries(body).filter(([key]) => !isPrototypeKey(key) && key.length <= 200);
  const properties = Object.fromEntries(
    fields.slice(0, MAX_FIELDS).map(([key, value]) => [key, typeOf(value)]),
  );
  return { type: 'object', properties };
};

const inputOf = (note: Node, pinned: JsonSchema | undefined): { readonly input?: JsonSchema } => {
  const { input } = note;
  if (isUsableSchema(input) && input.type === 'object') return { input };
  return pinned ? { input: pinned } : {};
};

/** Chooses what a model reads; the notes of n8n, or the name. */
const descriptionOf = (workflow: Node, webhook: Node, note: Node): string => {
  const texts = [note.description, workflow.description, webhook.notes].map(textOf);
  const text = texts.find((each) => each.trim() !== '');
  return (text ?? `Runs the n8n workflow "${textOf(workflow.name)}".`).slice(0, MAX_TEXT);
};

/** Returns nothing for a workflow without a webhook: it cannot be called. */
export const readWorkflow = (workflow: unknown): WorkflowReading | undefined => {
  if (!isRecord(workflow) || workflow.active !== true || workflow.isArchived === true) {
    return undefined;
  }
  const all = Array.isArray(workflow.nodes) ? workflow.nodes.slice(0, MAX_NODES) : [];
  const nodes = all.filter(isRecord);
  const webhooks = webhooksOf(nodes);
  if (webhooks.length === 0) return undefined;
  const label = textOf(workflow.name).slice(0, 200);
  const refused = (reason: string): WorkflowReading => ({ refused: { name: label, reason } });
  const webhook = webhooks.find(({ parameters }) => isRecord(parameters) && takesPost(parameters));
  if (!webhook || !isRecord(webhook.parameters)) return refused('its webhook takes no POST');
  const webhookPath = textOf(webhook.parameters.path);
  if (!isSafePath(webhookPath)) return refused('the path of its webhook cannot be called');
  const note = noteOf(nodes);
  const name = nameOf(textOf(note.name)) ?? nameOf(label) ?? nameOf(webhookPath);
  if (name === undefined) return refused('its name cannot be used');
  const { output } = note;
  return {
    workflow: {
      name,
      workflowId: textOf(workflow.id).slice(0, 200) || webhookPath,
      webhookPath,
      description: descriptionOf(workflow, webhook, note),
      ...inputOf(note, pinnedSchema(workflow.pinData, webhook)),
      ...(isUsableSchema(output) && { output }),
    },
  };
};
