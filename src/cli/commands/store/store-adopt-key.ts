/** `toolcrib store adopt-key`: makes the signing key of this machine the one that seals a shared store. */
import type { Command } from 'commander';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { loadConfig } from '../../../trust/load-config.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';

const adoptKey = async (io: Io): Promise<number> => {
  const { config, userDir } = await loadConfig({ cwd: io.cwd, env: io.env });
  const { adoptSealKey } = await import('../../../crib/store/seal-key.ts');
  const { store, fingerprint } = await adoptSealKey({ config, userDir, runtime: io.runtime });
  if (io.json) {
    printJson(io, { store, fingerprint });
    return 0;
  }
  print(
    io,
    `${io.ink.green('✓')} The key ${fingerprint} seals ${visibleText(store)} from now on.`,
    '  Tokens, approvals, runs and jobs that the previous key sealed are no longer valid.',
    '  Next: give every other machine this key, in the file that TOOLCRIB_SIGNING_KEY_FILE names.',
  );
  return 0;
};

export const storeAdoptKeyCommand = (store: Command, io: Io): Command =>
  withExamples(
    withJson(store.command('adopt-key')).action(leaving(io, () => adoptKey(io))),
    'toolcrib store adopt-key',
  );
