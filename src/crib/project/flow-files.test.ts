import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCribHost } from '../create-crib.ts';
import type { CribOptions } from '../crib-options.ts';
import { openProject } from '../open-project.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const flowText = (name: string, step = '{ id: a, sleepMs: 1 }'): string =>
  `name: ${name}\nversion: 1.0.0\nsteps:\n  - ${step}\n`;

const open = async (
  files: Readonly<Record<string, string>>,
  store: CribOptions['store'] = 'memory',
) => {
  const flowFiles = new Map(Object.entries(files).map(([name, text]) => [name, bytes(text)]));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const crib = await createCribHost({ store, builtins: false, flowFiles, runtime: { log } });
  cleanup.push(() => crib.close());
  return crib;
};

describe('flow files of a project', () => {
  it('can be started, also those that start each other in any order', async () => {
    const crib = await open({
      'a.yml': flowText('outer', '{ id: a, flow: inner@1.0.0 }'),
      'b.yaml': flowText('inner'),
      'notes.txt': 'not a flow',
      'sub/c.yml': 'not a flow either',
    });
    const { finished } = await crib.flows.start('outer', {});
    expect((await finished).status).toBe('completed');
    expect((await crib.flows.data()).map(({ name }) => name)).toEqual(['inner', 'outer']);
    expect(await crib.flows.fileFaults()).toEqual([]);
  });

  it('are left out when they have faults, which are reported with file, line and column', async () => {
    const crib = await open({
      'bad.yml': 'name: bad\nversion: 1.0.0\nsteps: 5\n',
      'good.yml': flowText('good'),
      'later.yml': flowText('later', '{ id: a, call: tool_of_a_server }'),
      'bytes.yml': '',
    });
    expect((await crib.flows.data()).map(({ name }) => name)).toEqual(['good', 'later']);
    const faults = await crib.flows.fileFaults();
    expect(faults.map(({ file, line, severity }) => [file, line, severity])).toEqual([
      ['bad.yml', 3, 'error'],
      ['bytes.yml', 1, 'error'],
      ['later.yml', 4, 'warning'],
    ]);
  });

  it('are both refused when they have the same name and version', async () => {
    const crib = await open({ 'a.yml': flowText('one'), 'b.yml': flowText('one') });
    expect(await crib.flows.data()).toEqual([]);
    expect((await crib.flows.fileFaults()).map(({ message }) => message)).toEqual([
      'one@1.0.0 is also in b.yml; keep one',
      'one@1.0.0 is also in a.yml; keep one',
    ]);
    await expect(crib.flows.start('one', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that start each other are refused and do not hang', async () => {
    const crib = await open({
      'a.yml': flowText('a', '{ id: x, flow: b@1.0.0 }'),
      'b.yml': flowText('b', '{ id: x, flow: a@1.0.0 }'),
    });
    expect(await crib.flows.fileFaults()).toHaveLength(2);
  });
});

describe('a process that works on jobs', () => {
  it('continues the run of a flow file that another process has left, and ends its job', async () => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-flows-'));
    cleanup.push(() => rmSync(root, { recursive: true, force: true }));
    const files = { 'slow.yml': flowText('slow', '{ id: a, sleepMs: 300 }') };
    const store = { sqlite: join(root, 'state.db') };
    const first = await open(files, store);
    const jobId = await first.jobs.enqueue('execute_workflow', { workflowId: 'slow' });
    await first.jobs.work();
    await expect.poll(() => first.flows.list({ status: 'sleeping' })).toHaveLength(1);
    await first.close();
    const second = await open(files, store);
    await second.jobs.work();
    const stateOf = async () => (await second.jobs.get(jobId))?.state;
    await expect.poll(stateOf, { timeout: 10_000 }).toBe('completed');
  });
});

describe('threats: flow files of a folder from elsewhere', () => {
  it('have no effect while the folder is not trusted', async () => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-flows-'));
    cleanup.push(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'project', '.toolcrib', 'flows'), { recursive: true });
    writeFileSync(join(root, 'project', '.toolcrib', 'flows', 'a.yml'), flowText('planted'));
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const crib = await openProject(join(root, 'project'), {
      ...{ store: 'memory', env: { HOME: root, XDG_CONFIG_HOME: root }, runtime: { log } },
    });
    cleanup.push(() => crib.close());
    expect(await crib.flows.data()).toEqual([]);
    await expect(crib.flows.start('planted', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
