/** `toolcrib add <address>`: finds out of which kind the source is, says why, and adds it. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { KindGuess, NoGuess } from '../../../crib/sources/guess-kind.ts';
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
import { typedOptions } from './typed-options.ts';

const MAX_GUESS_MS = 20_000;

const commandsFor = (kinds: readonly string[], address: string): readonly string[] =>
  kinds.map((kind) => `toolcrib add ${kind} ${shellQuote(address)}`);

/** The kinds that an address of this form can be of, the likely ones first. */
const kindsByForm = (address: string): readonly string[] => {
  if (/^https?:\/\//i.test(address)) return ['openapi', 'graphql', 'mcp', 'n8n', 'team'];
  if (/^wss?:\/\//i.test(address)) return ['websocket', 'mcp'];
  if (/^[^\s/]+:\d{1,5}$/.test(address)) return ['grpc'];
  return /[\\/]|\.[a-z]+$/i.test(address) ? ['openapi', 'package'] : ['package'];
};

/** What to type for an address whose kind was not found out. */
const adviceFor = (address: string): readonly string[] => [
  ...commandsFor(kindsByForm(address), address),
  ...(/^[^\s/]+:\d{1,5}$/.test(address) ? [`toolcrib add ${shellQuote(`http://${address}`)}`] : []),
  'All kinds: toolcrib add --help',
];

/** Names the kind that a word is close to. */
const kindLike = async (word: string): Promise<string | undefined> => {
  const { closest, distance } = await import('fastest-levenshtein');
  const near = closest(word.toLowerCase(), [...kindWords()]);
  return distance(word.toLowerCase(), near) <= 2 ? near : undefined;
};

/** Refuses `add <word> <address>` with a word that is no kind. */
const assertOneAddress = async ([word = '', ...rest]: readonly string[]): Promise<void> => {
  if (rest.length === 0) return;
  const like = await kindLike(word);
  throw misuse(
    `There is no kind of source ${visibleText(word)}.`,
    ...(like === undefined ? [] : [`Did you mean ${like}? ${commandsFor([like], rest[0] ?? '')}`]),
    `Kinds: ${kindWords().join(', ')}.`,
  );
};

/** Says from the text alone of which kinds an address can be. */
const kindsByText = async (address: string): Promise<readonly string[]> => {
  const loaded = await Promise.all([...ADD_KINDS, ...INSTALLED_KINDS].map(loadKind));
  return loaded.filter((kind) => kind.recognises(address)).map(({ kind }) => kind);
};

const kindByLook = async (io: Io, address: string): Promise<KindGuess | NoGuess> => {
  const { loaded } = await openConfigDeps(io);
  const { guessKind } = await import('../../../crib/sources/guess-kind.ts');
  const signal = AbortSignal.timeout(MAX_GUESS_MS);
  const deps = { config: loaded.config, cwd: io.cwd, signal };
  try {
    return await whileShown(io, 'Looking what is there', () => guessKind(address, deps));
  } catch (error) {
    const code = error instanceof ToolFailure ? error.code : 'NETWORK';
    throw new ToolFailure(code, `The address could not be looked at: ${reasonOf(error)}`, {
      suggestions: [
        'Check the address, and that it can be reached from here.',
        'If you know what is there, say it:',
        ...adviceFor(address),
      ],
    });
  }
};

const unknownKind = async (address: string, seen: string): Promise<ToolFailure> => {
  const like = /^\w+$/.test(address) ? await kindLike(address) : undefined;
  return misuse(
    `What ${visibleText(address)} is, is not clear (${seen}), so nothing was added.`,
    ...(like === undefined ? [] : [`If the kind ${like} is meant: toolcrib add ${like} <address>`]),
    'If you know of which kind it is, say so:',
    ...adviceFor(address),
  );
};

/** Guesses by the text, then by what is there. Fails where that leaves a doubt. */
const guess = async (io: Io, address: string): Promise<KindGuess> => {
  const byText = await kindsByText(address);
  const [first] = byText;
  if (first !== undefined && byText.length === 1) return { kind: first, why: 'by the address' };
  const seen = await kindByLook(io, address);
  if (byText.length === 0 && seen.kind === undefined) throw await unknownKind(address, seen.seen);
  if (seen.kind !== undefined && (byText.length === 0 || byText.includes(seen.kind))) return seen;
  throw misuse(
    'The address can be of several kinds, so nothing was added.',
    'Say which is meant:',
    ...commandsFor(byText, address),
  );
};

/** A guess from outside is confirmed by a person, or by `--dry-run`, which changes nothing. */
const isConfirmed = async (io: Io, { kind }: KindGuess, { options }: AddWish): Promise<boolean> =>
  [options.dryRun, options.yes, io.json, !canAsk(io)].includes(true) ||
  confirm(io, `Add it as ${kind}?`);

export const addGuessed = async (io: Io, wish: AddWish): Promise<number> => {
  const guessed = await guess(io, wish.address);
  const { kind, why } = guessed;
  const entry = [...ADD_KINDS, ...INSTALLED_KINDS].find((each) => each.kind === kind);
  if (!io.json) note(io, `It is ${kind}: ${visibleText(why)}.`);
  if (!(await isConfirmed(io, guessed, wish))) {
    note(io, 'Nothing was added.');
    return 0;
  }
  return entry
    ? addOfKind(io, await loadKind(entry), wish)
    : addMcp(io, [wish.address], { options: wish.options as McpOptions, typed: wish.typed });
};

export const addGuessCommand = (add: Command, io: Io): Command =>
  withExamples(
    withAddOptions(
      add
        .command('guess', { isDefault: true })
        .description('add what is at an address; its kind is found out')
        .argument('<address>', 'an address, a path, or the name of a package')
        // So that a misspelt kind is answered with the right one.
        .allowExcessArguments(true),
    )
      .option('-y, --yes', 'do not ask whether the kind is right, or to install a package')
      .action(
        leaving(io, async (address: string, options: AddWish['options'], self: Command) => {
          await assertOneAddress(self.args);
          return addGuessed(io, { address, options, typed: typedOptions(self) });
        }),
      ),
    'toolcrib add https://petstore3.swagger.io/api/v3/openapi.json --dry-run',
    'toolcrib add ./openapi.yml --name shop',
  );
