/** Requests of rarer forms of OpenAPI, as they arrive at a local server. */
import { describe, expect, it } from 'vitest';
import { type Arrived, openapiWire } from '../../../test/fixtures/openapi-wire.ts';

const wire = openapiWire();
const { seen } = wire;

const operation = (more: object) => ({ operationId: 'call', responses: {}, ...more });

const send = async (document: object, input: object, settings: object = {}) => {
  seen.length = 0;
  const crib = await wire.open(document, settings);
  const result = await crib.execute('call', input);
  return { result, request: seen.at(-1) as Arrived };
};

const bodyOf = (type: string, schema: object, encoding: object = {}) =>
  operation({ requestBody: { required: true, content: { [type]: { schema, encoding } } } });

const two = (parameters: readonly object[], path = '/p') => ({
  openapi: undefined,
  swagger: '2.0',
  paths: { [path]: { post: operation({ parameters }) } },
});

describe('parameters on the wire', () => {
  it('a text in a media type that is not JSON has no quotes', async () => {
    const content = { 'text/plain': { schema: { type: 'string' } } };
    const parameters = ['query', 'header', 'path', 'cookie'].map((place) => ({
      name: `X-${place}`,
      in: place,
      required: true,
      content,
    }));
    const get = operation({ parameters });
    const input = Object.fromEntries(parameters.map(({ name }) => [name, 'a b']));
    const { request } = await send({ paths: { '/p/{X-path}': { get } } }, input);
    expect(request.url).toBe('/v1/p/a%20b?X-query=a%20b');
    expect(request.headers).toMatchObject({ 'x-header': 'a b', cookie: 'X-cookie=a%20b' });
  });

  it('allowReserved leaves what is encoded already as it is', async () => {
    const parameters = [
      { name: 'p', in: 'query', allowReserved: true, schema: { type: 'string' } },
    ];
    const { request } = await send(
      { paths: { '/p': { get: operation({ parameters }) } } },
      { p: '/a%20b%26c?100%&d' },
    );
    expect(request.url).toBe('/v1/p?p=/a%20b%26c?100%25%26d');
  });

  it('an empty value in matrix style has no equals sign', async () => {
    const parameters = [
      { name: 'v', in: 'path', required: true, style: 'matrix', schema: { type: 'string' } },
    ];
    const paths = { '/p{v}/x': { get: operation({ parameters }) } };
    const { request } = await send({ paths }, { v: '' });
    expect(request.url).toBe('/v1/p;v/x');
  });

  it('a required Idempotency-Key is filled with that of the call', async () => {
    const parameters = [
      { name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string' } },
    ];
    const post = operation({ parameters });
    const { request, result } = await send({ paths: { '/p': { post } } }, {});
    expect(result.error).toBeUndefined();
    expect(request.headers['idempotency-key']).toMatch(/.{8,}/);
  });

  it('names of 300 characters are sent whole', async () => {
    const name = `n${'ä'.repeat(299)}`;
    const parameters = [
      { name, in: 'path', required: true, schema: { type: 'string' } },
      { name, in: 'query', required: true, schema: { type: 'string' } },
    ];
    const crib = await wire.open({
      paths: { [`/p/{${name}}`]: { get: operation({ parameters }) } },
    });
    const [first = '', second = ''] = Object.keys(
      crib.tools.inputSchema('call').properties as object,
    );
    seen.length = 0;
    await crib.execute('call', { [first]: 'a', [second]: 'b' });
    expect(seen[0]?.url).toBe(`/v1/p/a?${encodeURIComponent(name)}=b`);
  });

  it('lists of Swagger 2 are joined as the document says, also in a path and a header', async () => {
    const list = { type: 'array', items: { type: 'string' }, required: true };
    const parameters = [
      { name: 'a', in: 'path', ...list, collectionFormat: 'pipes' },
      { name: 'X-B', in: 'header', ...list, collectionFormat: 'ssv' },
      { name: 'X-C', in: 'header', ...list },
    ];
    const input = { a: ['1', '2'], 'X-B': ['x', 'y'], 'X-C': ['x', 'y'] };
    const { request } = await send(two(parameters, '/p/{a}'), input);
    expect(request.url).toBe('/v1/p/1%7C2');
    expect(request.headers).toMatchObject({ 'x-b': 'x y', 'x-c': 'x,y' });
  });
});

describe('the method of an operation', () => {
  it('TRACE makes no tool, because no client sends it', async () => {
    const crib = await wire.open({ paths: { '/p': { trace: operation({}) } } });
    expect(crib.sources.list()[0]?.refused).toMatchObject([{ name: 'call' }]);
  });

  it.each(['get', 'put', 'delete', 'post', 'patch'])(
    '%s is sent again after a failure of the server only where that repeats nothing',
    async (method) => {
      const busy = { status: 503, headers: { 'retry-after': '0' } };
      wire.answers = [busy];
      const document = { paths: { '/p': { [method]: operation({}) } } };
      const crib = await wire.open(document, { labels: { sensitivity: 'public' } });
      seen.length = 0;
      const { success } = await crib.execute('call', {});
      wire.answers = [];
      const isRepeated = !['post', 'patch'].includes(method);
      expect([success, seen.length]).toEqual(isRepeated ? [true, 2] : [false, 1]);
    },
  );

  it('a body of GET is ignored, and the call works', async () => {
    const content = { 'application/json': { schema: { type: 'object', properties: { q: {} } } } };
    const get = operation({ requestBody: { required: true, content } });
    const { request, result } = await send({ paths: { '/p': { get } } }, {});
    expect([result.success, request.body]).toEqual([true, '']);
  });
});

describe('an answer', () => {
  const answering = (content: object) => ({
    paths: { '/p': { get: operation({ responses: { 200: { description: '', content } } }) } },
  });

  it('is asked for in the media types of the document, also with parameters', async () => {
    const types = [
      'text/plain',
      'application/vnd.x+json; version=1',
      'a/b; c="d e"',
      'a/b\r\nX: 1',
    ];
    const content = Object.fromEntries(types.map((type) => [type, {}]));
    const { request } = await send(answering(content), {});
    expect(request.headers.accept).toBe(
      'application/vnd.x+json; version=1, text/plain, a/b; c="d e", */*;q=0.1',
    );
  });

  it.each([
    ['{"id":12345678901234567890}', true],
    ['[1,{"a":-9007199254740993}]', true],
    [
      '{"id":"12345678901234567890","n":9007199254740991,"e":1e20,"f":0.1234567890123456789}',
      false,
    ],
    [JSON.stringify({ a: '\\" 12345678901234567890', b: 'x\\' }), false],
    [JSON.stringify({ a: '\\"'.repeat(40_000), b: '1'.repeat(16) }), false],
  ])('%.60s is said to be rounded where it is', async (body, isRounded) => {
    wire.answers = [{ body }];
    const { result } = await send(answering({}), {});
    expect(JSON.stringify(result.warnings ?? []).includes('rounded')).toBe(isRounded);
  });
});

describe('bodies on the wire', () => {
  const text = { text: 'x' };

  it('files of a multipart body have the media type of the document', async () => {
    const schema = {
      type: 'object',
      properties: {
        one: { type: 'string', format: 'binary' },
        two: { contentMediaType: 'image/png' },
        three: { $ref: '#/components/schemas/Files' },
        four: { type: 'string', format: 'binary' },
      },
    };
    const encoding = {
      one: { contentType: 'text/csv' },
      four: { contentType: 'image/png, image/jpeg' },
    };
    const Files = { type: 'array', items: { type: 'string', format: 'binary' } };
    const post = bodyOf('multipart/form-data', schema, encoding);
    const own = { ...text, contentType: 'text/html' };
    const { request, result } = await send(
      { openapi: '3.1.0', paths: { '/p': { post } }, components: { schemas: { Files } } },
      { one: text, two: text, three: [text, own], four: text },
    );
    expect(result.error).toBeUndefined();
    const types = [...request.body.matchAll(/name="(\w+)".*\r\nContent-Type: (.+)\r/g)];
    expect(types.map(([, name, type]) => `${name} ${type}`)).toEqual([
      'one text/csv',
      'two image/png',
      'three application/octet-stream',
      'three text/html',
      'four application/octet-stream',
    ]);
  });

  it('base64 that is cut off is refused, and not sent without its end', async () => {
    const post = bodyOf('application/octet-stream', { type: 'string', format: 'binary' });
    for (const base64 of ['aGVsbG8hI', 'a', '====']) {
      const { result } = await send({ paths: { '/p': { post } } }, { body: { base64 } });
      expect([result.error?.code, seen]).toEqual(['VALIDATION_ERROR', []]);
    }
    const { request } = await send({ paths: { '/p': { post } } }, { body: { base64: 'aGk' } });
    expect(request.body).toBe('hi');
  });

  it('a list of a multipart body of Swagger 2 is one part', async () => {
    const list = { name: 'l', in: 'formData', type: 'array', items: { type: 'string' } };
    const file = { name: 'f', in: 'formData', type: 'file' };
    const { request } = await send(two([list, file]), { l: ['a', 'b'], f: text });
    expect(request.body).toContain('name="l"\r\n\r\na,b\r\n');
    const multi = await send(two([{ ...list, collectionFormat: 'multi' }, file]), {
      l: ['a', 'b'],
    });
    expect(multi.request.body).toMatch(/name="l"\r\n\r\na\r\n.*name="l"\r\n\r\nb\r\n/s);
  });

  it.each([
    ['multipart/*', { type: 'object', properties: { a: {} } }, { a: 1 }, /^multipart\/form-data; /],
    ['text/*', {}, { body: 'x' }, /^text\/plain$/],
    ['image/*', {}, { body: { text: 'x' } }, /^application\/octet-stream$/],
    ['application/*+json', { type: 'array' }, { body: [1] }, /^application\/json$/],
    ['application/vnd.x+json', { type: 'array' }, { body: [1] }, /^application\/vnd\.x\+json$/],
  ])('a body of %s is sent with one media type', async (type, schema, input, sent) => {
    const { request } = await send({ paths: { '/p': { post: bodyOf(type, schema) } } }, input);
    expect(request.headers['content-type']).toMatch(sent);
  });
});
