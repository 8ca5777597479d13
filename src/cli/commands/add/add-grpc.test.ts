import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/load/parse-config.ts';
import { type AddGrpcOptions, addGrpc } from './add-grpc.ts';

const sourceOf = (typed: string, name?: string) => {
  const command = addGrpc.options(new Command('grpc').argument('<address>').exitOverride());
  command.parse(typed.split(' '), { from: 'user' });
  const request = { address: command.args[0] ?? '', name, options: command.opts<AddGrpcOptions>() };
  return addGrpc.source({ io: {} as never, ...request });
};

describe('toolcrib add grpc', () => {
  it.each([
    ['localhost:50051', 'grpc', { address: 'localhost:50051' }],
    ['grpcs://shop.example.com:443/', 'shop', { address: 'shop.example.com:443', tls: true }],
    ['grpc://127.0.0.1:9000', 'grpc', { address: '127.0.0.1:9000', tls: false }],
    ['[::1]:50051 --no-tls', 'grpc', { address: '[::1]:50051', tls: false }],
    [
      'x.test:1 --proto a.proto --proto b.proto --include-dir inc --ca ca.pem --include Orders/*',
      'x',
      {
        address: 'x.test:1',
        proto: ['a.proto', 'b.proto'],
        includeDirs: ['inc'],
        ca: 'ca.pem',
        include: ['Orders/*'],
      },
    ],
  ])('%s makes settings that the configuration takes', async (typed, name, settings) => {
    const source = await sourceOf(typed);
    expect(source).toEqual({ name, settings, secrets: [] });
    const config = { sources: { grpc: { [source.name]: source.settings } } };
    expect(parseConfig(config as never).sources.grpc[name]).toMatchObject(settings);
  });

  it('names the secrets that its settings refer to, once each', async () => {
    const metadata = `--metadata x-key=\${secret:KEY} --metadata x-other=\${secret:KEY}`;
    const source = await sourceOf(`x.test:1 --bearer TOKEN ${metadata}`, 'mine');
    expect(source).toMatchObject({ name: 'mine', secrets: ['TOKEN', 'KEY'] });
    expect(source.settings).toMatchObject({ bearer: 'TOKEN' });
  });

  it.each(['shop.example.com', 'https://x.test:443', 'a@b:1', 'x.test:1 --metadata nothing'])(
    '%s is refused with an example',
    async (typed) => {
      await expect(sourceOf(typed)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        extras: { suggestions: [expect.stringContaining('For example')] },
      });
    },
  );

  it('recognises only addresses that say what they are', () => {
    expect(addGrpc.recognises('grpcs://x.test:443')).toBe(true);
    expect(addGrpc.recognises('localhost:50051')).toBe(false);
    expect(addGrpc.recognises('https://x.test')).toBe(false);
  });
});
