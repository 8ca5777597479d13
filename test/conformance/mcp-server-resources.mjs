// The resources and prompts that the official MCP conformance suite expects.
import { PNG } from './mcp-server-tools.mjs';

const STATIC = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched.' },
};

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

const fromTemplate = (uri) => {
  const id = TEMPLATE.exec(uri)?.[1];
  if (id === undefined) return undefined;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { mimeType: 'application/json', text: JSON.stringify(data) };
};

export const fixtureResources = {
  label: 'fixtures',
  list: async () =>
    Object.entries(STATIC).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  templates: () => [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'Template',
      mimeType: 'application/json',
    },
  ],
  read: async (uri) => {
    const found = Object.hasOwn(STATIC, uri) ? STATIC[uri] : fromTemplate(uri);
    return found && [{ uri, ...found }];
  },
};

const user = (content) => ({ role: 'user', content });
const line = (text) => user({ type: 'text', text });
const argument = (name) => ({ name, required: true });
const CONTEXT = {
  method: 'elicitation/create',
  params: {
    message: 'What context should the prompt use?',
    requestedSchema: {
      type: 'object',
      properties: { context: { type: 'string' } },
      required: ['context'],
    },
  },
};

const PROMPTS = {
  test_simple_prompt: { get: async () => [line('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    arguments: [argument('arg1'), argument('arg2')],
    get: async ({ arg1, arg2 }) => [line(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    arguments: [argument('resourceUri')],
    get: async ({ resourceUri: uri }) => [
      user({
        type: 'resource',
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
      line('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    get: async () => [
      user({ type: 'image', data: PNG, mimeType: 'image/png' }),
      line('Please analyze the image above.'),
    ],
  },
  test_input_required_result_prompt: {
    get: async (_args, link) => {
      const { content } = await link.ask('user_context', CONTEXT);
      return [line(`Use this context: ${content?.context}`)];
    },
  },
};

/** `watch` takes the listener that wants to know when the prompts change. */
export const fixturePrompts = (watch) => ({
  label: 'fixtures',
  list: async () =>
    Object.entries(PROMPTS).map(([name, prompt]) => ({
      name,
      description: `Fixture ${name}.`,
      arguments: prompt.arguments ?? [],
    })),
  watch,
  get: async ({ name, args }, _caller, link) =>
    Object.hasOwn(PROMPTS, name) ? { messages: await PROMPTS[name].get(args, link) } : undefined,
  complete: async ({ prompt, typed }) =>
    prompt === 'test_prompt_with_arguments'
      ? ['paris', 'park', 'party'].filter((value) => value.startsWith(typed))
      : undefined,
});
