/** Renders the pages of docs/tools from the definitions of the tools. Pure: definitions in, texts out. */

/**
 * @typedef {import('../src/contract/tool.ts').Tool} Tool
 * @typedef {import('../src/cli/commands/tools/parameter-table.ts').Parameter} Parameter
 * @typedef {{ tool: Tool, input: readonly Parameter[], output: readonly Parameter[] }} Described
 */

const code = (text) => `\`${text}\``;

/** Cells are one line, and a bar would end them. */
const cell = (text) =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ').trim();

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const section = (title, text) => (text === '' ? [] : [`## ${title}`, text]);

const duration = (ms) => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`);

const costText = ({ cost }) => {
  if (!cost) return 'free';
  const { model, fixed, perUnit, freeTierLimit, billingUrl } = cost;
  return [
    model.replace('_', ' '),
    ...(fixed === undefined ? [] : [`${fixed} US dollars a call`]),
    ...(perUnit ? [`${perUnit.price} US dollars a ${perUnit.unit}`] : []),
    ...(freeTierLimit === undefined ? [] : [`${freeTierLimit} free`]),
    ...(billingUrl === undefined ? [] : [`bills: ${billingUrl}`]),
  ].join('; ');
};

const authText = ({ auth }) => {
  if (!auth) return '';
  const { configKey, type, required, setupUrl } = auth;
  const where = setupUrl === undefined ? '' : `; get one at ${setupUrl}`;
  const kind = `${type.replace('_', ' ')}${required ? '' : ', optional'}`;
  return `${code(configKey)} (${kind})${where}; keep it with ${code(`toolcrib secrets set ${configKey}`)}`;
};

const needsText = ({ needs = {} }) =>
  [
    ...(needs.paths ?? []).map(({ path, access }) => `${access} files in ${code(path)}`),
    ...(needs.hosts ?? []).map((host) => (host === '*' ? 'any host' : `host ${code(host)}`)),
    ...(needs.commands ?? []).map((command) => `program ${code(command)}`),
    ...(needs.secrets ?? []).map((key) => `secret ${code(key)}`),
  ].join(', ');

const rateText = ({ rateLimit = {} }) =>
  [
    ...(rateLimit.maxPerHour === undefined ? [] : [`${rateLimit.maxPerHour} calls an hour`]),
    ...(rateLimit.maxPerDay === undefined ? [] : [`${rateLimit.maxPerDay} calls a day`]),
  ].join(', ');

const limitsText = (tool) => {
  const { timeoutMs, idleTimeoutMs, cache, concurrency } = tool;
  return [
    rateText(tool),
    timeoutMs === undefined ? '' : `${duration(timeoutMs)} a call`,
    idleTimeoutMs === undefined ? '' : `${duration(idleTimeoutMs)} without progress`,
    concurrency === undefined ? '' : `${concurrency.limit} at once`,
    cache === undefined ? '' : `results are kept for ${duration(cache.ttlMs)}`,
  ]
    .filter((text) => text !== '')
    .join('; ');
};

const retryText = ({ retry, idempotent }) =>
  [
    retry === undefined || retry.maxRetries === 0 ? '' : `up to ${retry.maxRetries} times`,
    idempotent ? 'may be repeated without harm' : '',
  ]
    .filter((text) => text !== '')
    .join('; ');

const factsOf = (tool) =>
  [
    ['Category', code(tool.category)],
    ['Tier', code(tool.tier)],
    ['Version', tool.version],
    ['Cost', costText(tool)],
    ['Credential', authText(tool)],
    ['Reaches', needsText(tool) || 'nothing outside itself'],
    ['Limits', limitsText(tool)],
    ['Tried again', retryText(tool)],
    ['Permissions', (tool.permissions ?? []).map(code).join(', ')],
    ['Also called', (tool.aliases ?? []).map(code).join(', ')],
    ['Tags', (tool.tags ?? []).join(', ')],
  ].filter(([, text]) => text !== '');

const capabilityRow = ({ capabilities, tier }) =>
  capabilities.map((each) => [
    code(each.action),
    code(each.tier ?? tier),
    [each.destructive ? 'destructive' : '', each.requiresConfirmation ? 'asks first' : '']
      .filter((text) => text !== '')
      .join(', '),
    cell(each.description),
  ]);

const parameterRows = (parameters) =>
  parameters.map(({ name, type, required, description }) => [
    code(name),
    cell(type),
    required ? 'yes' : '',
    cell(description),
  ]);

const parameterTable = (parameters) =>
  parameters.length === 0
    ? ''
    : table(['field', 'type', 'always', 'meaning'], parameterRows(parameters));

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The command that an example stands for, as it can be pasted into a shell. */
export const exampleCommand = (tool, { input }) =>
  `toolcrib run ${tool} ${quoted(JSON.stringify(input))}`;

const exampleText =
  ({ name }) =>
  (example) =>
    [
      `### ${example.title}`,
      `\`\`\`sh\n${exampleCommand(name, example)}\n\`\`\``,
      `\`\`\`ts\nawait crib.execute('${name}', ${JSON.stringify(example.input, null, 2)});\n\`\`\``,
      ...(example.output === undefined
        ? []
        : [
            `The data of the result holds:`,
            `\`\`\`json\n${JSON.stringify(example.output, null, 2)}\n\`\`\``,
          ]),
    ].join('\n\n');

/** What a call of the tool can be refused with by what it declares, before what it does itself. */
const codesOf = (tool) => {
  const { auth, needs = {}, capabilities, rateLimit, cost } = tool;
  const asks = capabilities.some((each) => each.requiresConfirmation || each.destructive);
  const reaches = (needs.hosts ?? []).length > 0;
  return [
    ['VALIDATION_ERROR', 'the input does not fit; `issues` names each place'],
    ['PERMISSION_DENIED', 'no rule allows the call, or it reaches further than the tool declares'],
    ...(asks ? [['APPROVAL_REQUIRED', 'a person has to agree first']] : []),
    ...(auth?.required ? [['AUTH_MISSING', `${code(auth.configKey)} is not set, or refused`]] : []),
    ...(rateLimit ? [['RATE_LIMITED', 'more calls than its limits allow']] : []),
    ...(cost && cost.model !== 'free' ? [['BUDGET_EXCEEDED', 'the budget does not cover it']] : []),
    ...(needs.paths ? [['NOT_FOUND', 'a file it was asked for is not there']] : []),
    ...(needs.commands
      ? [['DEPENDENCY_MISSING', 'a program it runs is missing; the suggestion says how to get it']]
      : []),
    ...(reaches ? [['NETWORK', 'the other side could not be reached']] : []),
    ['TIMEOUT', 'it took longer than it may'],
  ];
};

const errorTable = (tool) =>
  table(
    ['code', 'when'],
    codesOf(tool).map(([name, when]) => [code(name), cell(when)]),
  );

const NOTE =
  '<!-- Written by `npm run docs` from the definition of the tool; a test fails when the two differ. -->';

/** @param {Described} described */
export const renderToolPage = ({ tool, input, output }) =>
  `${[
    `# ${tool.name}`,
    NOTE,
    tool.description,
    ...(tool.documentation === undefined ? [] : [tool.documentation]),
    table(['', ''], factsOf(tool)),
    ...section(
      'What it can do',
      tool.capabilities.length === 0
        ? ''
        : table(['action', 'tier', '', 'meaning'], capabilityRow(tool)),
    ),
    ...section('Input', parameterTable(input)),
    ...section('Output', parameterTable(output)),
    ...section('Examples', (tool.examples ?? []).map(exampleText(tool)).join('\n\n')),
    ...section(
      'Errors',
      `What every tool that declares the same can answer with; all codes are in [errors.md](../errors.md).\n\n${errorTable(tool)}`,
    ),
  ].join('\n\n')}\n`;

const indexRow = ({ tool }) => [
  `[${tool.name}](${tool.name}.md)`,
  code(tool.tier),
  tool.auth ? code(tool.auth.configKey) : '',
  cell(tool.description),
];

const HEAD = ['tool', 'tier', 'credential', 'what it does'];

/** @param {readonly Described[]} all */
export const renderToolIndex = (all) => {
  const categories = [...new Set(all.map(({ tool }) => tool.category))].toSorted();
  const parts = categories.map((category) => {
    const rows = all.filter(({ tool }) => tool.category === category).map(indexRow);
    return `## ${category}\n\n${table(HEAD, rows.toSorted())}`;
  });
  return `${[
    '# Tools that ship',
    NOTE,
    'Each goes through the same pipeline; `toolcrib tools info <name>` says the same as its page.',
    ...parts,
  ].join('\n\n')}\n`;
};

/**
 * All pages by file name, the index among them.
 * @param {readonly Described[]} all
 */
export const renderToolDocs = (all) =>
  new Map([
    ['README.md', renderToolIndex(all)],
    ...all.map((each) => [`${each.tool.name}.md`, renderToolPage(each)]),
  ]);
