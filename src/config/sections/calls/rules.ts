/** The sections `approvals`, `enforcement`, `policy` and `commands`: what may run, and who decides. */
import { z } from 'zod';
import { DEFAULT_POLICY_FILE } from '../../load/find-config-files.ts';
import { address, nonEmptyText, toolName } from '../fields.ts';
import { optionalSetting, section, setting } from '../setting.ts';

export const approvalsSection = section(
  z.strictObject({
    expiresMinutes: setting(
      z
        .number()
        .positive()
        .max(60 * 24 * 365),
      {
        about: 'Minutes after which a question nobody answered is a no.',
        project: 'lower',
        default: 60,
      },
    ),
    linkBaseUrl: optionalSetting(address(['http', 'https']), {
      about: 'The address at which links that answer a question are opened.',
      project: 'user',
    }),
  }),
  'How people are asked, and how long they have to answer.',
);

export const enforcementSection = section(
  z.strictObject({
    disableLocalTools: setting(z.boolean(), {
      about: 'Refuse custom tools of this machine; only shipped and team tools run.',
      project: 'on',
      default: false,
    }),
    enforcedTools: setting(z.array(toolName), {
      about: 'Tools that must stay enabled and cannot be switched off here.',
      project: 'user',
      default: [],
    }),
  }),
  'What a team insists on.',
);

export const policySection = section(
  z.strictObject({
    files: setting(z.array(nonEmptyText).max(100), {
      about:
        'Files of rules, relative to the folder of the configuration that names them. Those of a project only add to the user’s.',
      project: 'own',
      default: [DEFAULT_POLICY_FILE],
    }),
    shadow: setting(z.boolean(), {
      about: 'Record what the rules would have refused, and refuse nothing for their sake.',
      project: 'off',
      default: false,
    }),
    flow: setting(z.enum(['ask', 'deny', 'off']), {
      about:
        'What happens when private data and content from outside meet a way out: a person is asked, the call is denied, or nothing.',
      project: { order: ['off', 'ask', 'deny'] },
      default: 'ask',
    }),
  }),
  'The rules that allow, ask and deny.',
);

const pattern = z.string().regex(/^[^\p{C}]*\S[^\p{C}]*$/u, {
  error: 'expected a command such as "git status", on one line',
  abort: true,
});

/** The first word is a program, so it has no wildcard: `vitest*` would also allow `vitest-evil`. */
const allowed = pattern.regex(
  /^ *[\x21-\x29\x2b-\x7e]+(?: +[\x21-\x7e]+)* *$/,
  'expected the whole name of a program, then its words, such as "npx vitest run" or, with any arguments, "vitest **"',
);

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
    allow: setting(z.array(allowed).max(1000), {
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
