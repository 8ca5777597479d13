/** `toolcrib trust --store`: the user says that the database in the project is theirs. */
import { resolve } from 'node:path';
import { ToolFailure, toolError } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { loadConfig } from '../../../trust/load-config.ts';
import { adoptProjectStore } from '../../../trust/locate-store.ts';
import { canAsk } from '../../input/confirm.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { askLine } from '../../session/settle-trust.ts';

const WARNING = [
  'Budgets, memory, stored results, idempotency keys and undo snapshots in it will count.',
  'Do this for a database of your own that you moved or restored, never for one that came with the folder.',
];

const isWanted = async (io: Io, path: string): Promise<boolean> => {
  if (!canAsk(io) || io.json) {
    throw new ToolFailure('VALIDATION_ERROR', 'There is no terminal to ask on.', {
      suggestions: ['Add --yes if you made this database yourself.'],
    });
  }
  note(io, visibleText(path), ...WARNING);
  return (await askLine(io, 'Use this database? y = yes · n = no')) === true;
};

export const trustStore = async (io: Io, yes: boolean): Promise<number> => {
  const { config, projectDir = io.cwd, userDir } = await loadConfig({ cwd: io.cwd, env: io.env });
  const file = resolve(projectDir, config.store.path);
  if (!yes && !(await isWanted(io, file))) {
    note(io, ...errorLines(toolError('USER_CANCELLED', 'It stays unused.'), io.noteInk));
    return 3;
  }
  const store = await adoptProjectStore(file, { userDir, projectDir });
  if (io.json) printJson(io, { store, adopted: true });
  else print(io, `${io.ink.green('✓')} ${visibleText(store)} is used from now on.`);
  return 0;
};
