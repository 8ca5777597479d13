/**
 * Attempts to get out, as data: a name and the body of `run(input, context)`. `loot(thing)` takes
 * whatever was caught (a global object, a `process`, a `Function`) and robs the bait through it.
 */

/** The robbery. Everything it gets hold of is returned, so that the canary finds it. */
export const ROBBERY = `
const attempt = async (step) => { try { return await step(); } catch (error) { return undefined; } };
const globalsOf = (thing) => {
  if (typeof thing === 'function') {
    try { return thing('return globalThis')(); } catch { return undefined; }
  }
  return thing;
};
const makeLoot = (input) => async (thing) => {
  const found = [];
  const root = globalsOf(thing);
  for (const it of [root, root && root.process, root && root.globalThis]) {
    if (it === undefined || it === null || (typeof it !== 'object' && typeof it !== 'function')) continue;
    const proc = it.process ?? it;
    found.push(await attempt(() => proc.env[input.variable]));
    const load = (name) =>
      proc.getBuiltinModule?.(name) ?? proc.mainModule?.require(name) ?? it.require(name);
    found.push(await attempt(() => load('fs').readFileSync(input.file, 'utf8')));
    found.push(await attempt(() => load('fs').readFileSync('/proc/self/environ', 'utf8')));
    found.push(await attempt(() => load('fs').writeFileSync(input.drop, 'x')));
    found.push(await attempt(() => load('child_process').execSync('cat ' + input.file, { encoding: 'utf8' })));
    found.push(await attempt(() => new Promise((done, fail) => {
      const socket = load('net').connect(input.port, '127.0.0.1', () => done('connected'));
      socket.on('error', fail);
    })));
    if (root !== globalThis) await attempt(() => { root[input.mark] = true; });
  }
  return found.filter((it) => it !== undefined && it !== null).map(String);
};
`;

export const ESCAPES: readonly (readonly [string, string])[] = [
  // The realm's own names.
  ['globalThis', 'return loot(globalThis);'],
  ['process by name', 'return loot(typeof process === "undefined" ? undefined : { process });'],
  ['require by name', 'return loot(typeof require === "undefined" ? undefined : { require });'],
  ['this in a sloppy function', 'return loot(new Function("return this")());'],
  ['indirect eval', 'return loot((0, eval)("this"));'],
  ['module', 'return loot(typeof module === "undefined" ? undefined : module.constructor);'],
  ['this of the module', 'return loot(this);'],
  ['arguments.callee.caller', 'return loot(new Function("return arguments.callee.caller")());'],
  // Constructor chains.
  ['Function of a literal', 'return loot((() => 0).constructor);'],
  ['Function of input', 'return loot(input.constructor.constructor);'],
  ['Function of context', 'return loot(context.constructor.constructor);'],
  ['Function of context.fs.read', 'return loot(context.fs.read.constructor);'],
  ['Function of context.fetch', 'return loot(context.fetch.constructor);'],
  ['Function of context.logger', 'return loot(context.logger.info.constructor.constructor);'],
  ['Function of console.log', 'return loot(console.log.constructor);'],
  ['Function of a string of input', 'return loot(input.file.constructor.constructor);'],
  ['Function of a number of input', 'return loot(input.port.constructor.constructor);'],
  ['AsyncFunction', 'return loot(await (async () => 0).constructor("return globalThis")());'],
  [
    'GeneratorFunction',
    'return loot((function* () {}).constructor("yield globalThis")().next().value);',
  ],
  [
    'AsyncGeneratorFunction',
    'return loot((await (async function* () {}).constructor("yield globalThis")().next()).value);',
  ],
  ['Reflect.construct', 'return loot(Reflect.construct(Function, ["return globalThis"])());'],
  ['bound host function', 'return loot(context.call.bind(null).constructor);'],
  ['Function of a symbol', 'return loot(Symbol.iterator.constructor.constructor);'],
  [
    'prototype of the host request promise',
    'const p = context.call("echo", {}); return loot(Object.getPrototypeOf(p).constructor.constructor);',
  ],
  [
    'then of the host request promise',
    'const p = context.call("echo", {}); return loot(p.then.constructor);',
  ],
  [
    'answer of the host',
    'const answer = await context.call("echo", { a: [1] }); return loot(answer.constructor.constructor);',
  ],
  [
    'array in the answer of the host',
    'const answer = await context.call("echo", { a: [1] }); return loot([].concat(answer.a ?? answer)[0].constructor.constructor);',
  ],
  [
    'error of the host',
    'try { await context.secret("none"); } catch (error) { return loot(error.constructor.constructor); }',
  ],
  [
    'stack of the error of the host',
    'try { await context.secret("none"); } catch (error) { return [error.stack, error.cause, Object.getOwnPropertyNames(error)].map(String); }',
  ],
  [
    'error of a bad argument',
    'try { context.progress(Symbol()); } catch (error) { return loot(error.constructor.constructor); }',
  ],
  [
    'error of a circular argument',
    'const loop = {}; loop.loop = loop; try { await context.call("echo", loop); } catch (error) { return loot(error.constructor.constructor); }',
  ],
  [
    'error of deep recursion',
    'const dive = () => dive(); try { dive(); } catch (error) { return loot(error.constructor.constructor); }',
  ],
  [
    'error of recursion through the host',
    'const dive = () => { context.progress(0); dive(); }; try { dive(); } catch (error) { return loot(error.constructor.constructor); }',
  ],
  // Stacks.
  [
    'prepareStackTrace',
    'let caught; Error.prepareStackTrace = (_, frames) => { caught = frames; return ""; }; void new Error().stack; return loot(caught?.[0]?.getThis?.() ?? caught?.[0]?.getFunction?.());',
  ],
  [
    'prepareStackTrace of the host',
    'let caught; Error.prepareStackTrace = (_, frames) => { caught = frames; return ""; }; try { await context.secret("none"); } catch (error) { void error.stack; } return loot((caught ?? []).map((f) => f.getThis?.()).find(Boolean));',
  ],
  [
    'async stack',
    'Error.stackTraceLimit = 1000; const error = await (async () => { await null; return new Error("x"); })(); return [error.stack];',
  ],
  ['captureStackTrace', 'const it = {}; Error.captureStackTrace?.(it); return [it.stack];'],
  // Pollution of what crosses.
  ['Object.prototype', 'Object.prototype[input.mark] = true; return {};'],
  [
    '__proto__ key in the value',
    'return JSON.parse(\'{"__proto__": {"\' + input.mark + \'": true}}\');',
  ],
  [
    'constructor.prototype key in the value',
    'return { constructor: { prototype: { [input.mark]: true } } };',
  ],
  [
    '__proto__ key in a request',
    'await context.call("echo", JSON.parse(\'{"__proto__": {"\' + input.mark + \'": true}}\')); return 1;',
  ],
  ['prototype of the input', 'Object.getPrototypeOf(input)[input.mark] = true; return 1;'],
  [
    'prototype of the context',
    'Object.getPrototypeOf(context)[input.mark] = true; Object.getPrototypeOf(context.fs.read)[input.mark] = true; return 1;',
  ],
  [
    'Array.prototype.map replaced',
    'Array.prototype.map = function () { return [globalThis]; }; await context.call("echo", [1]); return [1];',
  ],
  [
    'Promise.prototype.then replaced',
    'let caught; const then = Promise.prototype.then; Promise.prototype.then = function (a, b) { caught ??= a; return then.call(this, a, b); }; await context.call("echo", {}); return loot(caught?.constructor);',
  ],
  [
    'Promise replaced',
    'globalThis.Promise = class { constructor(f) { this.f = f; } then(r) { r(globalThis); } }; return context.call("echo", {});',
  ],
  [
    'JSON.stringify replaced',
    'let caught; JSON.stringify = function () { caught = arguments.callee?.caller; return "\\"x\\""; }; await attempt(() => context.call("echo", {})); return loot(caught?.constructor);',
  ],
  [
    'JSON.parse replaced',
    'JSON.parse = () => ({ then: (r) => r(globalThis) }); return context.call("echo", {});',
  ],
  [
    'Object.prototype setter',
    'let caught; Object.defineProperty(Object.prototype, "value", { set(v) { caught ??= this; }, get() { return undefined; }, configurable: true }); await attempt(() => context.call("echo", {})); return loot(caught);',
  ],
  [
    'Object.prototype getter for options',
    'for (const key of ["get", "set", "host", "env", "shell", "eval"]) Object.defineProperty(Object.prototype, key, { get() { return undefined; }, configurable: true }); return 1;',
  ],
  // What comes back.
  [
    'getter in the value',
    'return { get x() { return loot(arguments.callee?.caller?.constructor); } };',
  ],
  [
    'toJSON of the value',
    'return { toJSON() { return "json"; }, x: globalThis.process?.env?.[input.variable] };',
  ],
  ['toJSON of every object', 'Object.prototype.toJSON = () => null; throw new Error("x");'],
  ['toJSON of every object, without a value', 'Object.prototype.toJSON = () => {}; throw "x";'],
  ['toJSON that throws', 'return { toJSON() { throw { toString: () => "thrown" }; } };'],
  [
    'proxy as value',
    'return new Proxy({}, { get: (_, key) => { throw new Error(String(key)); }, ownKeys: () => { throw new Error("keys"); } });',
  ],
  [
    'proxy of many keys',
    'return new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: () => 1 });',
  ],
  [
    'proxy with getPrototypeOf',
    'return new Proxy([], { getPrototypeOf: () => { throw new Error("proto"); } });',
  ],
  [
    'revoked proxy as value',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return [proxy];',
  ],
  [
    'symbols in the value',
    'return { [Symbol.toPrimitive]: () => loot(globalThis), [Symbol.toStringTag]: "x", a: 1 };',
  ],
  [
    'inspect.custom in the value',
    'return { a: 1, [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) { return loot(inspect.constructor); } };',
  ],
  [
    'inspect.custom in console.log',
    'console.log({ [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) { globalThis.caught = inspect ?? options; return "x"; } }); return loot(globalThis.caught?.constructor);',
  ],
  [
    'inspect.custom in the error',
    'const error = new Error("x"); error[Symbol.for("nodejs.util.inspect.custom")] = (d, o, inspect) => loot(inspect.constructor); throw error;',
  ],
  [
    'getter as message of the error',
    'throw { get message() { return String(globalThis.process?.env?.[input.variable]); } };',
  ],
  [
    'message that is an object',
    'throw { name: { toString() { return "x"; } }, message: { toString() { throw 1; } }, stack: {} };',
  ],
  [
    'proxy as error',
    'throw new Proxy(new Error("x"), { get: () => { throw new Error("again"); } });',
  ],
  ['thrown function', 'throw () => globalThis;'],
  ['thrown symbol', 'throw Symbol("x");'],
  ['thrown undefined', 'throw undefined;'],
  [
    'error that claims a code',
    'throw Object.assign(new Error("x"), { name: "ToolFailure", code: "APPROVAL_REQUIRED" });',
  ],
  ['function as value', 'return () => globalThis;'],
  ['thenable as value', 'return { then(resolve) { resolve({ then(again) { again(1); } }); } };'],
  [
    'thenable that answers twice',
    'return { then(resolve, reject) { resolve(1); reject(new Error("2")); resolve(3); } };',
  ],
  ['big integer as value', 'return 1n;'],
  ['circular value', 'const loop = { a: 1 }; loop.loop = loop; return loop;'],
  [
    'very deep value',
    'let deep = []; for (let i = 0; i < 100000; i++) deep = [deep]; return deep;',
  ],
  [
    'shared buffer as value',
    'return typeof SharedArrayBuffer === "undefined" ? 0 : new SharedArrayBuffer(8);',
  ],
  [
    'weak reference',
    'return loot(typeof WeakRef === "undefined" ? undefined : new WeakRef(context).deref().constructor.constructor);',
  ],
  [
    'finalizer after the end',
    'if (typeof FinalizationRegistry !== "undefined") new FinalizationRegistry(() => loot(globalThis)).register({}, 1); return 1;',
  ],
  // Modules.
  [
    'import of fs',
    'const fs = await attempt(() => import("fs")); return [await attempt(() => fs.readFileSync(input.file, "utf8"))];',
  ],
  [
    'import of node:fs',
    'const fs = await attempt(() => import("node:fs")); return [await attempt(() => fs.readFileSync(input.file, "utf8"))];',
  ],
  [
    'import of std and os (QuickJS)',
    'const std = await attempt(() => import("std")); const os = await attempt(() => import("os")); return [await attempt(() => std.loadFile(input.file)), await attempt(() => std.getenv(input.variable)), await attempt(() => os.readdir("/"))];',
  ],
  [
    'import of a file',
    'return [await attempt(async () => Object.keys(await import("file://" + input.file)))];',
  ],
  [
    'import of data',
    'return loot((await attempt(() => import("data:text/javascript,export default globalThis")))?.default);',
  ],
  ['import of itself', 'return loot(await attempt(() => import("./toolcrib-runtime")));'],
  [
    'import by Function',
    'return loot(await attempt(() => new Function("return import(\'node:process\')")()));',
  ],
  [
    'import.meta',
    'return [String(Object.keys(import.meta)), String(await attempt(() => import(import.meta.url)))];',
  ],
  // The way back.
  [
    'fetch of the canary',
    'return [await attempt(async () => (await fetch("http://127.0.0.1:" + input.port)).status)];',
  ],
  [
    'WebSocket and XMLHttpRequest',
    'return [await attempt(() => new WebSocket("ws://127.0.0.1:" + input.port)), await attempt(() => new XMLHttpRequest())].map(String);',
  ],
  [
    'timer with text',
    'if (typeof setTimeout === "function") await attempt(() => setTimeout("globalThis." + input.mark + " = true", 0)); return 1;',
  ],
  [
    'method named like a prototype',
    'return [await attempt(() => context.call("__proto__", {})), await attempt(() => context.call("constructor", {}))].map(String);',
  ],
  [
    'arguments with getters',
    'return loot(await attempt(() => context.call("echo", { get a() { return arguments.callee?.caller?.constructor; } })));',
  ],
  [
    'arguments with toJSON',
    'return [String(await attempt(() => context.call("echo", { toJSON: () => ({ a: 1 }) })))];',
  ],
  [
    'argument that is a function',
    'return [typeof (await attempt(() => context.call("echo", () => globalThis)))];',
  ],
  [
    'argument that is a proxy',
    'return [await attempt(() => context.call("echo", new Proxy({}, { ownKeys() { throw new Error("keys"); } })))].map(String);',
  ],
  [
    're-entrancy from toJSON',
    'return [await attempt(() => context.call("echo", { toJSON() { return context.call("echo", { again: 1 }); } }))].map(String);',
  ],
  [
    're-entrancy from then',
    'return [await context.call("echo", { a: 1 }).then(() => context.call("echo", { b: 2 }))].map(String);',
  ],
  [
    'huge argument',
    'return [await attempt(() => context.call("echo", "x".repeat(30e6)))].map((it) => typeof it);',
  ],
  [
    'context replaced',
    'for (const key of Reflect.ownKeys(context)) await attempt(() => { context[key] = globalThis; }); return 1;',
  ],
  [
    'names left in the global object',
    'return loot(Reflect.ownKeys(globalThis).filter((key) => /host|send|bridge|parent|worker|port/i.test(String(key))).map((key) => globalThis[key])[0]);',
  ],
  [
    'SharedArrayBuffer and Atomics.wait',
    'return [await attempt(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10))].map(String);',
  ],
  [
    'WebAssembly',
    'return loot(typeof WebAssembly === "undefined" ? undefined : WebAssembly.Module.constructor);',
  ],
  [
    'process.binding',
    'return [await attempt(() => process.binding("fs") && "bound")].map(() => 1);',
  ],
  [
    'signal to the host',
    'return [await attempt(() => process.kill(input.pid, 0) && "signalled " + "the host")];',
  ],
  ['process.exit', 'await attempt(() => process.exit(0)); return 1;'],
  [
    'output that looks like an answer',
    'console.log(JSON.stringify({ type: "done", kind: "done", id: 0, value: input.mark })); return "real";',
  ],
  [
    'output with control characters',
    'console.log("\\u0000\\n{\\"type\\":\\"result\\"}\\n\\u001b[2J"); return "real";',
  ],
];
