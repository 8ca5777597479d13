/** The state of a shell: its crib and its conversation. Runs one line after the other. */
import { Readable } from 'node:stream';
import type { Caller } from '../../contract/caller.ts';
import type { Catalog } from '../../contract/catalog.ts';
import { ERRORS, type ToolFailure, toolError } from '../../contract/errors.ts';
import type { ConversationMessage } from '../../contract/model.ts';
import { canAsk } from '../input/confirm.ts';
import { misuse } from '../input/misuse.ts';
import { type Io, note, printJson } from '../io.ts';
import { errorLines } from '../output/error-lines.ts';
import type { CommandEntry } from '../program.ts';
import { type OpenCrib, openCrib } from '../session/open-crib.ts';
import { reportThrown } from '../session/report-thrown.ts';
import type { Chat } from './chat.ts';
import type { ChatBounds } from './chat-turn.ts';
import { printHelp, printToolsPage } from './pages.ts';
import { runCall, runCommand, SHELL_ADVICE } from './run-call.ts';
import { changesTools, commandNames, sharesCrib } from './shell-commands.ts';
import { readShellLine, type ShellLine } from './shell-line.ts';

const MAX_HINTS = 3;

/** Suggests tools that may be meant, each with its first example. */
const hintsFor = (tools: Catalog, text: string): readonly string[] => {
  const hits = tools.search({ text, limit: MAX_HINTS, filter: { enabled: true } });
  const names = [...new Set([...tools.suggest(text), ...hits.map(({ entry }) => entry.tool.name)])];
  return names.slice(0, MAX_HINTS).map((name) => {
    const example = tools.get(name)?.tool.examples?.[0]?.input;
    return `Or did you mean: ${name} ${JSON.stringify(example ?? {})}`;
  });
};

/** Answers a message when there is no model: how to configure one, and tools that may be meant. */
const answerWithoutModel = (io: Io, tools: Catalog, text: string): number => {
  const error = toolError(
    'MODEL_NOT_CONFIGURED',
    'A message needs a language model, and none is configured.',
    {
      suggestions: [
        'Add a section `model:` with provider, model and apiKeyRef to your own configuration.',
        'Store the key under the name in apiKeyRef: /secrets set <name>',
        ...hintsFor(tools, text),
      ],
    },
  );
  if (io.json) printJson(io, { success: false, status: 'failure', error });
  else note(io, ...errorLines(error, io.noteInk));
  return ERRORS[error.code].exit;
};

export interface SessionOptions {
  readonly commands: readonly CommandEntry[];
  readonly caller: Partial<Caller>;
  readonly bounds: ChatBounds;
}

export interface Session {
  readonly open: OpenCrib;
  /** Runs a line and gives the exit code; `quit` to leave. Never throws. */
  run(text: string, signal: AbortSignal): Promise<number | 'quit'>;
  isTool(name: string): boolean;
  toolNames(): readonly string[];
  close(): Promise<void>;
}

const CLEAR_SCREEN = '\u001b[2J\u001b[3J\u001b[H';

/** Gives running commands an empty stdin when lines are piped in, because the lines are for the shell. */
const workIo = (io: Io): Io => {
  if (canAsk(io)) return io;
  const stdin = Object.assign(Readable.from([]), { fd: -1, isTTY: false });
  return { ...io, stdin: stdin as unknown as Io['stdin'] };
};

const unknownCommand = async (name: string, names: readonly string[]): Promise<ToolFailure> => {
  const { closest, distance } = await import('fastest-levenshtein');
  const close = closest(name, names);
  return misuse(
    'The shell has no such command.',
    ...(distance(name, close) <= 2 ? [`Did you mean /${close}?`] : []),
    'See them all: /help',
  );
};

class ShellSession implements Session {
  readonly #io: Io;
  readonly #options: SessionOptions;
  readonly #messages: ConversationMessage[] = [];
  #open: OpenCrib;
  /** True after a command that changed what the crib was opened with. */
  #isStale = false;
  #chat: Chat | undefined = undefined;

  constructor(io: Io, options: SessionOptions, open: OpenCrib) {
    this.#io = io;
    this.#options = options;
    this.#open = open;
  }

  get open(): OpenCrib {
    return this.#open;
  }

  isTool(name: string): boolean {
    return this.#open.crib.tools.has(name);
  }

  toolNames(): readonly string[] {
    const entries = this.#open.crib.tools.list({ enabled: true });
    return entries.map(({ tool }) => tool.name);
  }

  async run(text: string, signal: AbortSignal): Promise<number | 'quit'> {
    try {
      return await this.#runLine(
        readShellLine(text, (name) => this.isTool(name)),
        signal,
      );
    } catch (thrown) {
      return reportThrown(this.#io, thrown, SHELL_ADVICE);
    }
  }

  async #runLine(line: ShellLine, signal: AbortSignal): Promise<number | 'quit'> {
    switch (line.kind) {
      case 'nothing':
        return 0;
      case 'command':
        return this.#command(line.words);
      case 'call': {
        const { crib } = await this.#current();
        const { caller } = this.#options;
        return runCall({ io: this.#io, crib, caller, signal }, line);
      }
      case 'talk':
        return this.#talk(line.text, signal);
      case 'unclosed':
        throw misuse(
          'A quote is not closed.',
          'Close it, or put a backslash before a quote that is meant as such.',
        );
    }
  }

  async #command(words: readonly string[]): Promise<number | 'quit'> {
    const { commands } = this.#options;
    const [name = 'help', sub, ...rest] = words;
    if (name === 'quit' || name === 'exit') return 'quit';
    if (name === 'clear') return this.#clear();
    if (name === 'help') {
      printHelp(this.#io, { commands, model: this.#open.loaded.config.model?.model });
      return 0;
    }
    const names = [...commandNames(commands).keys()];
    if (!names.includes(name)) throw await unknownCommand(name, names);
    const isPage = name === 'tools' && (sub === undefined || sub === 'list') && rest.length === 0;
    if (isPage && !this.#io.json) {
      await printToolsPage(this.#io, await this.#current());
      return 0;
    }
    const io = sharesCrib(words) ? { ...this.#io, held: await this.#current() } : this.#io;
    const code = await runCommand(io, words, commands);
    if (code === 0) await this.#applyChanges(words);
    return code;
  }

  #clear(): number {
    this.#messages.length = 0;
    if (this.#io.stdout.isTTY === true) this.#io.stdout.write(CLEAR_SCREEN);
    return 0;
  }

  /** Applies what a command has changed to the open crib. */
  async #applyChanges(words: readonly string[]): Promise<void> {
    const [name, sub, tool] = words;
    const { tools } = this.#open.crib;
    if (name === 'tools' && (sub === 'enable' || sub === 'disable')) {
      const entry = tool === undefined ? undefined : tools.get(tool);
      if (entry) tools.setEnabled(entry.tool.name, sub === 'enable');
    } else if (changesTools(words)) {
      this.#isStale = true;
      await this.#current();
    }
  }

  /** Returns a crib with the current configuration. Throws while that is invalid: the old rules no longer hold. */
  async #current(): Promise<OpenCrib> {
    if (!this.#isStale) return this.#open;
    const before = this.#open.crib;
    this.#open = await openCrib(this.#io, undefined, { watch: true });
    this.#isStale = false;
    this.#chat = undefined;
    await before.close();
    return this.#open;
  }

  async #talk(text: string, signal: AbortSignal): Promise<number> {
    const { crib, loaded } = await this.#current();
    if (!loaded.config.model) return answerWithoutModel(this.#io, crib.tools, text);
    if (!this.#chat) {
      const { openChat } = await import('./chat.ts');
      const { caller, bounds } = this.#options;
      const as = { agentId: 'model', ...caller };
      this.#chat = openChat({
        io: this.#io,
        crib,
        caller: as,
        bounds,
        messages: this.#messages,
      });
    }
    return this.#chat.say(text, signal);
  }

  close(): Promise<void> {
    return this.#open.crib.close();
  }
}

/** Opens a session. Throws on bad configuration. */
export const openSession = async (io: Io, options: SessionOptions): Promise<Session> => {
  const open = await openCrib(io, undefined, { watch: true });
  return new ShellSession(workIo(io), options, open);
};
