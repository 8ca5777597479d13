/** The `registry` section. */
import { z } from 'zod';
import { nonEmptyText } from '../fields.ts';
import { section, setting } from '../setting.ts';

export const registrySection = section(
  z.strictObject({
    path: setting(nonEmptyText, {
      about:
        'The directory of custom tools, relative to the project (also known as toolRegistryPath).',
      project: { inside: '.toolcrib/tools' },
      default: '.toolcrib/tools',
    }),
    autoDiscovery: setting(z.boolean(), {
      about:
        'Look for tools in the project and in MCP servers; false leaves those that ship and those that a program hands in (also known as enableAutoDiscovery).',
      project: 'off',
      default: true,
    }),
    updateChecks: setting(z.boolean(), {
      about:
        'Ask whether installed tools have newer versions (also known as autoUpdateChecks). Not built yet.',
      project: 'off',
      default: false,
    }),
    lock: setting(z.enum(['off', 'trust-first-use', 'strict']), {
      about:
        'What becomes of tools from outside that nobody has accepted: strict holds them all, trust-first-use lets in what a new source brings at first, off looks at none.',
      project: { order: ['off', 'trust-first-use', 'strict'] },
      default: 'strict',
    }),
  }),
  'Where tools are looked for.',
);
