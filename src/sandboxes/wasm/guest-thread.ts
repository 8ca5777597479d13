/**
 * The program of a thread that runs code in QuickJS: one realm, made ahead, for each run. It is
 * text because a thread must start the same way from sources, from the package and from a bundle.
 */
import { BORDER_PROGRAM } from '../border-program.ts';
import { REALM_PROGRAM } from '../realm-program.ts';
import { METER_PROGRAM } from '../thread-meter.ts';

/** Jobs in a row before messages from the host are looked at. */
const SLICE = 1000;
/** Of QuickJS, well within what the thread has: an overflow must end in an error, not in a trap. */
const STACK_BYTES = 256 * 1024;
/** What may lie below the stack and be zero in a fresh realm: a hundred times what there is. */
const LOW_MARGIN = 256 * 1024;
/** What the engine and a realm take before the code has made anything. */
const ENGINE_BYTES = 8 * 1024 * 1024;
/** A page of WebAssembly. */
const PAGE_BYTES = 64 * 1024;

export const GUEST_THREAD = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { readFileSync } = require('node:fs');
const { newQuickJSWASMModuleFromVariant, newVariant } = require(workerData.core);
const { default: variant } = require(workerData.variant);
const { randomInt } = require('node:crypto');
const openBorder = ${BORDER_PROGRAM};
const realmProgram = ${JSON.stringify(REALM_PROGRAM)};
const cpuMs = (${METER_PROGRAM})();
const post = (message) => parentPort.postMessage(message);

/**
 * The limit of QuickJS counts a few bytes a block, because its allocator does not know how long blocks
 * are. What holds is here: memory that would grow beyond the limit does not, and the engine throws.
 */
let maxMemoryBytes = Infinity;
/** The engine asked for memory last and got none. */
let lacksMemory = false;
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  lacksMemory = this.buffer.byteLength + pages * ${PAGE_BYTES} > maxMemoryBytes;
  if (lacksMemory) throw new RangeError('The memory limit of the run is reached.');
  return grow.call(this, pages);
};

/** A realm of its own runtime. Only text and numbers go in or out. */
const openGuest = (quickjs) => {
  const runtime = quickjs.newRuntime({ maxStackSizeBytes: ${STACK_BYTES} });
  const context = runtime.newContext();
  const guest = { runtime, context, border: undefined };
  runtime.setInterruptHandler(() => guest.border?.end !== undefined);
  const textOf = (handle) =>
    context.typeof(handle) === 'string' ? context.getString(handle) : undefined;
  const send = context.newFunction('send', (kind, text, id) => {
    const code = guest.border.send(textOf(kind), textOf(text), context.getNumber(id));
    return context.newString(code);
  });
  const make = context.unwrapResult(context.evalCode(realmProgram, 'toolcrib'));
  const realm = context.unwrapResult(context.callFunction(make, context.undefined, send));
  make.dispose();
  send.dispose();
  const handleOf = (value) => {
    if (value === undefined) return context.undefined;
    return typeof value === 'number' ? context.newNumber(value) : context.newString(value);
  };
  guest.tell = (method, ...values) => {
    const handles = values.map((value) => (value?.owner ? value : handleOf(value)));
    const result = context.callMethod(realm, method, handles);
    result.dispose();
    for (const handle of handles) if (handle !== context.undefined) handle.dispose();
    // Only when memory or the time is over: what the realm program does, it does in a try.
    if (result.error !== undefined) guest.border.finish({ how: 'broke' });
  };
  guest.close = () => {
    realm.dispose();
    context.dispose();
    runtime.dispose();
  };
  return guest;
};

const begin = (guest, { code, name, input, memoryBytes, outputBytes }) => {
  guest.border = openBorder(post, outputBytes);
  guest.runtime.setMemoryLimit(memoryBytes);
  guest.tell('seed', randomInt(2 ** 31), randomInt(2 ** 31), randomInt(2 ** 31));
  const module = guest.context.evalCode(code, name, { type: 'module' });
  if (module.error === undefined) guest.tell('start', module.value, input);
  else guest.tell('fail', module.error);
};

/**
 * The memory in use, in two parts: between them lies the stack, several megabytes of zeros, of which
 * QuickJS may use but the upper end. The margins hold that end, and variables that are zero.
 */
const takeImage = (buffer) => {
  const words = new Uint32Array(buffer);
  let [top, from, gapFrom, gapTo] = [0, 0, 0, 0];
  for (let i = 0; i < words.length; i++) {
    if (words[i] === 0) continue;
    if (i - from > gapTo - gapFrom) [gapFrom, gapTo] = [from, i];
    from = i + 1;
    top = from;
  }
  const bytes = new Uint8Array(buffer);
  const part = (start, end) => ({ at: start, part: bytes.slice(start, end) });
  const [low, high] = [gapFrom * 4 + ${LOW_MARGIN}, gapTo * 4 - ${4 * STACK_BYTES}];
  return low < high ? [part(0, low), part(high, top * 4)] : [part(0, top * 4)];
};

const serve = (quickjs) => {
  let guest = openGuest(quickjs);
  let image;
  let running = false;
  let cpuBefore = 0;
  const memory = () => new Uint8Array(quickjs.getWasmMemory().buffer);
  const freshBytes = memory().length;
  const usage = () => ({ cpuMs: cpuMs() - cpuBefore, peakMemoryBytes: memory().length });

  /**
   * Every later run begins with the very bytes of a fresh realm: copying them back takes a tenth of
   * the time that a new realm takes, and not even a broken heap is handed on.
   */
  const renew = () => {
    guest.border = undefined;
    if (image === undefined) {
      guest.close();
      guest = openGuest(quickjs);
      image = takeImage(quickjs.getWasmMemory().buffer);
    } else {
      const bytes = memory();
      for (const { at, part } of image) bytes.set(part, at);
    }
  };
  /** A map or set that cannot grow ends the code with an exception that has no value. */
  const ranOutOfMemory = ({ how, text }) => {
    if (!lacksMemory || how !== 'threw') return false;
    const { name, message, stack } = JSON.parse(text);
    return name === '' && message === '' && stack === '';
  };
  const conclude = () => {
    running = false;
    if (ranOutOfMemory(guest.border.end)) guest.border.end = { how: 'broke' };
    // Memory of WebAssembly never shrinks: it would be there for the next run, whatever its limit.
    const reusable = memory().length <= freshBytes;
    guest.border.report(reusable, usage());
    if (!reusable) return;
    try {
      renew();
    } catch {
      process.exit(1);
    }
  };
  const pump = () => {
    if (!running) return;
    const { runtime, border } = guest;
    if (border.end === undefined) runtime.executePendingJobs(${SLICE}).dispose();
    if (border.end !== undefined) return conclude();
    if (runtime.hasPendingJob()) return void setImmediate(guarded, pump);
    if (!border.isWaiting()) {
      border.finish({ how: 'waits for nothing' });
      conclude();
    }
  };
  const take = (message) => {
    if (message.kind === 'run') {
      running = true;
      cpuBefore = cpuMs();
      lacksMemory = false;
      maxMemoryBytes = ${ENGINE_BYTES} + message.memoryBytes;
      begin(guest, message);
    } else if (!running || !guest.border.settled(message.id)) return;
    else if (message.kind === 'answer') guest.tell('answer', message.id, message.text);
    else guest.tell('refuse', message.id, message.code, message.message);
    pump();
  };
  /** A trap in WebAssembly leaves an instance that nobody should use again. */
  const guarded = (step, argument) => {
    try {
      step(argument);
    } catch {
      running = false;
      const border = guest.border ?? openBorder(post, 0);
      border.end = { how: 'broke' };
      border.report(false, usage());
    }
  };
  return (message) => guarded(take, message);
};

// Listened to from the start: a thread without anything to wait for would first wait for the
// compiler to optimise the engine in the background, some hundred milliseconds.
// Compiled here and now, function by function as they are used: the asynchronous way would compile
// all of the engine before the first call.
const load = async () => {
  const wasmModule = new WebAssembly.Module(readFileSync(workerData.wasm));
  return serve(await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule })));
};
const ready = load();
parentPort.on('message', (message) => {
  ready.then((take) => take(message), () => process.exit(1));
});
`;
