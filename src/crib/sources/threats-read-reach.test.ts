/** Threat: what a source is read from leads its reader to other places. */
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../create-crib.ts';

const cribs: Crib[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const crib of cribs.splice(0)) await crib.close();
  for (const server of servers.splice(0)) server.close();
});

const DOCUMENT = {
  openapi: '3.0.0',
  info: {},
  paths: { '/a': { get: { operationId: 'call', responses: {} } } },
};

/** A service that writes down who asks, and answers with a redirect where `location` is given. */
const serve = async (body: string, location?: () => string) => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (location) response.writeHead(302, { location: location() });
    response.end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const open = async (root?: string): Promise<Crib> => {
  const folder = root ?? (await mkdtemp(join(tmpdir(), 'toolcrib-reach-')));
  const crib = await createCrib({
    builtins: false,
    store: 'memory',
    home: join(folder, 'home'),
    root: folder,
    config: { registry: { lock: 'off' } },
  });
  cribs.push(crib);
  return crib;
};

describe('threat: a definition leads its reader elsewhere', () => {
  it('hostile: a document that redirects to the local API is not read', async () => {
    const api = await serve(JSON.stringify(DOCUMENT));
    const docs = await serve('', () => `${api.url}/admin?delete=all`);
    const crib = await open();
    const adding = crib.sources.add('openapi', 'a', {
      document: `${docs.url}/a.json`,
      baseUrl: api.url,
    });
    await expect(adding).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect([api.seen, docs.seen]).toEqual([[], ['GET /a.json']]);
  });

  it('hostile: a schema that redirects to a local service is not read', async () => {
    const api = await serve('type Query { a: Int }');
    const docs = await serve('', () => `${api.url}/admin`);
    const crib = await open();
    const adding = crib.sources.add('graphql', 'a', {
      schema: `${docs.url}/a.graphql`,
      url: `${api.url}/graphql`,
    });
    await expect(adding).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(api.seen).toEqual([]);
  });

  it('hostile: a file that refers to a link out of its folder does not read the target', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-reach-'));
    const secret = join(await mkdtemp(join(tmpdir(), 'toolcrib-secret-')), 'credentials');
    await writeFile(secret, 'description: canary-5150\n');
    await symlink(secret, join(root, 'more.yaml'));
    await writeFile(join(root, 'inside.yaml'), 'description: inside\n');
    const parameters = ['more', 'inside'].map((name) => ({
      name,
      in: 'query',
      schema: { $ref: `${name}.yaml` },
    }));
    const paths = { '/a': { get: { operationId: 'call', parameters, responses: {} } } };
    await writeFile(join(root, 'a.json'), JSON.stringify({ ...DOCUMENT, paths }));
    const crib = await open(root);
    await crib.sources.add('openapi', 'a', { document: 'a.json', baseUrl: 'https://a.example' });
    const { definitions } = crib.tools.forModel('mcp');
    expect(JSON.stringify(definitions)).toContain('inside');
    expect(JSON.stringify(definitions)).not.toContain('canary-5150');
  });

  it('benign: a document on this machine, and one that redirects there to itself, are read', async () => {
    const docs = await serve(JSON.stringify(DOCUMENT));
    const crib = await open();
    const settings = { document: `${docs.url}/a.json`, baseUrl: 'https://a.example' };
    expect(await crib.sources.add('openapi', 'a', settings)).toMatchObject({ tools: 1 });
  });
});
