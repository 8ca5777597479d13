import { describe, expect, it } from 'vitest';
import { describeSecrets } from '../../test/conformance/secrets.ts';
import { createEnvironmentSecrets } from './environment.ts';

describeSecrets('environment', () => ({
  secrets: createEnvironmentSecrets({ API_TOKEN: 'value-of-the-token', HOME: '/root' }),
  cleanup: () => undefined,
}));

describe('the environment lists what looks like a credential', () => {
  it.each([
    'GITHUB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'STRIPE_SECRET_KEY',
    'OPENAI_API_KEY',
    'openai_apikey',
    'DB_PASSWORD',
    'DB_PWD',
    'NPM_CONFIG__AUTH',
    'CLIENT_SECRET',
    'PASSPHRASE',
    'TOKEN',
  ])('%s', async (name) => {
    expect(await createEnvironmentSecrets({ [name]: 'a value' }).keys?.()).toEqual([name]);
  });

  it.each([
    ['PWD', '/home/me'],
    ['OLDPWD', '/home/me'],
    ['HOME', '/root'],
    ['PATH', '/bin'],
    ['SSH_AUTH_SOCK', '/tmp/agent'],
    ['TOKEN_COUNT', '12000000'],
    ['SECRET_NAME', 'production-db'],
    ['KEYBOARD', 'german'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/home/me/key.json'],
    ['DB_PASSWORD', ''],
    ['DB_PASSWORD', '  '],
    ['DB_PASSWORD', undefined],
    ['REQUIRE_PASSWORD', 'disabled'],
  ])('but not %s=%s', async (name, value) => {
    const secrets = createEnvironmentSecrets({ [name]: value });
    expect(await secrets.keys?.()).toEqual([]);
    // A tool that declares it gets it all the same.
    expect(await secrets.get(name)).toBe(value);
  });
});
