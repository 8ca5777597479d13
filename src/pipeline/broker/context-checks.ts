/**
 * Checks what the code of a tool hands to its context. A misspelt option is refused before anything
 * happens: an `overwrit: false` that nobody reads would replace a file.
 */
import type { ExecOptions, FileAccess, InnerCallOptions, Usage } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ConverseRequest, EmbedRequest, ModelRequest } from '../../contract/model.ts';
import {
  type ArgumentCheck,
  amount,
  anything,
  assertArguments,
  callback,
  fields,
  flag,
  list,
  moment,
  name,
  object,
  optional,
  signal,
  text,
  texts,
} from '../../kit/data/check-arguments.ts';

/** Limits an answer of the model when the tool sets no limit: an unlimited one would have no highest cost. */
export const MAX_ANSWER_TOKENS = 8_192;

type FieldChecks<T> = { readonly [Name in keyof T]-?: ArgumentCheck };
type FileOptions<Name extends 'read' | 'write'> = NonNullable<
  Parameters<FileAccess[Name]>[Name extends 'read' ? 1 : 2]
>;

const CORRECT_THE_TOOL = ['Correct the code of the tool; the input of the call is not at fault.'];

/** Returns a function that throws VALIDATION_ERROR for an argument that `check` refuses. */
const assertion =
  (argument: string, check: ArgumentCheck) =>
  (value: unknown): void => {
    assertArguments({ [argument]: check }, [value], { suggestions: CORRECT_THE_TOOL });
  };

const isVariables: ArgumentCheck = (value) =>
  object(value) ??
  (Object.values(value as object).every((each) => typeof each === 'string')
    ? undefined
    : 'has to have texts as values');

const readOptions = { maxBytes: optional(moment) } satisfies FieldChecks<FileOptions<'read'>>;

const writeOptions = {
  createDirs: optional(flag),
  overwrite: optional(flag),
  executable: optional(flag),
} satisfies FieldChecks<FileOptions<'write'>>;

const execOptions = {
  stdin: optional(name),
  cwd: optional(name),
  env: optional(isVariables),
  timeoutMs: optional(moment),
  hosts: optional(texts),
  gitHeader: optional(fields({ origin: text, header: text })),
} satisfies FieldChecks<ExecOptions>;

/** The amounts themselves are checked where they are counted. */
const usage = { cost: anything, tokens: anything } satisfies FieldChecks<Usage>;

const modelRequest = {
  prompt: name,
  system: optional(name),
  maxTokens: optional(amount),
  temperature: optional(moment),
  schema: optional(object),
  signal: optional(signal),
} satisfies FieldChecks<ModelRequest>;

const converseRequest = {
  messages: list,
  system: optional(name),
  tools: optional(list),
  maxTokens: optional(amount),
  signal: optional(signal),
  onText: optional(callback),
} satisfies FieldChecks<ConverseRequest>;

const embedRequest = {
  text: name,
  signal: optional(signal),
} satisfies FieldChecks<EmbedRequest>;

const assertReadOptions = assertion('options of fs.read', fields(readOptions));
const assertWriteOptions = assertion('options of fs.write', fields(writeOptions));
const assertExecArguments = assertion('arguments of exec', texts);
const assertExecOptions = assertion('options of exec', fields(execOptions));
export const assertUsage = assertion('usage of charge', fields(usage));
export const assertModelRequest = assertion('request of model.generate', fields(modelRequest));
export const assertEmbedRequest = assertion('request of model.embed', fields(embedRequest));
export const assertConverseRequest = assertion(
  'request of model.converse',
  fields(converseRequest),
);

export const assertExec = (argv: readonly unknown[], options: unknown): void => {
  assertExecArguments(argv);
  assertExecOptions(options);
};

const innerCallOptions = {
  signal: optional(signal),
  timeoutMs: optional(amount),
  callKey: optional(text),
} satisfies FieldChecks<InnerCallOptions>;

export const assertInnerCallOptions = assertion('options', fields(innerCallOptions));

/** Refuses a further argument: options such as `dryRun` would be ignored. */
export const assertNoOptions = (method: string, surplus: readonly unknown[]): void => {
  if (surplus.length === 0 || surplus.every((value) => value === undefined)) return;
  throw new ToolFailure('VALIDATION_ERROR', `${method} takes no options.`, {
    suggestions: CORRECT_THE_TOOL,
  });
};

/** Returns the files with a check before each method that takes options. */
export const checkedFiles = (files: FileAccess): FileAccess => ({
  ...files,
  read: async (path, options) => {
    if (options !== undefined) assertReadOptions(options);
    return files.read(path, options);
  },
  write: async (path, data, options) => {
    if (options !== undefined) assertWriteOptions(options);
    return files.write(path, data, options);
  },
});
