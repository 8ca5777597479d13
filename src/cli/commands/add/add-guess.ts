/** `toolcrib add <address>`: guesses the kind of the source, prints the reason, and adds it. */
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
import type { AddArguments } from './add-source.ts';
import { ADD_KINDS, INSTALLED_KINDS, kindWords, loadKind } from './kinds.ts';
import { typedOptions } from './typed-options.ts';

const MAX_GUESS_MS = 20_000;

const commandsFor = (kinds: readonly string[], address: string): readonly string[] =>
  kinds.map((kind) => `toolcrib add ${kind} ${shellQuote(address)}`);

/** Lists the kinds that an address of this form can have, the likely ones first. */
const kindsByForm = (address: string): readonly string[] => {
  if (/^https?:\/\//i.test(address)) return ['openapi', 'graphql', 'mcp', 'n8n', 'team'];
  if (/^wss?:\/\//i.test(address)) return ['websocket', 'mcp'];
  if (/^[^\s/]+:\d{1,5}$/.test(address)) return ['grpc'];
  return /[\\/]|\.[a-z]+$/i.test(address) ? ['openapi', 'package'] : ['package'];
};

/** Lists what to type for an address whose kind could not be guessed. */
const adviceFor = (address: string): readonly string[] => [
  ...commandsFor(kindsByForm(address), address),
  ...(/^[^\s/]+:\d{1,5}$/.test(address) ? [`toolcrib add ${shellQuote(`http://${address}`)}`] : []),
  'All kinds: toolcrib add --help',
];

/** Suggests the kind whose name is close to a word. */
const kindLike = async (word: string): Promise<string | undefined> => {
  const { closest, distance } = await import('fastest-levenshtein');
  const near = closest(word.toLowerCase(), [...kindWords()]);
  return distance(word.toLowerCase(), near) <= 2 ? near : undefined;
};

/** Refuses `add <word> <address>` with a word that is no kind. */
const assertOneAddress = async ([word = '', ...rest]: readonly string[]): Promise<void> => {
  if (rest.length === 0) return;
  const suggestion = await kindLike(word);
  throw misuse(
    `There is no kind of source ${visibleText(word)}.`,
    ...(suggestion === undefined
      ? []
      : [`Did you mean ${suggestion}? ${commandsFor([suggestion], rest[0] ?? '')}`]),
    `Kinds: ${kindWords().join(', ')}.`,
  );
};

/** Lists the kinds that an address can have, judged by its text alone. */
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
    return await whileShown(io, 'Reading the address', () => guessKind(address, deps));
  } catch (error) {
    const code = error instanceof ToolFailure ? error.code : 'NETWORK';
    throw new ToolFailure(code, `The address could not be read: ${reasonOf(error)}`, {
      suggestions: [
        'Check the address, and that it can be reached from here.',
        'If you know the kind, name it:',
        ...adviceFor(address),
      ],
    });
  }
};

const unknownKind = async (address: string, { seen, command }: NoGuess): Promise<ToolFailure> => {
  const suggestion = /^\w+$/.test(address) ? await kindLike(address) : undefined;
  return misuse(
    `It is not clear what kind of source ${visibleText(address)} is (${seen}). Nothing was added.`,
    ...(command === undefined ? [] : [`Name its server: ${visibleText(command)}`]),
    ...(suggestion === undefined
      ? []
      : [`If the kind ${suggestion} is meant: toolcrib add ${suggestion} <address>`]),
    'If you know the kind, name it:',
    ...adviceFor(address),
  );
};

/** Guesses the kind from the text, then from what answers there. Fails when neither decides it. */
const guess = async (io: Io, address: string): Promise<KindGuess> => {
  const byText = await kindsByText(address);
  const [first] = byText;
  if (first !== undefined && byText.length === 1) return { kind: first, why: 'by the address' };
  const byAnswer = await kindByLook(io, address);
  if (byText.length === 0 && byAnswer.kind === undefined)
    throw await unknownKind(address, byAnswer);
  if (byAnswer.kind !== undefined && (byText.length === 0 || byText.includes(byAnswer.kind)))
    return byAnswer;
  throw misuse(
    'The address can be of several kinds, so nothing was added.',
    'Name the kind:',
    ...commandsFor(byText, address),
  );
};

/**
 * Asks the person whether the guess is right. Skipped with `--dry-run`, which changes nothing, with
 * `--yes` and `--json`, and where nobody can be asked.
 */
const isConfirmed = async (
  io: Io,
  { kind }: KindGuess,
  { options }: AddArguments,
): Promise<boolean> =>
  [options.dryRun, options.yes, io.json, !canAsk(io)].includes(true) ||
  confirm(io, `Add it as ${kind}?`);

const addGuessed = async (io: Io, args: AddArguments): Promise<number> => {
  const guessed = await guess(io, args.address);
  const { kind, why } = guessed;
  const entry = [...ADD_KINDS, ...INSTALLED_KINDS].find((one) => one.kind === kind);
  if (!io.json) note(io, `It is ${kind}: ${visibleText(why)}.`);
  if (!(await isConfirmed(io, guessed, args))) {
    note(io, 'Nothing was added.');
    return 0;
  }
  return entry
    ? addOfKind(io, await loadKind(entry), args)
    : addMcp(io, [args.address], { options: args.options as McpOptions, typed: args.typed });
};

export const addGuessCommand = (add: Command, io: Io): Command =>
  withExamples(
    withAddOptions(
      add
        .command('guess', { isDefault: true })
        .description('add the source at an address; guesses its kind')
        .argument('<address>', 'an address, a path, or the name of a package')
        // A second word is allowed, so that a misspelt kind is answered with the right one.
        .allowExcessArguments(true),
    )
      .option('-y, --yes', 'do not ask whether the kind is right, or to install a package')
      .action(
        leaving(io, async (address: string, options: AddArguments['options'], self: Command) => {
          await assertOneAddress(self.args);
          return addGuessed(io, { address, options, typed: typedOptions(self) });
        }),
      ),
    'toolcrib add https://petstore3.swagger.io/api/v3/openapi.json --dry-run',
    'toolcrib add ./openapi.yml --name shop',
  );
