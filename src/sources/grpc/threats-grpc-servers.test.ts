import { createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createGrpcBench } from '../../../test/fixtures/grpc-crib.ts';
import { field, type Reflected, SHOP_PROTO } from '../../../test/fixtures/grpc-server.ts';

const bench = createGrpcBench();
afterEach(() => bench.close());

const at = ({ port }: { readonly port: number }): string => `127.0.0.1:${port}`;

/** Writes the descriptor of a file by hand; `parts` are more of its fields. */
const file = (name: string, ...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([field(1, name), field(2, 'evil'), ...parts, field(12, 'proto3')]);
const imports = (name: string): Buffer => field(3, name);
const message = (name: string, ...fields: readonly Buffer[]): Buffer =>
  field(4, Buffer.concat([field(1, name), ...fields]));
const scalar = (name: string, number: number): Buffer =>
  field(2, Buffer.concat([field(1, name), Buffer.from([0x18, number, 0x20, 1, 0x28, 9])]));
const service = (name: string, ...methods: readonly string[]): Buffer => {
  const all = methods.map((method) =>
    field(2, Buffer.concat([field(1, method), field(2, '.evil.In'), field(3, '.evil.In')])),
  );
  return field(6, Buffer.concat([field(1, name), ...all]));
};

const sourceOf = async (reflected: Reflected, settings = {}) => {
  const crib = await bench.crib({ address: at(await bench.start({ reflected })), ...settings });
  return { crib, status: crib.sources.list()[0] };
};

const SERVICES = ['evil.Svc'];

describe('a hostile gRPC server cannot harm by its reflection:', () => {
  it('files that import each other end the reading', async () => {
    const files: Readonly<Record<string, Buffer>> = {
      'evil.Svc': file('a', imports('b'), message('In'), service('Svc', 'Do')),
      b: file('b', imports('a'), imports('b'), imports('c')),
      a: file('a'),
    };
    const { status } = await sourceOf({
      services: SERVICES,
      files: (name) => (files[name] ? [files[name]] : undefined),
    });
    expect(status).toMatchObject({ state: 'ready', tools: 1 });
  });

  it('an endless chain of imports is cut off', async () => {
    let count = 0;
    const { status } = await sourceOf({
      services: SERVICES,
      files: () => {
        count += 1;
        return [file(`f${count}`, imports(`f${count + 1}`))];
      },
    });
    expect(status).toMatchObject({ state: 'failed', tools: 0 });
    expect(status?.lastError).toContain('too much');
    expect(count).toBeLessThan(2010);
  });

  it('descriptors that are huge as JSON are refused', async () => {
    const empty = Buffer.alloc(6_000_000, Buffer.from([0x22, 0x00]));
    const { status } = await sourceOf({ services: SERVICES, files: () => [file('a', empty)] });
    expect(status).toMatchObject({ state: 'failed', tools: 0 });
    expect(status?.lastError).toMatch(/larger than allowed/);
  });

  it('bytes that are no descriptor are refused', async () => {
    const { status } = await sourceOf({
      services: SERVICES,
      files: () => [Buffer.from('ffffffffffffffffff', 'hex')],
    });
    expect(status).toMatchObject({ state: 'failed', tools: 0 });
  });

  it('odd names of services, methods and fields become no tools, paths or members', async () => {
    const fields = ['__proto__', 'constructor', 'a b', 'toString', ''].map(scalar);
    const odd = file(
      'a',
      message('In', ...fields),
      message('__proto__'),
      service('Svc', 'Do', '../Admin/Delete', 'x/../y', '', 'Do\n', 'D\u202eo'),
      service('__proto__', 'Do'),
    );
    const { crib, status } = await sourceOf({
      services: ['evil.Svc', 'evil.Svc/../x', '__proto__', 'evil.\u202eSvc', ''],
      files: () => [odd],
    });
    const names = crib.tools.list().map(({ tool }) => tool.name);
    expect(names).toEqual(['Svc_Do']);
    const { input } = crib.tools.get('Svc_Do')?.tool ?? {};
    const { properties } = input as { readonly properties: object };
    expect(Object.keys(properties)).toEqual(['toString']);
    expect(status?.refused.length).toBeGreaterThan(5);
    expect(JSON.stringify(status)).not.toMatch(/\u202e/);
  });

  it('methods with types that are nowhere are refused', async () => {
    const { status } = await sourceOf({
      services: SERVICES,
      files: () => [file('a', service('Svc', 'Do'))],
    });
    expect(status?.refused).toEqual([
      { name: 'evil.Svc/Do', reason: expect.stringContaining('.evil.In') },
    ]);
  });

  it('types of google.protobuf are ours, whatever it says of them', async () => {
    const own = Buffer.concat([
      field(1, 'own'),
      field(2, 'google.protobuf'),
      message('Empty', scalar('path', 1)),
      field(12, 'proto3'),
    ]);
    const method = Buffer.concat([
      field(1, 'Do'),
      field(2, '.google.protobuf.Empty'),
      field(3, '.google.protobuf.Empty'),
    ]);
    const svc = file('a', field(6, Buffer.concat([field(1, 'Svc'), field(2, method)])));
    const { crib } = await sourceOf({ services: SERVICES, files: () => [own, svc] });
    expect(crib.tools.get('Svc_Do')?.tool.input).toMatchObject({ properties: {} });
  });
});

describe('a hostile gRPC server cannot harm by its answers:', () => {
  /** An HTTP/2 server that answers every call with `answer`. */
  const rawServer = async (answer: (stream: ServerHttp2Stream) => void): Promise<number> => {
    const server = createServer();
    const sessions = new Set<{ destroy(): void }>();
    server.on('session', (session) => {
      sessions.add(session);
      session.on('error', () => undefined);
    });
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      answer(stream);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    bench.later(() => {
      for (const session of sessions) session.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };

  const framed = (bytes: Buffer, isCompressed = false): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(isCompressed ? 1 : 0, 0);
    head.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  };

  const respond = (stream: ServerHttp2Stream, body: Buffer, headers = {}): void => {
    stream.respond({ 'content-type': 'application/grpc', ...headers }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(body);
  };

  const callRaw = async (answer: (stream: ServerHttp2Stream) => void, settings = {}) => {
    const address = `127.0.0.1:${await rawServer(answer)}`;
    return bench.crib({ address, proto: [SHOP_PROTO], ...settings });
  };

  it('a message of another type fails, and says that the call was made', async () => {
    const crib = await callRaw((stream) => respond(stream, framed(Buffer.from([0x0a, 0xff]))));
    const { error } = await crib.execute('Orders_Echo', {});
    expect(error).toMatchObject({ code: 'SERVER_ERROR', retryable: false });
    expect(error?.suggestions.join()).toContain('was made');
  });

  it('a message that claims to be 2 GB is refused', async () => {
    const head = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]);
    const crib = await callRaw((stream) => respond(stream, head));
    const { error } = await crib.execute('Orders_Echo', {});
    expect(error?.code).toBe('OUTPUT_TOO_LARGE');
  });

  it('a small message that decompresses to much is refused', async () => {
    const bomb = framed(gzipSync(Buffer.alloc(50_000_000)), true);
    const crib = await callRaw((stream) => respond(stream, bomb, { 'grpc-encoding': 'gzip' }));
    const { error } = await crib.execute('Orders_Echo', {});
    expect(error?.code).toBe('OUTPUT_TOO_LARGE');
  });

  it('an answer that is no gRPC is an error', async () => {
    const crib = await callRaw((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/html' });
      stream.end('<script>');
    });
    expect((await crib.execute('Orders_Echo', {})).success).toBe(false);
  });

  it('a status with a message full of hidden characters shows them', async () => {
    const crib = await callRaw((stream) => {
      const status = { 'grpc-status': '9', 'grpc-message': '%E2%80%AEevil%1B%5B2J' };
      stream.respond({ 'content-type': 'application/grpc', ...status }, { endStream: true });
    });
    const { error } = await crib.execute('Orders_Echo', {});
    expect(error?.code).toBe('PRECONDITION_FAILED');
    expect(error?.message).toContain('\\u202eevil\u241b[2J');
  });

  it('silence ends with the time limit', async () => {
    const crib = await callRaw(() => undefined, { timeoutMs: 400 });
    expect((await crib.execute('Orders_Echo', {})).error?.code).toBe('TIMEOUT');
  });

  it('an endless stream of empty messages ends after those that are allowed', async () => {
    const crib = await callRaw((stream) => {
      stream.respond({ 'content-type': 'application/grpc' });
      const send = (): void => {
        while (!stream.destroyed && stream.write(framed(Buffer.alloc(0))));
        if (!stream.destroyed) stream.once('drain', send);
      };
      send();
    });
    const { data } = await crib.execute('Orders_Watch', {});
    expect(data).toMatchObject({ complete: false });
    expect((data as { messages: unknown[] }).messages).toHaveLength(100);
  });
});

describe('a proxy of the environment', () => {
  it('is not used for gRPC: nothing but the checked address is reached', async () => {
    let reached = 0;
    const proxy = createTcp((socket) => {
      reached += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve);
    });
    bench.later(() => proxy.close());
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const before = { ...process.env };
    Object.assign(process.env, { grpc_proxy: address, http_proxy: address, https_proxy: address });
    try {
      const crib = await bench.crib({ address: at(await bench.start()) });
      expect((await crib.execute('Orders_Get', { orderId: 'o1' })).success).toBe(true);
      expect(reached).toBe(0);
    } finally {
      for (const name of ['grpc_proxy', 'http_proxy', 'https_proxy']) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });
});
