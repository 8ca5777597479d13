// The tools that the official MCP conformance suite expects, as tools of a crib. Those that ask the
// client do so through the link that the program hands on (`aroundCall`).
import { setTimeout as sleep } from 'node:timers/promises';

export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const isForm = (answer) =>
  typeof answer === 'object' && answer !== null && typeof answer.action === 'string';
const elicit = (message, properties, required = []) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required } },
});
const sample = (prompt, maxTokens = 100) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
});
const ROOTS = { method: 'roots/list', params: {} };
const nameForm = (message) => elicit(message, { name: { type: 'string' } }, ['name']);
const told = (answer) => `action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;

const STRING = { type: 'string' };
const CONTENT = {
  test_simple_text: text('This is a simple text response for testing.'),
  test_image_content: { content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] },
  test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  },
  test_multiple_content_types: {
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  },
};

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const CHOICES = ['option1', 'option2', 'option3'];
const titled = (word) =>
  ['First', 'Second', 'Third'].map((nth, at) => ({
    const: `value${at + 1}`,
    title: `${nth} ${word}`,
  }));
const ENUMS = {
  untitledSingle: { type: 'string', enum: CHOICES },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: CHOICES } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

export const JSON_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: STRING, city: STRING },
    },
  },
  properties: {
    name: STRING,
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: STRING,
    email: STRING,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // Written out as a key it would make a promise-like object of the schema.
  ...Object.fromEntries([['then', { required: ['phone'] }]]),
  else: { required: ['email'] },
  additionalProperties: false,
};

/** By name: what runs, with the way back to the client. */
const asking = {
  test_sampling: async ({ prompt }, link) => {
    const { content } = await link.ask('sampled', sample(prompt));
    return text(`LLM response: ${content.text}`);
  },
  test_elicitation: async ({ message }, link) => {
    const fields = {
      username: { ...STRING, description: "User's response" },
      email: { ...STRING, description: "User's email address" },
    };
    const answer = await link.ask('user', elicit(message, fields, Object.keys(fields)));
    return text(`User response: ${told(answer)}`);
  },
  test_elicitation_sep1034_defaults: async (_input, link) =>
    text(`Elicitation completed: ${told(await link.ask('form', elicit('Defaults', DEFAULTS)))}`),
  test_elicitation_sep1330_enums: async (_input, link) =>
    text(`Elicitation completed: ${told(await link.ask('form', elicit('Enums', ENUMS)))}`),
  test_input_required_result_elicitation: async (_input, link) => {
    const answer = await link.ask('user_name', nameForm('What is your name?'), isForm);
    return text(`Hello, ${answer.content?.name}!`);
  },
  test_input_required_result_sampling: async (_input, link) => {
    const answer = await link.ask('capital_question', sample('What is the capital of France?'));
    return text(answer.content.text);
  },
  test_input_required_result_list_roots: async (_input, link) => {
    const { roots } = await link.ask('client_roots', ROOTS);
    return text(`Roots: ${roots.map(({ uri }) => uri).join(', ')}`);
  },
  test_input_required_result_request_state: async (_input, link) => {
    const confirm = elicit('Please confirm', { ok: { type: 'boolean' } }, ['ok']);
    await link.ask('confirm', confirm, isForm);
    return text('state-ok');
  },
  test_input_required_result_tampered_state: async (_input, link) => {
    const confirm = elicit('Please confirm', { ok: { type: 'boolean' } }, ['ok']);
    await link.ask('confirm', confirm, isForm);
    return text('state-ok');
  },
  test_input_required_result_multiple_inputs: async (_input, link) => {
    const [name, greeting, { roots }] = await Promise.all([
      link.ask('user_name', nameForm('What is your name?')),
      link.ask('greeting', sample('Generate a greeting', 50)),
      link.ask('client_roots', ROOTS),
    ]);
    return text(`${greeting.content.text} ${name.content?.name}, ${roots.length} roots`);
  },
  test_input_required_result_multi_round: async (_input, link) => {
    const first = await link.ask('step1', nameForm('Step 1: What is your name?'), isForm);
    const colour = elicit('Step 2: What is your favorite color?', { color: STRING }, ['color']);
    const second = await link.ask('step2', colour, isForm);
    return text(`${first.content?.name} likes ${second.content?.color}`);
  },
  test_input_required_result_capabilities: async (_input, link) => {
    const { elicitation, sampling } = link.capabilities;
    await Promise.all([
      ...(elicitation ? [link.ask('name', nameForm('What is your name?'))] : []),
      ...(sampling ? [link.ask('greeting', sample('Generate a greeting'))] : []),
    ]);
    return text('Done.');
  },
  test_missing_capability: async (_input, link) => {
    await link.ask('greeting', sample('Generate a greeting'));
    return text('Done.');
  },
  test_streaming_elicitation: async (_input, link) => {
    await link.ask('user_name', nameForm('What is your name?'), isForm);
    return text('Done.');
  },
};

const INPUTS = {
  test_sampling: { type: 'object', properties: { prompt: STRING }, required: ['prompt'] },
  test_elicitation: { type: 'object', properties: { message: STRING }, required: ['message'] },
};

const said = async (progress, steps) => {
  for (const [fraction, note] of steps) {
    progress(fraction, note);
    await sleep(50);
  }
};

const LOGGED = [
  [0, 'Tool execution started'],
  [0.5, 'Tool processing data'],
  [1, 'Tool execution completed'],
];

const logging = async (_input, context) => {
  await said(context.progress, LOGGED);
  return text('Three lines were logged.');
};

/** `linkOf` is the way back to the client of the running call; `change` changes a list. */
export const fixtureTools = (defineTool, { linkOf, change }) => {
  const tool = (name, run, input = { type: 'object', properties: {} }) =>
    defineTool({ name, description: `Fixture ${name}.`, tier: 'read_only', input, run });
  return [
    ...Object.entries(CONTENT).map(([name, content]) => tool(name, () => content)),
    ...Object.entries(asking).map(([name, run]) =>
      tool(name, (input) => run(input, linkOf()), INPUTS[name]),
    ),
    tool('test_tool_with_logging', logging),
    tool('test_logging_tool', logging),
    // Says something first, so that it is answered by a stream: only streams are judged by the suite.
    tool('test_reconnection', logging),
    tool('test_tool_with_progress', async (_input, context) => {
      await said(context.progress, [[0], [0.5], [1]]);
      return text('Three steps were reported.');
    }),
    tool('test_error_handling', () => {
      throw new Error('This tool intentionally returns an error for testing');
    }),
    tool('json_schema_2020_12_tool', () => text('Valid.'), JSON_SCHEMA),
    tool('test_headers', ({ region }) => text(`In ${region}.`), {
      type: 'object',
      properties: { region: { ...STRING, 'x-mcp-header': 'Region' } },
      required: ['region'],
    }),
    tool('test_trigger_tool_change', () => {
      change.tools();
      return text('Changed.');
    }),
    tool('test_trigger_prompt_change', () => {
      change.prompts();
      return text('Changed.');
    }),
  ];
};
