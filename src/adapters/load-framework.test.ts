import { expect, it } from 'vitest';
import { loadFramework } from './load-framework.ts';

const fail = (code: string) => () =>
  Promise.reject(Object.assign(new Error('Cannot load'), { code }));

it('loadFramework returns the library', async () => {
  expect(await loadFramework('ai', async () => 7)).toBe(7);
});

it('loadFramework says what to install when the library is missing', async () => {
  await expect(loadFramework('ai', fail('ERR_MODULE_NOT_FOUND'))).rejects.toMatchObject({
    code: 'DEPENDENCY_MISSING',
    extras: { suggestions: ['npm install ai'] },
  });
});

it('loadFramework does not report a broken library as missing', async () => {
  await expect(loadFramework('ai', fail('ERR_OTHER'))).rejects.toThrow('Cannot load');
});
