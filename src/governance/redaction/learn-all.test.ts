import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { Secrets } from '../../contract/secrets.ts';
import { learnAll, learningSecrets } from './learn-all.ts';
import { redactingLog } from './redacting-log.ts';
import { REDACTED, Redactor } from './redaction.ts';

/** Methods on the prototype, as a driver of somebody else may have them. */
class Vault implements Secrets {
  readonly #values: Readonly<Record<string, string>>;
  constructor(values: Readonly<Record<string, string>>) {
    this.#values = values;
  }
  get(key: string): Promise<string | undefined> {
    return Promise.resolve(this.#values[key]);
  }
  keys(): Promise<readonly string[]> {
    return Promise.resolve([...Object.keys(this.#values), 'GONE']);
  }
}

describe('threat: a stored secret that no tool asked for yet', () => {
  it('is redacted when its source can list it, or a tool declares it', async () => {
    const redactor = new Redactor();
    const unlisted: Secrets = {
      get: async (key) => (key === 'DECLARED' ? 'declared-canary' : undefined),
    };
    const { log } = fakeRuntime();
    const sources = [new Vault({ LISTED: 'listed-canary' }), unlisted];
    await learnAll(redactor, { sources, keys: ['DECLARED', 'ABSENT'], log });
    expect(redactor.text('listed-canary declared-canary')).toBe(`${REDACTED} ${REDACTED}`);
  });

  it.each([new Error('the file is broken'), 'no error at all'])(
    'a source that fails is reported and keeps no other from being learnt',
    async (failure) => {
      const redactor = new Redactor();
      const runtime = fakeRuntime();
      const broken: Secrets = {
        label: 'file x',
        get: async () => undefined,
        keys: () => Promise.reject(failure),
      };
      const sources = [broken, new Vault({ LISTED: 'listed-canary' })];
      await learnAll(redactor, { sources, keys: [], log: runtime.log });
      expect(redactor.text('listed-canary')).toBe(REDACTED);
      expect(runtime.logged).toMatchObject([
        {
          level: 'error',
          fields: { source: 'file x', error: expect.stringMatching(/broken|at all/) },
        },
      ]);
    },
  );

  it('is redacted from the moment it is handed out', async () => {
    const redactor = new Redactor();
    const secrets = learningSecrets(new Vault({ A: 'canary-secret' }), redactor);
    expect(redactor.text('canary-secret')).toBe('canary-secret');
    expect(await secrets.get('A')).toBe('canary-secret');
    expect(await secrets.get('B')).toBeUndefined();
    expect(redactor.text('canary-secret')).toBe(REDACTED);
    expect(secrets.label).toBe('unnamed');
    expect(await learningSecrets({ get: async () => undefined }, redactor).keys()).toEqual([]);
  });
});

describe('log', () => {
  it('threat: no secret gets into the message or the fields, at any level', () => {
    const runtime = fakeRuntime();
    const redactor = new Redactor();
    redactor.learn('canary-secret');
    const log = redactingLog(runtime.log, redactor);
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      log[level]('says canary-secret', { error: new Error('canary-secret'), password: 'x' });
    }
    log.info('without fields');
    expect(JSON.stringify(runtime.logged)).not.toContain('canary-secret');
    expect(runtime.logged.map(({ level }) => level)).toEqual([
      'debug',
      'info',
      'warn',
      'error',
      'info',
    ]);
    expect(runtime.logged[0]).toMatchObject({
      message: `says ${REDACTED}`,
      fields: { error: { message: REDACTED }, password: REDACTED },
    });
  });
});
