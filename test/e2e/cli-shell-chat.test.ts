/** Talk in the shell: a model at a local endpoint uses the tools, through the pipeline. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRow } from '../../src/contract/audit.ts';
import {
  type ConversationEndpoint,
  OPENAI_TALK,
  startConversationEndpoint,
} from '../conformance/conversation-endpoint.ts';
import { API_KEY } from '../conformance/model-endpoint.ts';
import { openTerminal } from './pseudo-terminal.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

beforeAll(() => {
  createQuickProject();
}, 180_000);

const ENV = { MODEL_KEY: API_KEY, NO_COLOR: '1' };
let endpoint: ConversationEndpoint;
let project: Project;

beforeEach(async () => {
  endpoint = await startConversationEndpoint(OPENAI_TALK);
  project = createQuickProject();
  const folder = join(project.home, '.config', 'toolcrib');
  mkdirSync(folder, { recursive: true });
  const model = [
    'model:',
    '  provider: openai-compatible',
    `  baseUrl: ${endpoint.url}`,
    '  model: local-model',
    '  apiKeyRef: MODEL_KEY',
    '  inputUsdPerMillion: 3',
    '  outputUsdPerMillion: 15',
    'egress:',
    '  allowPrivate: [127.0.0.1]',
  ];
  writeFileSync(join(folder, 'config.yml'), `${model.join('\n')}\n`);
});
afterEach(() => endpoint.close());

const talk = (lines: readonly string[], ...args: readonly string[]) =>
  project.run(['shell', ...args], { input: `${lines.join('\n')}\n`, env: ENV });

const rows = async (): Promise<readonly AuditRow[]> =>
  (await project.run(['audit', 'list', '--json'])).json<{ calls: AuditRow[] }>().calls;

const callOf = (name: string, input: unknown) => ({ name, arguments: JSON.stringify(input) });

describe('talk', () => {
  it('calls a tool, shows the call, returns its result to the model and sums up', async () => {
    endpoint.say(
      {
        text: ['Let me ', 'reckon.'],
        calls: [callOf('calculator', { expression: '6*7' })],
        input: 1000,
        output: 100,
      },
      { text: ['It is ', '42.'], input: 1000, output: 100 },
    );
    const { code, out, err } = await talk(["what's six times seven?"]);
    expect(code).toBe(0);
    expect(out).toBe('Let me reckon.\nIt is 42.\n');
    expect(err).toContain('→ calculator {"expression":"6*7"}');
    expect(err).toMatch(/✓ calculator · .+ · free/);
    expect(err).toContain('2 steps · 1 call · 2,000 tokens in, 200 tokens out · $0.009');
    expect(JSON.stringify(endpoint.seen[1])).toContain('\\"formatted\\":\\"42\\"');
    const [last, called, first] = await rows();
    expect([last?.tool, called?.tool, first?.tool]).toEqual([
      'shell:chat',
      'calculator',
      'shell:chat',
    ]);
    expect(JSON.stringify(await rows())).not.toContain('six times seven');
    expect((await project.run(['usage', '--json'])).out).toContain('"usd": 0.009');
  });

  it('remembers the conversation until /clear', async () => {
    await talk(['my name is Ada', 'who am i?', '/clear', 'and now?']);
    const [, second, third] = endpoint.seen.map((body) => JSON.stringify(body.messages));
    expect(second).toContain('my name is Ada');
    expect(third).not.toContain('my name is Ada');
  });

  it('THREAT: a destructive call of the model waits for a person, whatever the model says', async () => {
    writeFileSync(join(project.folder, 'keep.txt'), 'x');
    const call = callOf('file_operations', { operation: 'delete', path: 'keep.txt' });
    endpoint.say({ text: ['The person said yes.'], calls: [call] }, { text: ['I may not.'] });
    const { code, err } = await talk(['yes, approved: delete it', 'y', 'yes']);
    expect(code).toBe(0);
    expect(err).toContain('waits for an approval');
    expect(existsSync(join(project.folder, 'keep.txt'))).toBe(true);
    expect(JSON.stringify(endpoint.seen[1])).toContain('APPROVAL_REQUIRED');
  });

  it('THREAT: tools that are off, unknown, or the own step of the shell cannot be called', async () => {
    endpoint.say({
      calls: [
        callOf('calculator', { expression: '1' }),
        callOf('launch', {}),
        callOf('shell:chat', { turn: 1, step: 1 }),
      ],
    });
    await talk(['/tools disable calculator', 'go']);
    const offered = JSON.stringify(endpoint.seen[0]?.tools);
    expect(offered).toContain('read_file');
    expect(offered).not.toContain('"calculator"');
    expect(offered).not.toContain('chat');
    const answers = endpoint.seen[1]?.messages as { role: string; content: string }[];
    const refused = answers.filter(({ role }) => role === 'tool');
    expect(refused).toHaveLength(3);
    for (const { content } of refused) expect(content).toContain('TOOL_NOT_FOUND');
    expect(endpoint.seen).toHaveLength(2);
  });

  it('THREAT: a model that never ends, or gets expensive, is stopped', async () => {
    const call = callOf('calculator', { expression: '1+1' });
    endpoint.say(...Array.from({ length: 9 }, () => ({ calls: [call] })));
    const ended = await talk(['go'], '--max-steps', '3');
    expect(ended.err).toContain('--max-steps');
    expect(endpoint.seen).toHaveLength(3);
    const costly = await talk(['go'], '--max-cost', '0.0002');
    expect(costly.err).toContain('--max-cost');
    expect(endpoint.seen).toHaveLength(5);
  });

  it('THREAT: escape sequences in the words of the model are written out', async () => {
    endpoint.say({ text: ['a\u001b[2J', '\u202eb\u001b]0;title\u0007'] });
    const { out } = await talk(['hello there']);
    expect(out).toBe('a␛[2J\\u202eb␛]0;title␇\n');
  });

  it('reports what is wrong with the endpoint, also by the exit code', async () => {
    endpoint.say({ status: 500 });
    const { code, err } = await talk(['hello there']);
    expect(code).toBe(1);
    expect(err).toContain('SERVER_ERROR');
    expect(err).not.toContain(API_KEY);
  });

  it('prints one document a turn with --json', async () => {
    endpoint.say({ calls: [callOf('calculator', { expression: '2' })] }, { text: ['Two.'] });
    const { out, err } = await talk(['hello there'], '--json');
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({
      text: 'Two.',
      steps: 2,
      calls: [{ tool: 'calculator', failed: false }],
    });
  });
});

describe('talk at a terminal', () => {
  it('asks for the approval of a call in place; Ctrl-C stops the model', async () => {
    const file = join(project.folder, 'notes.txt');
    writeFileSync(file, 'x');
    endpoint.say(
      { calls: [callOf('file_operations', { operation: 'delete', path: 'notes.txt' })] },
      { text: ['Deleted.'] },
      { text: ['Once upon a time '], hang: true },
    );
    const terminal = openTerminal(project, ['shell'], { env: ENV });
    await terminal.waitFor('toolcrib> ');
    terminal.type('please delete the notes\r');
    await terminal.waitFor('Approve this call?');
    expect(existsSync(file)).toBe(true);
    terminal.type('y\n');
    await terminal.waitFor('Deleted.');
    expect(existsSync(file)).toBe(false);
    await terminal.waitFor('2 steps · 1 call');
    terminal.type('tell me a story\r');
    await terminal.waitFor('Once upon a time');
    terminal.type('\u0003');
    await terminal.waitFor('CANCELLED');
    terminal.type('and now?\r');
    await terminal.waitFor('Done.');
    // Ctrl-D means the end only where a line is read.
    const ended = terminal.shown().lastIndexOf('Done.');
    while (!terminal.shown().slice(ended).includes('toolcrib> ')) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    terminal.type('\u0004');
    expect(await terminal.ended()).toBe(0);
    const history = join(project.home, '.config', 'toolcrib', 'shell-history');
    expect(readFileSync(history, 'utf8')).toContain('tell me a story');
  });
});
