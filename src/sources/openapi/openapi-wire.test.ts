/** Calls operations of documents through the whole pipeline, and checks what arrives at a local server. */
import { describe, expect, it } from 'vitest';
import { type Arrived, openapiWire } from '../../../test/fixtures/openapi-wire.ts';

const wire = openapiWire();
const { seen } = wire;

const operation = (parameters: readonly object[], more: object = {}) => ({
  operationId: 'call',
  parameters,
  responses: { 200: { description: 'ok' } },
  ...more,
});

const send = async (document: object, input: object, settings: object = {}) => {
  seen.length = 0;
  const crib = await wire.open(document, settings);
  const result = await crib.execute('call', input);
  return { result, request: seen.at(-1) as Arrived };
};

const parameter = (place: string, style?: string, explode?: boolean) => ({
  name: 'v',
  in: place,
  required: place === 'path',
  schema: {},
  ...(style !== undefined && { style }),
  ...(explode !== undefined && { explode }),
});

const LIST = ['a b', 'c/d'];
const MAP = { r: 100, g: 'x&y' };

describe('the styles of parameters on the wire', () => {
  it.each([
    ['path', 'simple', false, 'x y', '/v1/p/x%20y'],
    ['path', 'simple', false, LIST, '/v1/p/a%20b,c%2Fd'],
    ['path', 'simple', false, MAP, '/v1/p/r,100,g,x%26y'],
    ['path', 'simple', true, MAP, '/v1/p/r=100,g=x%26y'],
    ['path', 'label', false, LIST, '/v1/p/.a%20b,c%2Fd'],
    ['path', 'label', true, LIST, '/v1/p/.a%20b.c%2Fd'],
    ['path', 'label', true, MAP, '/v1/p/.r=100.g=x%26y'],
    ['path', 'matrix', false, 5, '/v1/p/;v=5'],
    ['path', 'matrix', false, LIST, '/v1/p/;v=a%20b,c%2Fd'],
    ['path', 'matrix', true, LIST, '/v1/p/;v=a%20b;v=c%2Fd'],
    ['path', 'matrix', true, MAP, '/v1/p/;r=100;g=x%26y'],
    ['query', undefined, undefined, true, '/v1/p/?v=true'],
    ['query', 'form', true, LIST, '/v1/p/?v=a%20b&v=c%2Fd'],
    ['query', 'form', false, LIST, '/v1/p/?v=a%20b,c%2Fd'],
    ['query', 'form', true, MAP, '/v1/p/?r=100&g=x%26y'],
    ['query', 'form', false, MAP, '/v1/p/?v=r,100,g,x%26y'],
    ['query', 'spaceDelimited', false, LIST, '/v1/p/?v=a%20b%20c%2Fd'],
    ['query', 'pipeDelimited', false, LIST, '/v1/p/?v=a%20b%7Cc%2Fd'],
    ['query', 'deepObject', true, MAP, '/v1/p/?v%5Br%5D=100&v%5Bg%5D=x%26y'],
    ['query', 'deepObject', true, { a: { b: [1] } }, '/v1/p/?v%5Ba%5D%5Bb%5D%5B0%5D=1'],
    ['query', 'form', true, [], '/v1/p/'],
  ])('%s %s explode=%s of %j', async (place, style, explode, value, expected) => {
    const path = place === 'path' ? '/p/{v}' : '/p/';
    const get = operation([parameter(place, style, explode)]);
    const { result, request } = await send({ paths: { [path]: { get } } }, { v: value });
    expect(result).toMatchObject({ success: true });
    expect(request.url).toBe(expected);
  });

  it('headers, cookies, content and reserved characters', async () => {
    const parameters = [
      { name: 'X-List', in: 'header', schema: { type: 'array' } },
      { name: 'session', in: 'cookie', schema: { type: 'string' } },
      { name: 'filter', in: 'query', content: { 'application/json': { schema: {} } } },
      { name: 'path', in: 'query', allowReserved: true, schema: { type: 'string' } },
    ];
    const input = { 'X-List': [1, 2], session: 'a;b', filter: { a: [1] }, path: '/a:b?c&d#e' };
    const { request } = await send({ paths: { '/p': { get: operation(parameters) } } }, input);
    expect(request.headers).toMatchObject({ 'x-list': '1,2', cookie: 'session=a%3Bb' });
    expect(request.url).toBe('/v1/p?filter=%7B%22a%22%3A%5B1%5D%7D&path=/a:b?c%26d%23e');
  });

  it.each([['..'], ['.'], ['']])(
    'threat: the path parameter %j does not change the path',
    async (v) => {
      const get = operation([parameter('path')]);
      const { result } = await send({ paths: { '/p/{v}/x': { get } } }, { v });
      expect(result.error?.code).toBe('VALIDATION_ERROR');
      expect(seen).toEqual([]);
    },
  );

  it('threat: a header parameter cannot add a header', async () => {
    const parameters = [{ name: 'X-A', in: 'header', schema: { type: 'string' } }];
    const get = operation(parameters);
    const { result } = await send({ paths: { '/p': { get } } }, { 'X-A': 'a\r\nX-Evil: 1' });
    expect(result.error?.code).toBe('VALIDATION_ERROR');
    expect(seen).toEqual([]);
  });
});

const bodyOf = (type: string, schema: object, encoding: object = {}) =>
  operation([], { requestBody: { required: true, content: { [type]: { schema, encoding } } } });

const FIELDS = {
  type: 'object',
  properties: { name: { type: 'string' }, tags: { type: 'array' }, deep: { type: 'object' } },
};

describe('bodies on the wire', () => {
  it('the fields of a JSON object stand beside the parameters', async () => {
    const post = { ...bodyOf('application/json', FIELDS), parameters: [parameter('query')] };
    const input = { v: 1, name: 'Ada', tags: ['x'] };
    const { request } = await send({ paths: { '/p': { post } } }, input);
    expect(request).toMatchObject({ method: 'POST', url: '/v1/p?v=1' });
    expect(request.headers['content-type']).toBe('application/json');
    expect(JSON.parse(request.body)).toEqual({ name: 'Ada', tags: ['x'] });
  });

  it('a body with a field named like a parameter is one field', async () => {
    const post = {
      ...bodyOf('application/json', FIELDS),
      parameters: [{ name: 'name', in: 'query', schema: {} }],
    };
    const input = { name: 'query', body: { name: 'body' } };
    const { request } = await send({ paths: { '/p': { post } } }, input);
    expect([request.url, request.body]).toEqual(['/v1/p?name=query', '{"name":"body"}']);
  });

  it('a body of any media type, or of none that can be read, is JSON', async () => {
    for (const type of ['*/*', '']) {
      const { request } = await send(
        { paths: { '/p': { post: bodyOf(type, FIELDS) } } },
        { name: 'x' },
      );
      expect([request.body, request.headers['content-type']]).toEqual([
        '{"name":"x"}',
        'application/json',
      ]);
    }
  });

  it('a list is one field, and a form is written with its encoding', async () => {
    const post = bodyOf('application/json', { type: 'array', items: { type: 'integer' } });
    const { request } = await send({ paths: { '/p': { post } } }, { body: [1, 2] });
    expect(request.body).toBe('[1,2]');
    const encoding = { deep: { style: 'deepObject', explode: true } };
    const form = bodyOf('application/x-www-form-urlencoded', FIELDS, encoding);
    const input = { name: 'a b&c', tags: [1, 2], deep: { x: 1 } };
    const second = await send({ paths: { '/p': { put: form } } }, input);
    expect(second.request.body).toBe('name=a%20b%26c&tags=1&tags=2&deep%5Bx%5D=1');
  });

  it('multipart carries files with their names and other fields beside them', async () => {
    const schema = {
      type: 'object',
      properties: { file: { type: 'string', format: 'binary' }, meta: { type: 'object' } },
    };
    const post = bodyOf('multipart/form-data', schema);
    const file = { base64: Buffer.from('a\0b').toString('base64'), fileName: 'a"b\r\n.bin' };
    const { request } = await send({ paths: { '/p': { post } } }, { file, meta: { a: 1 } });
    const response = new Response(Buffer.from(request.body), {
      headers: { 'content-type': request.headers['content-type'] as string },
    });
    const form = await response.formData();
    const sent = form.get('file') as File;
    expect(await sent.text()).toBe('a\0b');
    expect(sent.name).toContain('.bin');
    expect(request.body).toContain('name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}');
  });

  it('multipart of a text is sent as the caller wrote it, and not lost', async () => {
    const post = bodyOf('multipart/form-data', { type: 'string' });
    const text = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
    const contentType = 'multipart/form-data; boundary=b';
    const { request } = await send({ paths: { '/p': { post } } }, { body: { text, contentType } });
    expect([request.body, request.headers['content-type']]).toEqual([text, contentType]);
  });

  it('bytes and text are sent as they are', async () => {
    const post = bodyOf('application/octet-stream', { type: 'string', format: 'binary' });
    const { request } = await send({ paths: { '/p': { post } } }, { body: { base64: 'aGk=' } });
    expect([request.body, request.headers['content-type']]).toEqual([
      'hi',
      'application/octet-stream',
    ]);
    const xml = bodyOf('application/xml', { type: 'object' });
    const second = await send({ paths: { '/p': { post: xml } } }, { body: '<a/>' });
    expect([second.request.body, second.request.headers['content-type']]).toEqual([
      '<a/>',
      'application/xml',
    ]);
    const bad = await send({ paths: { '/p': { post } } }, { body: { base64: '!' } });
    expect(bad.result.error?.code).toBe('VALIDATION_ERROR');
  });

  it('Swagger 2: body, form, file and collection formats', async () => {
    const two = (parameters: readonly object[], more: object = {}) => ({
      openapi: undefined,
      swagger: '2.0',
      paths: { '/p': { post: operation(parameters, more) } },
    });
    const schema = { $ref: '#/definitions/A' };
    const definitions = { A: { type: 'object', properties: { a: { type: 'integer' } } } };
    const body = { name: 'payload', in: 'body', required: true, schema };
    const first = await send({ ...two([body]), definitions }, { a: 1 });
    expect(first.request.body).toBe('{"a":1}');
    const list = { name: 'l', in: 'query', type: 'array', items: { type: 'string' } };
    const file = { name: 'f', in: 'formData', type: 'file', required: true };
    const pipes = { ...list, collectionFormat: 'pipes' };
    const second = await send(two([pipes, file]), {
      l: ['a', 'b'],
      f: { text: 'hi', fileName: 'a.txt' },
    });
    expect(second.request.url).toBe('/v1/p?l=a%7Cb');
    expect(second.request.body).toContain('filename="a.txt"');
    const field = { name: 'x', in: 'formData', type: 'string', required: true };
    const third = await send(two([field, { ...list, in: 'formData' }]), { x: 'y', l: ['a', 'b'] });
    expect(third.request.body).toBe('x=y&l=a,b');
  });
});

const secured = (scheme: object, more: object = {}) => ({
  paths: { '/p': { get: operation([], { security: [{ one: [] }], ...more }) } },
  components: { securitySchemes: { one: scheme } },
});

describe('credentials on the wire', () => {
  const basic = `Basic ${Buffer.from('ada:pass-4711').toString('base64')}`;
  it.each([
    [
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      { secret: 'API_KEY' },
      { 'x-key': 'key-4711' },
    ],
    [
      { type: 'apiKey', in: 'cookie', name: 'sid' },
      { secret: 'API_KEY' },
      { cookie: 'sid=key-4711' },
    ],
    [
      { type: 'http', scheme: 'bearer' },
      { secret: 'API_KEY' },
      { authorization: 'Bearer key-4711' },
    ],
    [
      { type: 'http', scheme: 'basic' },
      { secret: 'PASSWORD', username: 'ada' },
      { authorization: basic },
    ],
    [{ type: 'oauth2', flows: {} }, { secret: 'API_KEY' }, { authorization: 'Bearer key-4711' }],
  ])('%j', async (scheme, one, headers) => {
    const { request, result } = await send(secured(scheme), {}, { auth: { one } });
    expect(result).toMatchObject({ success: true });
    expect(request.headers).toMatchObject(headers);
  });

  it('a key in the query, and headers of the configuration', async () => {
    const scheme = { type: 'apiKey', in: 'query', name: 'key' };
    const settings = {
      auth: { one: { secret: 'API_KEY' } },
      headers: { 'X-A': `\${secret:PASSWORD}` },
    };
    const { request } = await send(secured(scheme), {}, settings);
    expect(request.url).toBe('/v1/p?key=key-4711');
    expect(request.headers['x-a']).toBe('pass-4711');
  });

  it('a parameter that the credential is sent in is no field of the input', async () => {
    const scheme = { type: 'apiKey', in: 'query', name: 'key' };
    const parameters = [{ name: 'key', in: 'query', required: true, schema: { type: 'string' } }];
    const document = secured(scheme, { parameters });
    const { request } = await send(document, {}, { auth: { one: { secret: 'API_KEY' } } });
    expect(request.url).toBe('/v1/p?key=key-4711');
  });

  it('client credentials: one token for several calls, another one after a 401', async () => {
    const scheme = {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: '/token', scopes: {} } },
    };
    const one = { clientId: 'me', clientSecret: 'CLIENT_SECRET', scopes: ['read'] };
    const crib = await wire.open(secured(scheme), {
      auth: { one },
      labels: { sensitivity: 'public' },
    });
    seen.length = 0;
    const token = (value: string) => ({
      body: JSON.stringify({ access_token: value, expires_in: 3600 }),
    });
    wire.answers = [token('t1'), {}, {}, { status: 401 }, token('t2'), {}];
    for (let call = 0; call < 3; call += 1) {
      expect((await crib.execute('call', {})).error).toBeUndefined();
    }
    expect(seen.map(({ url, headers }) => `${url} ${headers.authorization}`)).toEqual([
      `/token Basic ${Buffer.from('me:client-4711').toString('base64')}`,
      '/v1/p Bearer t1',
      '/v1/p Bearer t1',
      '/v1/p Bearer t1',
      `/token Basic ${Buffer.from('me:client-4711').toString('base64')}`,
      '/v1/p Bearer t2',
    ]);
    expect(seen[0]?.body).toBe('grant_type=client_credentials&scope=read');
  });

  it('threat: no credential goes to a host that only the document names', async () => {
    const scheme = { type: 'apiKey', in: 'header', name: 'X-Key' };
    const document = { ...secured(scheme), servers: [{ url: 'https://evil.example/v1' }] };
    const settings = { auth: { one: { secret: 'API_KEY' } }, baseUrl: undefined };
    const { result } = await send(document, {}, settings);
    expect(result.error).toMatchObject({ code: 'AUTH_MISSING' });
    expect(result.error?.suggestions.join()).toContain('baseUrl');
  });

  it('threat: a token service that only the document names gets no client secret', async () => {
    const flows = { clientCredentials: { tokenUrl: 'https://evil.example/token', scopes: {} } };
    const one = { clientId: 'me', clientSecret: 'CLIENT_SECRET' };
    const { result } = await send(secured({ type: 'oauth2', flows }), {}, { auth: { one } });
    expect(result.error?.code).toBe('AUTH_MISSING');
    expect(seen).toEqual([]);
  });
});

describe('answers', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const get = operation([{ name: 'page', in: 'query', schema: { type: 'integer' } }], {
    responses: { 200: { description: '', content: { 'application/json': { schema } } } },
  });

  it('are data, with the fields of the next page', async () => {
    const link = `<${'/v1/p?page=3'}>; rel="next", </v1/p?page=9>; rel="last"`;
    wire.answers = [{ headers: { link }, body: '{"n":1}' }];
    const { result } = await send({ paths: { '/p': { get } } }, { page: 2 });
    expect(result.data).toEqual({ status: 200, body: { n: 1 }, nextPage: { page: 3 } });
  });

  it('that do not fit are a warning, or fail where the user says so', async () => {
    wire.answers = [{ body: '{"n":"x"}' }, { body: '{"n":"x"}' }, { body: '{"n":"x"}' }];
    const document = { paths: { '/p': { get } } };
    const warned = await send(document, {});
    expect(warned.result).toMatchObject({ success: true });
    expect(JSON.stringify(warned.result)).toContain('does not fit the document: n ');
    const failed = await send(document, {}, { responses: 'fail' });
    expect(failed.result.error?.code).toBe('OUTPUT_INVALID');
    const off = await send(document, {}, { responses: 'off' });
    expect(JSON.stringify(off.result)).not.toContain('does not fit');
  });

  it.each([
    [404, { detail: 'no such pet' }, 'NOT_FOUND', 'no such pet'],
    [422, { errors: [{ message: 'too short' }] }, 'VALIDATION_ERROR', 'too short'],
    [500, { error: { message: 'boom' } }, 'SERVER_ERROR', 'boom'],
    [429, { error: 'slow', error_description: 'slow down' }, 'RATE_LIMITED', 'slow down'],
  ])('HTTP %i with %j fails', async (status, body, code, message) => {
    const post = operation([]);
    wire.answers = [{ status, body: JSON.stringify(body), headers: { 'retry-after': '7' } }];
    const settings = {};
    const { result } = await send({ paths: { '/p': { post } } }, {}, settings);
    const { error } = result;
    expect(error?.message).toContain(message);
    expect([error?.cause ?? error?.code, error?.retryAfterMs]).toEqual([code, 7000]);
  });

  it('of a POST that failed in the server are not asked for again', async () => {
    wire.answers = [{ status: 500, body: '{}' }];
    await send({ paths: { '/p': { post: operation([]) } } }, {});
    expect(seen.length).toBe(1);
    wire.answers = [];
  });

  it('an operation with an idempotency key gets that of the call', async () => {
    const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } };
    const { request } = await send({ paths: { '/p': { post: operation([key]) } } }, {});
    expect(request.headers['idempotency-key']).toMatch(/.{8,}/);
  });
});
