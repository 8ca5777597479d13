import { describe, expect, it } from 'vitest';
import type { OpenapiOptions } from '../openapi-settings.ts';
import { listOperations, type Operation } from './list-operations.ts';
import { Resolver } from './resolver.ts';
import { Servers } from './servers.ts';

const serverOf = (root: object, options: Partial<OpenapiOptions> = {}, operation: object = {}) => {
  const document = options.document ?? 'https://docs.example.com/v2/openapi.json';
  const paths = { '/a': { get: operation } };
  const resolver = new Resolver({
    format: 1,
    root: document,
    documents: { [document]: { paths, ...root } },
  });
  const [first] = listOperations(resolver);
  return new Servers({ document, ...options }, resolver).of(first as Operation);
};

describe('the address of an operation', () => {
  it.each([
    [{}, {}, 'https://docs.example.com'],
    [{ servers: [{ url: '/api/' }] }, {}, 'https://docs.example.com/api'],
    [{ servers: [{ url: '../v1' }] }, {}, 'https://docs.example.com/v1'],
    [{ servers: [{ url: 'http://a.com' }, { url: 'https://b.com/x' }] }, {}, 'https://b.com/x'],
    [
      { servers: [{ url: 'http://a.com' }, { url: 'https://b.com/x' }] },
      { server: 0 },
      'http://a.com',
    ],
    [
      { servers: [{ url: 'https://a.com' }] },
      { baseUrl: 'https://own.com/y/' },
      'https://own.com/y',
    ],
    [
      { swagger: '2.0', host: 'a.com', basePath: '/v1', schemes: ['http', 'https'] },
      {},
      'https://a.com/v1',
    ],
    [{ swagger: '2.0', basePath: '/v1' }, {}, 'https://docs.example.com/v1'],
    [{}, { document: 'api.json' }, undefined],
  ])('%j with %j is %s', (root, options, expected) => {
    expect(serverOf(root, options)?.url).toBe(expected);
  });

  it('variables have defaults, and the user may set them', () => {
    const variables = { region: { default: 'eu' }, port: { enum: ['8443'] } };
    const servers = [{ url: 'https://{region}.a.com:{port}/v1', variables }];
    expect(serverOf({ servers })?.url).toBe('https://eu.a.com:8443/v1');
    expect(serverOf({ servers }, { variables: { region: 'us' } })?.url).toBe(
      'https://us.a.com:8443/v1',
    );
    expect(serverOf({ servers: [{ url: 'https://{none}.a.com' }] })).toBeUndefined();
  });

  it('an operation may have its own server, unless the user has set the address', () => {
    const operation = { servers: [{ url: 'https://uploads.a.com' }] };
    expect(serverOf({}, {}, operation)?.host).toBe('uploads.a.com');
    expect(serverOf({}, { baseUrl: 'https://own.com' }, operation)?.host).toBe('own.com');
  });

  it('threat: only hosts of the configuration take credentials, and not over http', () => {
    const servers = [{ url: 'https://a.com' }];
    expect(serverOf({ servers })?.takesCredentials).toBe(false);
    expect(serverOf({ servers }, { hosts: ['a.com'] })?.takesCredentials).toBe(true);
    expect(serverOf({})?.takesCredentials).toBe(true);
    expect(serverOf({ servers: [{ url: 'http://docs.example.com' }] })?.takesCredentials).toBe(
      false,
    );
    expect(serverOf({}, { baseUrl: 'http://intranet:8080' })?.takesCredentials).toBe(true);
    const local = serverOf({ servers: [{ url: 'http://127.0.0.1:9' }] }, {});
    expect([local?.isLocal, local?.takesCredentials]).toEqual([false, false]);
    expect(serverOf({}, { baseUrl: 'http://127.0.0.1:9' })?.isLocal).toBe(true);
  });
});
