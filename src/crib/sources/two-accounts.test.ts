/** Two accounts of one API stand side by side, each with its own credential and its own rules. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../create-crib.ts';

const DOCUMENT = {
  openapi: '3.0.3',
  info: {},
  paths: {
    '/pets': {
      get: { operationId: 'listPets', responses: {} },
      post: { operationId: 'addPet', responses: {} },
    },
  },
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } } },
};
const KEYS: Readonly<Record<string, string>> = { WORK_KEY: 'key-of-work', HOME_KEY: 'key-of-home' };

const arrived: string[] = [];
const server = createServer(({ method, headers }, response) => {
  arrived.push(`${method} ${headers['x-key']}`);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
});

let home: string;
let crib: Crib;
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  home = await mkdtemp(join(tmpdir(), 'toolcrib-accounts-'));
  const document = join(home, 'pets.json');
  await writeFile(document, JSON.stringify(DOCUMENT));
  const account = (secret: string) => ({ document, baseUrl, auth: { key: { secret } } });
  const openapi = { work: account('WORK_KEY'), personal: account('HOME_KEY') };
  crib = await createCrib({
    home,
    root: home,
    builtins: false,
    store: 'memory' as const,
    config: { registry: { lock: 'off' }, sources: { openapi } },
    secrets: { get: async (key) => KEYS[key] },
    policy: {
      version: 1,
      rules: [
        {
          name: 'work-is-looked-at',
          effect: 'deny',
          when: 'tool.server == "openapi:work" && tier != "read_only"',
        },
        { name: 'mine', effect: 'allow', when: 'tool.server.startsWith("openapi:")' },
      ],
    },
  });
});
afterEach(async () => {
  await crib.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true, force: true });
});

it('two accounts of one API call it with two keys, and a rule tells them apart', async () => {
  const outcomes: string[] = [];
  for (const name of ['work.listPets', 'personal.listPets', 'work.addPet', 'personal.addPet']) {
    // A session of its own: what one account has answered is private, and would be asked about.
    const { status, error } = await crib.execute(name, {}, { sessionId: name });
    outcomes.push(`${name} ${status} ${error?.message ?? ''}`.trim());
  }
  expect(outcomes).toEqual([
    'work.listPets success',
    'personal.listPets success',
    expect.stringMatching(/^work.addPet denied .*\(rule work-is-looked-at\)$/),
    'personal.addPet success',
  ]);
  expect(arrived).toEqual(['GET key-of-work', 'GET key-of-home', 'POST key-of-home']);
});

it('what a rule makes of either account is explained', async () => {
  const { verdict } = await crib.explain('work.addPet', {});
  expect(verdict).toMatchObject({ effect: 'deny', rule: 'work-is-looked-at' });
  expect((await crib.explain('personal.addPet', {})).verdict.effect).toBe('allow');
});
