/**
 * Answers what sandboxed code asks of its context. Names are looked up in a closed table, arguments
 * arrive as data, and each goes through the same broker a tool in this process would use.
 */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Logger } from '../../contract/runtime.ts';
import type { SandboxHost } from '../../contract/sandbox.ts';
import { assertNoOptions, MAX_ANSWER_TOKENS } from './context-checks.ts';

type Answer = (context: ToolContext, args: readonly unknown[]) => unknown;

const invalid = (): ToolFailure =>
  new ToolFailure(
    'VALIDATION_ERROR',
    'The sandboxed code called its context with invalid arguments.',
    { suggestions: ['See the type ToolContext for what each method takes.'] },
  );

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw invalid();
  return value;
};

const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined || value === null ? undefined : read(value);

const texts = (value: unknown): readonly string[] => {
  if (!Array.isArray(value)) throw invalid();
  return value.map(text);
};

const record = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  return value as Record<string, unknown>;
};

const number = (value: unknown): number => {
  if (typeof value !== 'number') throw invalid();
  return value;
};

const fetched: Answer = async ({ fetch }, [url, init]) => {
  const { method, headers, body } = optional(init, record) ?? {};
  const response = await fetch(text(url), {
    ...(method !== undefined && { method: text(method) }),
    ...(headers !== undefined && { headers: record(headers) as Record<string, string> }),
    ...(body !== undefined && body !== null && { body: text(body) }),
  });
  return {
    status: response.status,
    ok: response.ok,
    url: response.url,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
};

/** Asks the model and charges the call, so that the code cannot forget to. */
const generated: Answer = async (context, [request]) => {
  const { prompt, system, maxTokens, temperature, schema, ...surplus } = record(request);
  const reply = await context.model.generate({
    ...surplus,
    prompt: text(prompt),
    maxTokens: Math.min(optional(maxTokens, number) ?? MAX_ANSWER_TOKENS, MAX_ANSWER_TOKENS),
    ...(system !== undefined && { system: text(system) }),
    ...(temperature !== undefined && { temperature: number(temperature) }),
    ...(schema !== undefined && { schema: record(schema) }),
    signal: context.signal,
  });
  const tokens = reply.inputTokens + reply.outputTokens;
  context.charge({ tokens, ...(reply.costUsd !== undefined && { cost: reply.costUsd }) });
  return reply;
};

const logged =
  (level: keyof Logger): Answer =>
  ({ logger }, [message, fields]) =>
    logger[level](text(message), optional(fields, record));

const SCOPES = ['working', 'short-term', 'long-term'] as const;

const scopeOf = (value: unknown): (typeof SCOPES)[number] => {
  const scope = SCOPES.find((each) => each === value);
  if (!scope) throw invalid();
  return scope;
};

const decoder = new TextDecoder();

const ANSWERS: Readonly<Record<string, Answer>> = {
  'fs.resolve': ({ fs }, [path, access]) =>
    fs.resolve(text(path), access === 'write' ? 'write' : 'read'),
  'fs.read': async ({ fs }, [path, options]) =>
    decoder.decode(await fs.read(text(path), optional(options, record))),
  'fs.write': ({ fs }, [path, content, options]) =>
    fs.write(text(path), text(content), { createDirs: true, ...optional(options, record) }),
  'fs.remove': ({ fs }, [path]) => fs.remove(text(path)),
  'fs.list': ({ fs }, [path]) => fs.list(optional(path, text) ?? '.'),
  'fs.stat': ({ fs }, [path]) => fs.stat(text(path)),
  fetch: fetched,
  exec: (context, [command, args, options]) =>
    context.exec(text(command), optional(args, texts) ?? [], optional(options, record) ?? {}),
  call: (context, [tool, input, ...surplus]) => {
    assertNoOptions('call', surplus);
    return context.call(text(tool), input);
  },
  secret: (context, [key]) => context.secret(text(key)),
  'model.generate': generated,
  'logger.debug': logged('debug'),
  'logger.info': logged('info'),
  'logger.warn': logged('warn'),
  'logger.error': logged('error'),
  progress: (context, [fraction, note]) => context.progress(number(fraction), optional(note, text)),
  warn: (context, [message]) => context.warn(text(message)),
  charge: (context, [usage]) => context.charge(record(usage)),
  'memory.read': ({ memory }, [scope, key]) => memory.read(scopeOf(scope), text(key)),
  'memory.write': ({ memory }, [scope, key, value]) =>
    memory.write(scopeOf(scope), text(key), value),
  'memory.writeFor': ({ memory }, [ttlMs, at, value]) => {
    const place = record(at);
    const scope = scopeOf(place.scope);
    return memory.writeFor(number(ttlMs), { ...place, scope, key: text(place.key) }, value);
  },
  'memory.delete': ({ memory }, [scope, key]) => memory.delete(scopeOf(scope), text(key)),
};

export interface SandboxHostOptions {
  /** Whether the code may ask the model; see `needs.model`. */
  readonly model?: boolean;
}

const assertModel = (method: string, { model = false }: SandboxHostOptions): void => {
  if (model || !method.startsWith('model.')) return;
  throw new ToolFailure('PERMISSION_DENIED', 'The tool did not declare that it asks the model.', {
    suggestions: ['Add model: true to needs of the tool.'],
  });
};

export const sandboxHost = (
  context: ToolContext,
  options: SandboxHostOptions = {},
): SandboxHost => ({
  request: async (method, args) => {
    assertModel(method, options);
    const answer = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : undefined;
    if (!answer) {
      throw new ToolFailure('PERMISSION_DENIED', 'Sandboxed code has no such request.', {
        suggestions: ['See docs/custom-tools.md for what the context offers.'],
      });
    }
    return answer(context, args);
  },
});
