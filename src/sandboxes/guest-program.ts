/**
 * The program that Node runs inside a sandbox of the operating system to run one module. It is
 * handed over as text and speaks in lines of JSON: reads them from its input, and writes them to its
 * output behind a mark that tells them from what the module prints.
 */
import { CONTEXT_NAMES } from './context-names.ts';

export const GUEST_FLAGS = ['--input-type=module', '--no-warnings', '--eval'];

// Node prints the position of a syntax error, but does not put it on the error: hence --check.
// What the module prints is written at once, so that a limit stops it before its memory is full.
// JSON, process.stdout and the like are read at the start, before the module can replace them. This is
// no protection against attacks: it keeps a careless module from harming itself.
export const GUEST_PROGRAM = `
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
const { parse, stringify } = JSON;
const { stdin, stdout, stderr } = process;
for (const stream of [stdout, stderr]) stream._handle?.setBlocking?.(true);
const write = stdout.write.bind(stdout);
const exit = process.exit.bind(process);
const waiting = new Map();
const refusals = new WeakMap();
let mark = '';
let last = 0;
const send = (message) => write(mark + stringify(message) + '\\n');
const ask = (method) => (...args) => {
  const text = stringify(args);
  const id = (last += 1);
  const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  answer.catch(() => undefined);
  write(mark + '{"ask":' + id + ',"method":' + stringify(method) + ',"args":' + text + '}\\n');
  return answer;
};
const settle = ({ id, value, failure }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (failure === undefined) return resolve(value);
  const error = Object.assign(new Error(failure.message), { code: failure.code });
  refusals.set(error, id);
  reject(error);
};
const context = {};
for (const name of ${JSON.stringify(CONTEXT_NAMES)}) {
  const [group, member] = name.split('.');
  if (member === undefined) context[group] = ask(name);
  else (context[group] ??= {})[member] = ask(name);
}
let file = '';
const stackOf = (error) => {
  if (error.name !== 'SyntaxError') return String(error.stack);
  const { stderr: text } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  return text || String(error.stack);
};
const placeOf = (error) => {
  const at = stackOf(error).split(file)[1] ?? '';
  const [line] = /^:\\d+(?::\\d+)?/.exec(at) ?? [];
  return line === undefined ? '' : ' (' + basename(file) + line + ')';
};
const textOf = (error) => {
  try {
    if (typeof error !== 'object' || error === null) return String(error);
    const name = error.name === undefined ? 'Error' : String(error.name);
    return (name + ': ' + String(error.message)).slice(0, 2000) + placeOf(error);
  } catch {
    return 'The code threw something that cannot be told.';
  }
};
const refusalOf = (error) =>
  typeof error === 'object' && error !== null ? refusals.get(error) : undefined;
const fail = (error) => {
  send({ broken: textOf(error).slice(0, 4000), refusal: refusalOf(error) });
  exit(0);
};
const begin = async ({ code, name, input }) => {
  const folder = mkdtempSync('/tmp/tool-');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  file = join(folder, name);
  writeFileSync(file, code);
  const module = await import(pathToFileURL(file).href);
  const run = module.run ?? module.default;
  if (typeof run !== 'function') throw new Error('The module exports no function run.');
  const text = stringify(await run(input, context));
  write(mark + (text === undefined ? '{"done":1}' : '{"done":1,"value":' + text + '}') + '\\n');
  exit(0);
};
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
let rest = '';
stdin.setEncoding('utf8');
stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const message = parse(line);
    if (message.mark === undefined) settle(message);
    else {
      mark = message.mark;
      begin(message).catch(fail);
    }
  }
});
stdin.on('end', () => exit(0));
`;
