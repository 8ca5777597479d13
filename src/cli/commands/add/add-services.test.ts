/** `toolcrib add graphql` and `toolcrib add websocket`, and the pages that show them. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { codeBlocks } from '../../../../test/architecture/code-blocks.ts';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { parseConfig } from '../../../config/load/parse-config.ts';
import { graphqlSource } from '../../../config/sections/sources/graphql.ts';
import { websocketSource } from '../../../config/sections/sources/websocket.ts';
import { addGraphql } from './add-graphql.ts';
import type { AddKind, NewSource } from './add-kind.ts';
import { addWebsocket } from './add-websocket.ts';

const pageOf = (kind: string): Promise<string> =>
  readFile(new URL(`../../../../docs/sources/${kind}.md`, import.meta.url), 'utf8');
const commandsIn = (page: string): readonly string[] =>
  codeBlocks(page, 'sh').flatMap((code) => code.match(/^toolcrib add [^#\n]*[^#\s]/gm) ?? []);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-add-'));
  const [desk = ''] = codeBlocks(await pageOf('websocket'), 'yaml');
  await writeFile(join(folder, 'desk.yml'), desk);
  await writeFile(join(folder, 'odd.yml'), 'operations: {}\n');
  await writeFile(join(folder, 'twice.yml'), 'a: 1\na: 2\n');
});

const run = async <O>(kind: AddKind<O>, line: string): Promise<NewSource> => {
  const command = kind.options(
    new Command(kind.kind).argument('<address>').option('--name <n>').option('--replace'),
  );
  command.exitOverride().parse(line.split(' ').slice(3), { from: 'user' });
  const { name, replace: _, ...options } = command.opts<{ name?: string; replace?: true }>();
  const { io } = fakeIo({ cwd: folder });
  return kind.source({ io, name, address: command.args[0] ?? '', options: options as O });
};

const checked = (kind: string, { name, settings }: NewSource): unknown => {
  const { sources } = parseConfig({ sources: { [kind]: { [name]: settings } } } as never);
  return (sources as unknown as Record<string, Record<string, unknown>>)[kind]?.[name];
};

const settingsNamed = (page: string): readonly string[] =>
  [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| /gm)].flatMap(
    ([, text = '']) => text.match(/\w+/g) ?? [],
  );

describe('toolcrib add graphql', () => {
  it('makes settings that the configuration takes, as its page shows', async () => {
    const page = await pageOf('graphql');
    const commands = commandsIn(page);
    expect(commands).toEqual(addGraphql.examples);
    const [github, chosen, shop] = await Promise.all(commands.map((line) => run(addGraphql, line)));
    const url = 'https://api.github.com/graphql';
    expect(github).toEqual({
      name: 'github',
      settings: { url, bearer: 'GITHUB_TOKEN' },
      secrets: ['GITHUB_TOKEN'],
    });
    expect(chosen?.settings.include).toEqual(['query.*', 'createIssue']);
    expect(shop).toMatchObject({ name: 'shop', settings: { schema: 'schema.graphql' } });
    for (const one of [github, chosen, shop]) {
      expect(one && checked('graphql', one)).toMatchObject(one?.settings ?? {});
    }
    const [yaml = ''] = codeBlocks(page, 'yaml');
    expect(() => parseConfig(parseDocument(yaml).toJS() as never)).not.toThrow();
    for (const name of settingsNamed(page)) expect(graphqlSource.shape).toHaveProperty(name);
  });

  it('reads headers with their secrets, and refuses other addresses', async () => {
    const line = `toolcrib add graphql https://x.example --header a=\${secret:KEY} --max-depth 2`;
    expect(await run(addGraphql, line)).toEqual({
      name: 'x',
      settings: { url: 'https://x.example', headers: { a: `\${secret:KEY}` }, maxDepth: 2 },
      secrets: ['KEY'],
    });
    for (const address of ['schema.graphql', 'https://a:b@x.example/', 'ftp://x.example/']) {
      const refusal = run(addGraphql, `toolcrib add graphql ${address}`);
      await expect(refusal).rejects.toThrow('without user name');
    }
    const odd = run(addGraphql, 'toolcrib add graphql https://x.example --header odd');
    await expect(odd).rejects.toThrow('--header');
    expect(addGraphql.recognises('https://x.example/graphql')).toBe(true);
    expect(addGraphql.recognises('https://x.example/graphql/schema.json')).toBe(false);
  });
});

describe('toolcrib add websocket', () => {
  it('makes settings that the configuration takes, as its page shows', async () => {
    const page = await pageOf('websocket');
    const [line = ''] = commandsIn(page);
    expect([line]).toEqual(addWebsocket.examples);
    const desk = await run(addWebsocket, line);
    expect(desk).toMatchObject({ name: 'desk', secrets: ['DESK_TOKEN'] });
    expect(checked('websocket', desk)).toMatchObject(desk.settings);
    for (const name of settingsNamed(page)) expect(websocketSource.shape).toHaveProperty(name);
  });

  it('says what is wrong with the address and with the file', async () => {
    for (const [rest, reason] of [
      ['https://x.example', 'ws://'],
      ['wss://x.example', '--operations'],
      ['wss://x.example --operations none.yml', 'cannot be read'],
      ['wss://x.example --operations odd.yml', 'correlation'],
      ['wss://x.example --operations twice.yml', 'line 2'],
    ] as const) {
      await expect(run(addWebsocket, `toolcrib add websocket ${rest}`)).rejects.toThrow(reason);
    }
    expect(addWebsocket.recognises('wss://x.example')).toBe(true);
    expect(addWebsocket.recognises('https://x.example')).toBe(false);
  });
});
