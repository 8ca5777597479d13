/** The commands about packages of tools: a group, and the most used of them also at the top level. */
import type { CommandEntry, GroupEntry } from './program.ts';

const CHANGES = [
  {
    name: 'install',
    summary: 'install a package of tools: npm, git, a folder, an address',
    load: async () => (await import('./commands/packages/packages-install.ts')).installCommand,
  },
  {
    name: 'uninstall',
    summary: 'remove an installed package and its tools',
    load: async () => (await import('./commands/packages/packages-install.ts')).uninstallCommand,
  },
  {
    name: 'update',
    summary: 'update installed packages, and show how their tools change',
    load: async () => (await import('./commands/packages/packages-update.ts')).updateCommand,
  },
  {
    name: 'outdated',
    summary: 'ask the registry for newer versions of installed packages',
    load: async () => (await import('./commands/packages/packages-update.ts')).outdatedCommand,
  },
] as const satisfies GroupEntry['commands'];

/** The same commands without the name of the group. */
export const PACKAGE_COMMANDS: readonly CommandEntry[] = CHANGES;

export const PACKAGES: GroupEntry = {
  name: 'packages',
  summary: 'install, list and update packages of tools',
  examples: ['toolcrib packages', 'toolcrib packages install weather-tools', 'toolcrib outdated'],
  commands: [
    {
      name: 'list',
      summary: 'list the installed packages and their state; the default of `packages`',
      isDefault: true,
      load: async () => (await import('./commands/packages/packages-list.ts')).packagesListCommand,
    },
    ...CHANGES,
  ],
};
