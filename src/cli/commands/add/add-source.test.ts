/** Adding a source from the command line: what is shown, what is written, and what is refused. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { AddKind } from './add-kind.ts';
import { type AddArguments, addSource } from './add-source.ts';

vi.mock('../../../sources/openapi/openapi-driver.ts', async () => {
  const { createSmallDriver } = await import('../../../../test/fixtures/small-driver.ts');
  return { createOpenapiDriver: createSmallDriver };
});

const KIND: AddKind = {
  kind: 'openapi',
  summary: 'an API',
  address: 'a document',
  examples: [],
  recognises: () => false,
  options: (command) => command,
  source: async ({ address, name = 'lamps' }) => ({
    name,
    settings: { document: address },
    secrets: ['LAMPS_TOKEN'],
  }),
};

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-cli-add-')));
  await mkdir(join(root, 'project'));
  await writeFile(
    join(root, 'project', 'lamps.json'),
    JSON.stringify({ operations: { list: 'read_only', switch: 'external_api', watch: 'refused' } }),
  );
});

afterEach(() => rm(root, { recursive: true, force: true }));

const config = () => readFile(join(root, 'own', 'config.yml'), 'utf8');

const add = async (options: AddArguments['options'] = {}, json = false) => {
  const { io, out, err } = fakeIo({
    cwd: join(root, 'project'),
    env: { HOME: root, TOOLCRIB_HOME: join(root, 'own') },
    json,
  });
  const result = await addSource(io, KIND, { address: 'lamps.json', options, typed: [] }).catch(
    (error: unknown) => error,
  );
  return { result, out: out(), err: err() };
};

describe('toolcrib add of a source', { timeout: 60_000 }, () => {
  it('shows tools, tiers, rules, tokens, refusals, hosts and secrets in a dry run, and writes nothing', async () => {
    const { result, out, err } = await add({ dryRun: true });
    expect(result).toBe(0);
    expect(out).toContain('2 tools (1 read_only, 1 external_api); 1 of them ask first');
    expect(out).toMatch(/list +read_only +allow +~\d+ +Does list\./);
    expect(out).toMatch(/switch +external_api +ask/);
    expect(out).toContain('! watch: it is a subscription');
    expect(out).toContain('Reaches: api.example.com');
    expect(out).toContain('Secret: LAMPS_KEY is not stored yet');
    expect(err).toContain('→ Add it: toolcrib add openapi lamps.json');
    expect(existsSync(join(root, 'own'))).toBe(false);
  });

  it('lists the same as one JSON document', async () => {
    const { out } = await add({ dryRun: true }, true);
    expect(JSON.parse(out)).toMatchObject({
      source: 'lamps',
      kind: 'openapi',
      dryRun: true,
      hosts: ['api.example.com'],
      tools: [
        { name: 'list', tier: 'read_only', rule: 'allow' },
        { name: 'switch', tier: 'external_api', rule: 'ask' },
      ],
      refused: [{ name: 'watch', reason: 'it is a subscription' }],
      secrets: [
        { key: 'LAMPS_KEY', isSet: false },
        { key: 'LAMPS_TOKEN', isSet: false },
      ],
    });
  });

  it('writes the source into the file of the user, and says what is left to do', async () => {
    const { result, out, err } = await add();
    expect(result).toBe(0);
    expect(out).toContain('✓ Added: lamps');
    // Absolute: the file of the user counts in every folder.
    expect(await config()).toMatch(/ {2}openapi:\n {4}lamps: \{ document: \/.*\/lamps\.json \}/);
    expect(err).toContain('→ Store its secret: toolcrib secrets set LAMPS_TOKEN');
    expect(err).toContain('→ Try it: toolcrib sources test lamps');
  });

  it('writes into the project with --project', async () => {
    await add({ project: true });
    const text = await readFile(join(root, 'project', '.toolcrib', 'config.yml'), 'utf8');
    expect(text).toContain('document: lamps.json');
    expect(existsSync(join(root, 'own', 'config.yml'))).toBe(false);
  });

  it('refuses a name that is taken, unless it is to be replaced', async () => {
    await add();
    expect((await add()).result).toMatchObject({ code: 'CONFLICT' });
    expect((await add({ replace: true })).result).toBe(0);
  });

  it('writes nothing when the source cannot be read', async () => {
    await writeFile(join(root, 'project', 'lamps.json'), 'no JSON');
    expect((await add()).result).toBeInstanceOf(Error);
    expect(existsSync(join(root, 'own'))).toBe(false);
  });

  it('threat: refuses to redefine a source of the user in a project', async () => {
    await add();
    const { result } = await add({ project: true, replace: true });
    expect(result).toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});
