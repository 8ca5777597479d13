/**
 * Gives a realm `console` and the context, which both only send text out. It runs inside the realm, so
 * it is text, and it reads what it needs of the language before the code can replace it.
 */
import { CONTEXT_NAMES } from './context-names.ts';

/**
 * A function of `send(kind, text, id)`: kinds are `stdout`, `stderr`, `request`, `returned`, `threw`;
 * all text is JSON. For a request `send` returns '' or the code of its refusal. The value is
 * `{ seed(a, b, c), start(exports, input), fail(error), answer(id, text), refuse(id, code, message) }`.
 */
export const REALM_PROGRAM = `(send) => {
'use strict';
const { stringify, parse } = JSON;
const { defineProperty } = Object;
const { apply } = Reflect;
const [NativeError, NativePromise, NativeString] = [Error, Promise, String];
const waiting = new Map();
const refusals = new WeakMap();
const { get, set, delete: drop } = Map.prototype;
const { get: refusalOf, set: setRefusal } = WeakMap.prototype;
const { then } = Promise.prototype;
let requests = 0;
const refused = (id, code, message) => {
  const error = new NativeError(message);
  defineProperty(error, 'code', { value: code, enumerable: true });
  apply(setRefusal, refusals, [error, id]);
  return error;
};
const ask = (method, args) => {
  const id = (requests += 1);
  const answer = new NativePromise((resolve, reject) => {
    const text = stringify({ __proto__: null, method, args });
    apply(set, waiting, [id, { resolve, reject }]);
    const code = send('request', text, id);
    if (!code) return;
    apply(drop, waiting, [id]);
    reject(refused(0, code, 'The request ' + method + ' was not sent: it is too much at once.'));
  });
  apply(then, answer, [undefined, () => undefined]);
  return answer;
};
const settle = (id, how, value) => {
  const entry = apply(get, waiting, [id]);
  apply(drop, waiting, [id]);
  if (entry !== undefined) entry[how](value);
};
const shown = (value) => {
  try {
    if (typeof value !== 'object' || value === null) return NativeString(value);
    if (value instanceof NativeError) return NativeString(value) + '\\n' + NativeString(value.stack);
    return NativeString(stringify(value));
  } catch {
    return '[object]';
  }
};
const print = (kind) => (...values) => {
  let line = '';
  for (let i = 0; i < values.length; i++) line += (i > 0 ? ' ' : '') + shown(values[i]);
  send(kind, stringify(line + '\\n'), 0);
};
const [out, err] = [print('stdout'), print('stderr')];
defineProperty(globalThis, 'console', {
  value: { log: out, info: out, debug: out, warn: err, error: err, trace: err },
  writable: true,
  configurable: true,
});
const context = {};
for (const name of ${JSON.stringify(CONTEXT_NAMES)}) {
  const [group, member] = name.split('.');
  const request = (...args) => ask(name, args);
  if (member === undefined) context[group] = request;
  else (context[group] ??= {})[member] = request;
}
const text = (of) => {
  try {
    return NativeString(of() ?? '');
  } catch {
    return '';
  }
};
const describe = (error) => {
  const isObject = (typeof error === 'object' && error !== null) || typeof error === 'function';
  // Without a prototype, so that a toJSON of the code does not stand in for it.
  return stringify({
    __proto__: null,
    name: isObject ? text(() => error.name) : '',
    message: text(() => (isObject ? error.message : error)).slice(0, 4000),
    stack: isObject ? text(() => error.stack).slice(0, 20000) : '',
    request: isObject ? apply(refusalOf, refusals, [error]) : undefined,
  });
};
const fail = (error) => {
  send('threw', describe(error), 0);
};
const run = async (exports, input) => {
  try {
    const module = await exports;
    const main = module.run ?? module.default;
    if (typeof main !== 'function') {
      throw new NativeError('The module exports neither a function run nor a default function.');
    }
    const value = await main(input === undefined ? undefined : parse(input), context);
    send('returned', stringify(value), 0);
  } catch (error) {
    fail(error);
  }
};
/** For a realm that was copied: its own generator would give every run the same numbers. */
const seed = (a, b, c) => {
  let counter = 1;
  Math.random = () => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let i = 0; i < 12; i++) Math.random();
};
return {
  seed,
  start: (exports, input) => void run(exports, input),
  fail,
  answer: (id, value) => settle(id, 'resolve', value === undefined ? undefined : parse(value)),
  refuse: (id, code, message) => settle(id, 'reject', refused(id, code, message)),
};
}`;
