/** The `commands` section. */
import { z } from 'zod';
import { optionalSetting, section, setting } from '../setting.ts';

const pattern = z
  .string()
  .regex(/^[^\p{C}]*\S[^\p{C}]*$/u, 'expected a command such as "git status", on one line');

const absolute = z.string().regex(/^\/[^\p{C}]*$/u, 'expected an absolute path');
const host = z.string().regex(/^[^\s\p{C}]{1,255}$/u, 'expected a host name');

const task = z.strictObject({
  run: pattern.describe('The exact command, word by word.'),
  cwd: optionalSetting(pattern, { about: 'Its folder, relative to the workspace root.' }),
  read: optionalSetting(z.array(absolute).max(50), { about: 'Further folders that it may read.' }),
  write: optionalSetting(z.array(absolute).max(50), { about: 'Further folders it may write.' }),
  hosts: optionalSetting(z.array(host).max(50), { about: 'Hosts that it may reach.' }),
  env: optionalSetting(z.record(z.string(), z.string()), { about: 'Variables set for it.' }),
});

export const commandsSection = section(
  z.strictObject({
    allow: setting(z.array(pattern).max(1000), {
      about: 'Commands that may run, as patterns over their words, e.g. git status.',
      project: 'subset',
      default: [],
    }),
    tasks: setting(z.array(task).max(100), {
      about: 'Tests and builds that may run as they are written here, with what each may reach.',
      project: 'user',
      default: [],
    }),
  }),
  'The programs that tools may run.',
);
