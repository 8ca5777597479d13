import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';

const auth = {
  type: 'api_key',
  required: true,
  configKey: 'ACME_KEY',
  setupUrl: 'https://acme.example/keys',
} as const;

const secretsOf = (values: Record<string, string>) => ({ get: async (key: string) => values[key] });

describe('authenticate', () => {
  it.each([{}, { ACME_KEY: '  ' }])(
    'refuses without the credential, and says where to get one: %o',
    async (values) => {
      const crib = await testCrib([aTool({ auth })], { secrets: secretsOf(values) });
      const { error } = await crib.execute('echo', {});
      expect(error?.code).toBe('AUTH_MISSING');
      expect(error?.suggestions.join(' ')).toContain('https://acme.example/keys');
    },
  );

  it('hands the tool the secret it declared, and redacts it from what comes back', async () => {
    const run = async (_input: unknown, context: { secret(key: string): Promise<string> }) =>
      `used ${await context.secret('ACME_KEY')}`;
    const crib = await testCrib([aTool({ auth, run: run as never })], {
      secrets: secretsOf({ ACME_KEY: 'canary-credential' }),
    });
    expect((await crib.execute('echo', {})).data).toBe('used [REDACTED]');
  });

  it('refuses a secret that was not declared', async () => {
    const run = (_input: unknown, context: { secret(key: string): Promise<string> }) =>
      context.secret('OTHER');
    const crib = await testCrib([aTool({ run: run as never })], {
      secrets: secretsOf({ OTHER: 'x' }),
    });
    expect((await crib.execute('echo', {})).error?.code).toBe('PERMISSION_DENIED');
  });
});
