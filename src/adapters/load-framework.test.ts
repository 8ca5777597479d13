import { expect, it } from 'vitest';
import { loadFramework } from './load-framework.ts';

const fail = (code: string) => () =>
  Promise.reject(Object.assign(new Error('Cannot load'), { code }));

it('hands over the library', async () => {
  expect(await loadFramework('ai', async () => 7)).toBe(7);
});

it('says what to install when the library is not there', async () => {
  await expect(loadFramework('ai', fail('ERR_MODULE_NOT_FOUND'))).rejects.toMatchObject({
    code: 'DEPENDENCY_MISSING',
    extras: { suggestions: ['npm install ai'] },
  });
});

it('does not call a broken library a missing one', async () => {
  await expect(loadFramework('ai', fail('ERR_OTHER'))).rejects.toThrow('Cannot load');
});
