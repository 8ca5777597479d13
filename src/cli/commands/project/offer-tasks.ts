/**
 * Offers rules for the tests, builds and git commands of a folder. They are written into the user's own
 * configuration, because a project cannot allow programs; each call is still approved as the policy says.
 */
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { parseConfigText } from '../../../config/load/parse-config-text.ts';
import { readConfigText } from '../../../config/load/read-config-file.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { canAsk, confirm } from '../../input/confirm.ts';
import { advise, hint, type Io, note, printDone } from '../../io.ts';
import { openConfigDeps, userFile } from '../../session/config-edit.ts';
import { type ProjectCommands, projectCommands, type Task } from './project-tasks.ts';

interface OfferOptions {
  /** True with `--tasks`: nobody is asked. */
  readonly yes: boolean;
}

interface OfferedTasks {
  /** The file they were written into; absent when nothing was written. */
  readonly file?: string;
  readonly allow: readonly string[];
  readonly tasks: readonly Task[];
}

interface OwnCommands {
  readonly allow: readonly unknown[];
  readonly tasks: readonly unknown[];
}

/** Reads the user's file itself, because a project may have narrowed the settings in force. */
const ownCommands = async (file: string): Promise<OwnCommands> => {
  const { text = '' } = await readConfigText(file);
  const { commands } = (await parseConfigText(text)).value;
  const { allow, tasks } = isRecord(commands) ? commands : {};
  return { allow: Array.isArray(allow) ? allow : [], tasks: Array.isArray(tasks) ? tasks : [] };
};

/** Lists the commands that the configuration does not have yet. */
const missingOf = ({ allow, tasks }: ProjectCommands, own: OwnCommands): ProjectCommands => ({
  allow: allow.filter((pattern) => !own.allow.includes(pattern)),
  tasks: tasks.filter(({ run }) => !own.tasks.some((one) => isTask(one, run))),
});

const isTask = (one: unknown, run: string): boolean =>
  isRecord(one) && one.run === run && one.cwd === undefined;

const write = async (file: string, missing: ProjectCommands, own: OwnCommands): Promise<void> => {
  if (missing.allow.length > 0) {
    await setInConfigFile(file, ['commands', 'allow'], [...own.allow, ...missing.allow]);
  }
  if (missing.tasks.length > 0) {
    await setInConfigFile(file, ['commands', 'tasks'], [...own.tasks, ...missing.tasks]);
  }
};

const show = (io: Io, { allow, tasks }: ProjectCommands): void => {
  note(io, '', 'Commands of this folder that agents could run with bash_execution:');
  for (const { run, hosts } of tasks) {
    const reach = hosts ? io.noteInk.dim(`  may reach ${hosts.join(', ')}`) : '';
    note(io, `  ${visibleText(run)}${reach}`);
  }
  for (const pattern of allow) note(io, `  ${visibleText(pattern)}`);
};

const isAgreed = async (io: Io, file: string, { yes }: OfferOptions): Promise<boolean> => {
  if (yes) return true;
  if (io.json || !canAsk(io)) {
    advise(io, 'To allow them: toolcrib init --tasks');
    return false;
  }
  return confirm(io, `Allow them, in your own configuration (${visibleText(file)})?`);
};

/** Offers the missing tasks; prints nothing when none are missing. */
export const offerTasks = async (io: Io, options: OfferOptions): Promise<OfferedTasks> => {
  const none: OfferedTasks = { allow: [], tasks: [] };
  const file = userFile(await openConfigDeps(io));
  const own = await ownCommands(file);
  const missing = missingOf(projectCommands(io.cwd, io.env), own);
  if (missing.allow.length + missing.tasks.length === 0) return none;
  if (!io.json) show(io, missing);
  if (!(await isAgreed(io, file, options))) return none;
  await write(file, missing, own);
  if (!io.json) {
    printDone(io, `Allowed, in ${visibleText(file)}`);
    hint(io, '  Each call is still approved as your policy says. See docs/commands.md.');
  }
  return { file, ...missing };
};
