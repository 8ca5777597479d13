import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { testCrib } from '../../test/fixtures/test-crib.ts';
import { createHttpSurface } from './http/create-http-surface.ts';
import { createMcpSurface } from './mcp/create-mcp-surface.ts';

const runtime = fakeRuntime();
const INVALID = { code: 'VALIDATION_ERROR' };

describe('createHttpSurface', () => {
  const deps = { runtime, version: '0', randomBytes };

  it.each([
    [{ origin: ['https://a.example'] }, 'did you mean origins?'],
    [{ origins: 'https://a.example' }, 'origins has to be a list of texts'],
    [{ limits: { bodyByte: 5 } }, 'did you mean bodyBytes?'],
    [{ limits: { bodyBytes: '1 MB' } }, 'bodyBytes'],
    [{ oidc: { isuer: 'x', audience: 'y' } }, 'did you mean issuer?'],
    [{ openMetrics: 'no' }, 'openMetrics'],
    [{ randomBytes: undefined }, 'randomBytes'],
    [{ runtime: {} }, 'runtime'],
  ])('refuses %j and says why', async (more, named) => {
    const crib = await testCrib([]);
    const open = () => createHttpSurface(crib, { ...deps, ...more } as never);
    expect(open).toThrow(expect.objectContaining(INVALID));
    expect(open).toThrow(named);
  });

  it('refuses what is no crib', () => {
    expect(() => createHttpSurface({} as never, deps)).toThrow('crib');
  });

  it('refuses wrong arguments of its methods and takes right ones', async () => {
    const surface = createHttpSurface(await testCrib([]), deps);
    await expect(surface.listen({ host: 'localhost', prot: 1 } as never)).rejects.toThrow(
      'prot is not known',
    );
    await expect(surface.fetch('/healthz' as never)).rejects.toMatchObject(INVALID);
    expect(() => surface.issueCode({ user: 'ada', role: 'root' as never })).toThrow('role');
    expect(surface.issueCode({ user: 'ada', role: 'admin' })).toEqual(expect.any(String));
    const request = new Request('http://localhost/healthz', { headers: { host: 'localhost' } });
    expect((await surface.fetch(request)).status).toBe(200);
    surface.close();
  });
});

describe('createMcpSurface', () => {
  const options = { runtime, version: '0' };

  it.each([
    [{ approval: 'inbox' }, 'did you mean approvals?'],
    [{ approvals: 'never' }, 'approvals has to be elicit, inbox'],
    [{ surface: 'serch' }, 'full, search, code'],
    [{ http: { authenticat: () => undefined } }, 'did you mean authenticate?'],
    [{ stateKey: new Uint8Array(5) }, '32 bytes'],
    [{ maxBodyBytes: -1 }, 'maxBodyBytes'],
    [{ server: ['a'] }, 'did you mean servers?'],
  ])('refuses %j and says why', async (more, named) => {
    const opening = createMcpSurface(await testCrib([]), { ...options, ...more } as never);
    await expect(opening).rejects.toMatchObject(INVALID);
    await expect(opening).rejects.toThrow(named);
  });

  it('refuses wrong arguments of its methods, and what is no crib', async () => {
    await expect(createMcpSurface(undefined as never, options)).rejects.toThrow('crib');
    const surface = await createMcpSurface(await testCrib([]), options);
    await expect(surface.connect({} as never)).rejects.toThrow('transport');
    await expect(surface.fetch('x' as never)).rejects.toMatchObject(INVALID);
    await surface.close();
  });
});
