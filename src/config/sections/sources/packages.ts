/** The `packages` section: how the tools of installed packages run. */
import { z } from 'zod';
import { optionalSetting, setting } from '../setting.ts';

const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;

const packageSettings = z.strictObject({
  sandbox: optionalSetting(z.enum(['wasm', 'process', 'container', 'vm']), {
    about:
      'Where its tools run, whatever they name themselves; sandbox.default when absent. A package cannot lower it.',
    project: 'user',
  }),
  enabled: optionalSetting(z.boolean(), {
    about: 'Whether its tools are loaded; they are when absent.',
    project: 'off',
  }),
});

export const packagesSection = setting(
  z.record(
    z.string().regex(PACKAGE_NAME, 'expected the name of a package'),
    packageSettings.describe('Settings of one package, under its name.'),
  ),
  { about: 'How the tools of installed packages run, by the name of the package.', default: {} },
);
