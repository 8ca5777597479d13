/** The page docs/sources/n8n.md, from the top to the bottom, with the built program and an n8n of the tests. */
import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  API_KEY,
  type N8nServer,
  respondWith,
  startN8n,
  WEBHOOK_SECRET,
  webhookNode,
} from '../fixtures/vendors/n8n-server.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

const TIME_LIMIT = 240_000;
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/sources/n8n.md'), 'utf8');

const started: ChildProcess[] = [];
let n8n: N8nServer | undefined;
beforeAll(() => {
  createQuickProject();
}, 180_000);
afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
  await n8n?.close();
});

const serve = async (project: Project): Promise<string> => {
  const child = project.start(['serve', '--port', '0', '--no-console', '--json']);
  started.push(child);
  let out = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      if (out.endsWith('}\n')) resolve((JSON.parse(out) as { url: string }).url);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });
};

/** Writes the settings of the page, with the address of this n8n. */
const configure = (project: Project, url: string): void => {
  const [, settings = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  const folder = join(project.home, '.config/toolcrib');
  mkdirSync(folder, { recursive: true });
  expect(settings).toContain('baseUrl: http://localhost:5678');
  writeFileSync(join(folder, 'config.yml'), settings.replace('http://localhost:5678', url));
};

const callBack = (url: string, payload: object): Promise<Response> => {
  const body = JSON.stringify(payload);
  const time = String(Math.floor(Date.now() / 1_000));
  const mac = createHmac('sha256', WEBHOOK_SECRET).update(`${time}.${body}`).digest('hex');
  const headers = { 'x-toolcrib-timestamp': time, 'x-toolcrib-signature': `sha256=${mac}` };
  return fetch(`${url}/callbacks/n8n/flows`, { method: 'POST', body, headers });
};

describe('the page about n8n', { timeout: TIME_LIMIT }, () => {
  it('works as it is written: secrets, settings, tools, a run that answers later', async () => {
    const note = /^```json\n(\{ "name": "weather"[\s\S]*?)^```$/m.exec(PAGE)?.[1] ?? '';
    const content = `toolcrib\n${note}`;
    n8n = await startN8n([
      {
        id: 'w',
        name: 'W',
        path: 'weather',
        respond: respondWith({ sun: true }),
        nodes: [
          webhookNode('weather'),
          { type: 'n8n-nodes-base.stickyNote', parameters: { content } },
        ],
      },
      { id: 'm', name: 'Monthly', path: 'reports/monthly' },
    ]);
    const project = createQuickProject();
    const run = async (args: readonly string[], input = '') => {
      const ended = await project.run(args, { input });
      expect(ended.code, `${args.join(' ')}\n${ended.out}${ended.err}`).toBe(0);
      return ended;
    };
    await run(['secrets', 'set', 'N8N_WEBHOOK_SECRET'], WEBHOOK_SECRET);
    await run(['secrets', 'set', 'N8N_API_KEY'], API_KEY);
    configure(project, n8n.url);
    const listed = await run(['tools', 'list', '--json']);
    for (const tool of ['weather', 'monthly_report', 'send_email', 'get_workflow_result']) {
      expect(listed.out).toContain(tool);
    }
    expect((await project.run(['run', 'weather', 'city=Rome'])).code).not.toBe(0);
    const accept = /^toolcrib (tools accept .+ --yes)$/m.exec(PAGE)?.[1] ?? '';
    await run(accept.split(' '));
    const weather = await run(['run', 'weather', 'city=Rome', '--yes', '--json']);
    expect(weather.json()).toMatchObject({ data: { output: { sun: true }, executionId: '231' } });
    const report = await run(['run', 'monthly_report', 'month=May', '--yes', '--json']);
    const { invocationId } = report.json<{ data: { invocationId: string } }>().data;
    started.push(project.start(['worker']));
    while (!n8n.calls.some(({ url }) => url === '/webhook/reports/monthly')) await pause(50);
    const url = await serve(project);
    const answer = await callBack(url, { invocationId, success: true, output: { pages: 3 } });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { invocationId, state: 'completed' },
    ]);
    const read = ['run', 'get_workflow_result', `invocationId=${invocationId}`, '--json'];
    const data = { status: 'success', output: { pages: 3 } };
    expect((await run(read)).json()).toMatchObject({ data });
    expect((await run(['tools', 'health', 'weather'])).out).toContain('weather');
    expect(n8n.hits).toContain('GET /healthz');
  });
});
