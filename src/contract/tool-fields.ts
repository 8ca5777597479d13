/**
 * Checks the fields of a tool. JavaScript has no types, and a misspelt `rateLimit` or `cost` would leave
 * a tool without one: an unknown field or one of the wrong type is refused.
 */
import { bareFieldsFault, foreignSchemaFault } from './foreign-schema.ts';
import { isRecord } from './is-record.ts';

/** Says what a value has to be, or nothing when it is that. */
type FieldCheck = (value: unknown) => string | undefined;

const must =
  (what: string, is: (value: unknown) => boolean): FieldCheck =>
  (value) =>
    is(value) ? undefined : `has to be ${what}`;

const isText = (value: unknown): boolean => typeof value === 'string';

const text = must('a text', isText);
const filled = must('a text that is not empty', (value) => isText(value) && value !== '');
const texts = must('a list of texts', (value) => Array.isArray(value) && value.every(isText));
const flag = must('true or false', (value) => typeof value === 'boolean');
const yes = must('true', (value) => value === true);
const method = must('a function', (value) => typeof value === 'function');
const amount = must('a number that is not negative', (value) => isAmount(value));
const count = must('a positive number', (value) => isAmount(value) && value !== 0);
const rate = must(
  'a share above 0, at most 1',
  (value) => isAmount(value) && value !== 0 && (value as number) <= 1,
);
const anything: FieldCheck = () => undefined;
const SIZE = /^\d+(?:\.\d+)?\s*(?:B|KB|MB|GB|KiB|MiB|GiB)$/i;
const size = must('a size as in 50MB', (value) => isText(value) && SIZE.test(value as string));
const SHARE = /^\d+(?:\.\d+)?%$/;
const share = must(
  'a share of cores as in 50%',
  (value) => isText(value) && SHARE.test(value as string),
);
const object = must('an object', isRecord);
const schema: FieldCheck = (value) =>
  typeof value === 'function' || isRecord(value)
    ? foreignSchemaFault(value as object)
    : 'has to be a schema';

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

const oneOf = (...values: readonly unknown[]): FieldCheck =>
  must(`one of ${values.join(', ')}`, (value) => values.includes(value));

interface Fields {
  readonly [name: string]: FieldCheck | readonly [required: FieldCheck];
}

const isRequired = (check: Fields[string]): check is readonly [FieldCheck] => Array.isArray(check);

/** Counts the letters that two names do not share. */
const lettersApart = (one: string, other: string): number => {
  const rest = [...other.toLowerCase()];
  let apart = 0;
  for (const letter of one.toLowerCase()) {
    const at = rest.indexOf(letter);
    if (at < 0) apart += 1;
    else rest.splice(at, 1);
  }
  return apart + rest.length;
};

const MAX_LETTERS_APART = 3;
const MAX_NAME = 40;

const didYouMean = (name: string, candidates: readonly string[]): string => {
  if (name.length > MAX_NAME) return '';
  const [nearest] = candidates
    .map((each) => ({ each, apart: lettersApart(name, each) }))
    .filter(({ each, apart }) => apart <= Math.min(MAX_LETTERS_APART, each.length - 1))
    .sort((a, b) => a.apart - b.apart);
  return nearest === undefined ? '' : `; did you mean ${nearest.each}?`;
};

/** What other libraries call the fields of a tool. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ...['execute', 'func', 'handler', 'invoke', 'call'].map((name) => [name, 'run'] as const),
  ...['inputSchema', 'parameters', 'schema', 'args'].map((name) => [name, 'input'] as const),
  ['outputSchema', 'output'],
  ['id', 'name'],
]);

/** Describes the first own name of an object that is not among the allowed ones. */
const unknownName = (value: object, fields: Fields): string | undefined => {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name) || Reflect.get(value, name) === undefined) continue;
    return `the field ${name} is not known${didYouMean(name, Object.keys(fields))}`;
  }
  return undefined;
};

/** Describes the first unknown field of a definition; for the definitions of flows. */
export const unknownField = (value: object, names: readonly string[]): string | undefined =>
  unknownName(value, Object.fromEntries(names.map((name) => [name, anything])));

type Values = Readonly<Record<string, unknown>>;

/** Makes the check that gives the first field that is missing or not what it has to be, in words. */
const fieldsOf = (fields: Fields): ((value: Values) => string | undefined) => {
  const checks = Object.entries(fields).map(([name, check]) =>
    isRequired(check)
      ? { name, check: check[0], required: true }
      : { name, check, required: false },
  );
  return (value) => {
    for (const { name, check, required } of checks) {
      const field = value[name];
      if (field === undefined && !required) continue;
      const problem = check(field);
      if (problem !== undefined) return `${name} ${problem}`;
    }
    return undefined;
  };
};

const shape = (fields: Fields): FieldCheck => {
  const wrongField = fieldsOf(fields);
  return (value) =>
    isRecord(value) ? (unknownName(value, fields) ?? wrongField(value)) : 'has to be an object';
};

const listOf =
  (check: FieldCheck): FieldCheck =>
  (value) => {
    if (!Array.isArray(value)) return 'has to be a list';
    for (const each of value as readonly unknown[]) {
      const problem = check(each);
      if (problem !== undefined) return `has an entry where ${problem}`;
    }
    return undefined;
  };

const PRECONDITION_BASE: Fields = { type: [text], description: [text], critical: [flag] };
const PRECONDITIONS: Readonly<Record<string, FieldCheck>> = {
  resource: shape({
    ...PRECONDITION_BASE,
    resource: filled,
    availability: oneOf('required', 'preferred'),
    check: [method],
  }),
  state: shape({ ...PRECONDITION_BASE, state: filled, expectedValue: anything, check: method }),
  permission: shape({ ...PRECONDITION_BASE, permission: [filled], check: method }),
  dependency: shape({
    ...PRECONDITION_BASE,
    tool: [filled],
    status: [oneOf('completed', 'available')],
    check: method,
  }),
  custom: shape({ ...PRECONDITION_BASE, id: text, check: [method] }),
};

const precondition: FieldCheck = (value) => {
  if (!isRecord(value)) return 'it has to be an object';
  const { type, state, expectedValue, check } = value;
  const judge = typeof type === 'string' && Object.hasOwn(PRECONDITIONS, type);
  if (!judge) return `type has to be one of ${Object.keys(PRECONDITIONS).join(', ')}`;
  const problem = PRECONDITIONS[type]?.(value);
  if (problem !== undefined) return problem;
  if (type !== 'state') return undefined;
  if (expectedValue === undefined) {
    return check === undefined ? 'a state needs an expectedValue or a check' : undefined;
  }
  return state === undefined ? 'an expectedValue needs the name of a state' : undefined;
};

/** Checks a validator, which may be an object of a class, with fields of its own. */
const validator: FieldCheck = (value) =>
  isRecord(value) && typeof value.check === 'function' ? undefined : 'check has to be a function';

const TIER = oneOf('read_only', 'write', 'execute', 'external_api');

const NEEDS = shape({
  paths: listOf(shape({ path: [text], access: [oneOf('read', 'write')] })),
  hosts: texts,
  localHosts: texts,
  commands: texts,
  secrets: texts,
  model: flag,
});

const COST = shape({
  model: [oneOf('free', 'usage_based', 'subscription', 'one_time')],
  fixed: amount,
  perUnit: shape({
    unit: [oneOf('token', 'character', 'record', 'second')],
    price: [amount],
    inputField: text,
  }),
  billingUrl: text,
  freeTierLimit: amount,
});

const AUTH = shape({
  type: [oneOf('api_key', 'oauth', 'basic_auth', 'bearer_token', 'custom')],
  required: [flag],
  configKey: [filled],
  setupUrl: text,
  test: method,
});

const CAPABILITY = shape({
  action: [filled],
  description: text,
  requiresConfirmation: flag,
  destructive: flag,
  tier: TIER,
  estimatedCost: amount,
  estimatedTime: amount,
});

const RECOVERY = shape({
  strategy: [oneOf('retry', 'skip', 'abort', 'manual', 'fallback')],
  tool: filled,
});

/** By field. What a registry checks with care of its own is left to it. */
export const TOOL_FIELDS = {
  name: anything,
  version: text,
  title: text,
  description: [text],
  documentation: text,
  examples: listOf(shape({ title: text, input: anything, output: anything })),
  tags: texts,
  author: text,
  license: text,
  enabled: flag,
  aliases: texts,
  source: text,
  category: text,
  tier: anything,
  capabilities: listOf(CAPABILITY),
  actionField: text,
  input: [schema],
  output: schema,
  validators: listOf(validator),
  sanitize: oneOf('flag', 'strip', 'off'),
  targets: method,
  programs: method,
  labels: shape({
    trust: oneOf('trusted', 'untrusted'),
    sensitivity: oneOf('public', 'private', 'secret'),
  }),
  sink: yes,
  callsTools: yes,
  composition: object,
  assigned: object,
  // Hints of an MCP server, which the lock and people see.
  annotations: object,
  auth: AUTH,
  cost: COST,
  estimate: method,
  permissions: texts,
  needs: NEEDS,
  preconditions: listOf(precondition),
  effects: listOf(object),
  undo: method,
  idempotent: flag,
  timeoutMs: amount,
  idleTimeoutMs: amount,
  retry: object,
  rateLimit: shape({ maxPerHour: amount, maxPerDay: amount, group: text }),
  cache: shape({ ttlMs: [amount], tags: texts }),
  recovery: RECOVERY,
  fallback: filled,
  breaker: shape({
    failures: [count],
    restMs: [amount],
    errorRate: shape({ max: [rate], windowMs: [count], minCalls: count }),
  }),
  server: text,
  sandbox: object,
  sandboxed: flag,
  codeDigest: filled,
  concurrency: shape({ limit: [count], queue: amount }),
  resourceRequirements: shape({ memory: size, disk: size, cpu: share }),
  dependencies: listOf(shape({ tool: [filled], range: text })),
  initialize: method,
  cleanup: method,
  healthCheck: method,
  handleError: method,
  run: [method],
} satisfies Fields;

const wrongField = fieldsOf(TOOL_FIELDS);

/** Describes the first field of a tool with a value of the wrong type. Ignores unknown fields. */
export const wrongToolField = (tool: object): string | undefined => wrongField(tool as Values);

/** Says which field has the name that another library gives it. */
const otherName = (definition: object): string | undefined => {
  for (const name of Object.keys(definition)) {
    const ours = Object.hasOwn(TOOL_FIELDS, name) ? undefined : OTHER_NAMES.get(name);
    if (ours !== undefined && Reflect.get(definition, name) !== undefined) {
      return `the field ${name} is not known; it is called ${ours} here`;
    }
  }
  return undefined;
};

/** Describes the first field that no tool has, and which one may be meant. */
export const unknownToolField = (definition: object): string | undefined =>
  otherName(definition) ?? unknownName(definition, TOOL_FIELDS);

/** Says that the schema of a definition, as it is written, is a list of fields and no schema. */
export const bareSchema = (definition: object): string | undefined => {
  for (const name of ['input', 'output']) {
    const source: unknown = Reflect.get(definition, name);
    const fault = isRecord(source) ? bareFieldsFault(source) : undefined;
    if (fault !== undefined) return `${name} ${fault}`;
  }
  return undefined;
};
