/** `toolcrib add <address>`: finds out of which kind the source is, says why, and adds it. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { KindGuess } from '../../../crib/sources/guess-kind.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples } from '../../command-actions.ts';
import { canAsk, confirm } from '../../input/confirm.ts';
import { misuse } from '../../input/misuse.ts';
import { type Io, note } from '../../io.ts';
import { shellQuote } from '../../output/format-units.ts';
import { whileShown } from '../../output/progress-line.ts';
import { openConfigDeps } from '../../session/config-edit.ts';
import { addOfKind, withAddOptions } from './add-command.ts';
import { addMcp, type McpOptions } from './add-mcp.ts';
import type { AddWish } from './add-source.ts';
import { ADD_KINDS, INSTALLED_KINDS, kindWords, loadKind } from './kinds.ts';

const MAX_GUESS_MS = 20_000;

const commandsFor = (kinds: readonly string[], address: string): readonly string[] =>
  kinds.map((kind) => `toolcrib add ${kind} ${shellQuote(address)}`);

/** Says from the text alone of which kinds an address can be. */
const kindsByText = async (address: string): Promise<readonly string[]> => {
  const loaded = await Promise.all([...ADD_KINDS, ...INSTALLED_KINDS].map(loadKind));
  return loaded.filter((kind) => kind.recognises(address)).map(({ kind }) => kind);
};

const kindByLook = async (io: Io, address: string): Promise<KindGuess | undefined> => {
  const { loaded, root } = await openConfigDeps(io);
  const { guessKind } = await import('../../../crib/sources/guess-kind.ts');
  const signal = AbortSignal.timeout(MAX_GUESS_MS);
  const deps = { config: loaded.config, project: root, signal };
  try {
    return await whileShown(io, 'Looking what is there', () => guessKind(address, deps));
  } catch (error) {
    const code = error instanceof ToolFailure ? error.code : 'NETWORK';
    throw new ToolFailure(code, `The address could not be looked at: ${reasonOf(error)}`, {
      suggestions: [
        'Check the address, and that it can be reached from here.',
        'If you know what is there, say it:',
        ...commandsFor(kindWords(), address),
      ],
    });
  }
};

const unknownKind = (address: string): ToolFailure =>
  misuse(
    'What is at this address is not clear, so nothing was added.',
    'Say of which kind it is:',
    ...commandsFor(kindWords(), address),
  );

/** Guesses by the text, then by what is there. Fails where that leaves a doubt. */
const guess = async (io: Io, address: string): Promise<KindGuess> => {
  const byText = await kindsByText(address);
  const [first] = byText;
  if (first !== undefined && byText.length === 1) return { kind: first, why: 'by the address' };
  const seen = await kindByLook(io, address);
  if (seen && (byText.length === 0 || byText.includes(seen.kind))) return seen;
  if (byText.length === 0) throw unknownKind(address);
  throw misuse(
    'The address can be of several kinds, so nothing was added.',
    'Say which is meant:',
    ...commandsFor(byText, address),
  );
};

/** A guess from outside is confirmed by a person, or by `--dry-run`, which changes nothing. */
const isConfirmed = async (io: Io, { kind }: KindGuess, { options }: AddWish): Promise<boolean> =>
  options.dryRun === true || io.json || !canAsk(io) || confirm(io, `Add it as ${kind}?`);

export const addGuessed = async (io: Io, wish: AddWish): Promise<number> => {
  const guessed = await guess(io, wish.address);
  const { kind, why } = guessed;
  const entry = [...ADD_KINDS, ...INSTALLED_KINDS].find((each) => each.kind === kind);
  if (!entry && kind !== 'mcp') throw unknownKind(wish.address);
  if (!io.json) note(io, `It is ${kind}: ${visibleText(why)}.`);
  if (!(await isConfirmed(io, guessed, wish))) {
    note(io, 'Nothing was added.');
    return 0;
  }
  return entry
    ? addOfKind(io, await loadKind(entry), wish)
    : addMcp(io, [wish.address], wish.options as McpOptions);
};

export const addGuessCommand = (add: Command, io: Io): Command =>
  withExamples(
    withAddOptions(
      add
        .command('guess', { isDefault: true })
        .description('add what is at an address; its kind is found out')
        .argument('<address>', 'an address, a path, or the name of a package'),
    ).action(
      leaving(io, (address: string, options: AddWish['options']) =>
        addGuessed(io, { address, options }),
      ),
    ),
    'toolcrib add https://petstore3.swagger.io/api/v3/openapi.json --dry-run',
    'toolcrib add ./openapi.yml --name shop',
  );
