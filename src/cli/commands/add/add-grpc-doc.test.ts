import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { afterEach, describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { createGrpcBench, newFolder } from '../../../../test/fixtures/grpc-crib.ts';
import { parseConfig } from '../../../config/load/parse-config.ts';
import { grpcSource } from '../../../config/sections/sources/grpc.ts';
import { createCrib } from '../../../crib/create-crib.ts';
import { withAddOptions } from './add-command.ts';
import { type AddGrpcOptions, addGrpc } from './add-grpc.ts';

const page = readFileSync(new URL('../../../../docs/sources/grpc.md', import.meta.url), 'utf8');
const block = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code]) => code ?? '',
  );

const bench = createGrpcBench();
afterEach(() => bench.close());

describe('docs/sources/grpc.md', () => {
  const commands = block('sh').flatMap(
    (code) => code.match(/^toolcrib add grpc [^#\n]*[^#\s]/gm) ?? [],
  );

  it('shows the commands of the help', () => {
    expect(commands).toEqual(addGrpc.examples);
  });

  it.each(commands)('%s makes settings that the configuration takes', async (line) => {
    const command = addGrpc.options(withAddOptions(new Command('grpc').argument('<address>')));
    command.parse(line.split(' ').slice(3), { from: 'user' });
    const { settings } = await addGrpc.source({
      io: {} as never,
      name: 'shop',
      address: command.args[0] ?? '',
      options: command.opts<AddGrpcOptions>(),
    });
    const { sources } = parseConfig({ sources: { grpc: { shop: settings } } } as never);
    expect(sources.grpc.shop).toMatchObject(settings);
  });

  it('shows a configuration that is valid, and names only settings that there are', () => {
    const [yaml = ''] = block('yaml');
    expect(() => parseConfig(parseDocument(yaml).toJS())).not.toThrow();
    const names = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| /gm)]
      .flatMap(([, text = '']) => text.match(/\b[a-z]\w+/g) ?? [])
      .filter((name) => /^[a-z]+[A-Z]|^tls|^ca$|^bearer|^metadata/.test(name));
    for (const name of names) expect(Object.keys(grpcSource.shape)).toContain(name);
    expect(names.length).toBeGreaterThan(5);
  });

  it('shows a program that runs, with the address of a server that is there', async () => {
    const server = await bench.start();
    const [code = ''] = block('js');
    const body = code
      .replace(/^import .*$/m, '')
      .replace('localhost:50051', `127.0.0.1:${server.port}`)
      .replace(`{ store: 'memory' }`, `{ store: 'memory', home, config }`);
    const config = { registry: { lock: 'off' } };
    const run = new Function(
      ...['createCrib', 'home', 'config'],
      `return (async () => {${body}; return data;})();`,
    ) as (...args: readonly unknown[]) => Promise<unknown>;
    expect(await run(createCrib, await newFolder(), config)).toMatchObject({ orderId: 'o1' });
  });
});
