/** Imports one document a message and says what became of it. Runs in a process of its own. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listingFaults } from './check-listing.mjs';
import { operationsOf } from './document.mjs';
import { loadCreateCrib, openBedCrib } from './open-bed-crib.mjs';

const { dist } = JSON.parse(process.argv[2]);
const createCrib = await loadCreateCrib(dist);
const { compileJsonSchema } = await import(join(dist, 'registry/schema/json-schema.js'));

const MAX_EXAMPLES = 5;
/** The order of fields does not count. */
const ordered = (_key, value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
const digest = (value) =>
  createHash('sha1')
    .update(JSON.stringify(value, ordered) ?? '')
    .digest('hex');
const megabytes = (bytes) => Math.round(bytes / 1e6);

/** What a model, a person or the lock sees of each tool, by name. */
const seenTools = (crib) =>
  new Map(
    crib.tools
      .list()
      .map(({ tool: { name, title, description, tier, needs } }) => [
        name,
        digest([
          ...[title, description, tier, needs],
          ...[crib.tools.inputSchema(name), crib.tools.outputSchema(name)],
        ]),
      ]),
  );

const compileFault = (schema) => {
  try {
    compileJsonSchema(schema);
    return undefined;
  } catch (error) {
    return String(error.message).slice(0, 200);
  }
};

/**
 * A schema of an operation takes the validator 4 ms and more, and users compile one when they first call its
 * tool: for 10,000 operations that is minutes. After so many, the parts are compiled instead.
 */
const MAX_WHOLE = 500;

/** A reference is compiled apart from what refers to it; that it leads somewhere is checked with the listing. */
const withoutReferences = (key, value) => {
  if (key !== '' && typeof value === 'object' && typeof value?.$ref === 'string') {
    const { $ref: _, ...rest } = value;
    return rest;
  }
  return value;
};

/** Splits a schema into its definitions, its properties and the rest: it compiles where all of them do. */
const partsOf = ({ $defs = {}, properties = {}, ...rest }) => [
  ...Object.values($defs),
  ...Object.values(properties),
  { ...rest, properties: Object.fromEntries(Object.keys(properties).map((name) => [name, {}])) },
];

/** Compiles each schema of a document once, and of many operations each part once: they share theirs. */
const createCompiler = () => {
  const outcomes = new Map();
  /** Definitions of one source are the same objects in all of its tools. */
  const known = new WeakMap();
  let whole = 0;
  const once = (key, schema) => {
    if (!outcomes.has(key)) outcomes.set(key, compileFault(schema));
    return outcomes.get(key);
  };
  const partFault = (part) => {
    if (typeof part !== 'object' || part === null) return undefined;
    if (!known.has(part)) {
      const plain = JSON.parse(JSON.stringify({ part }, withoutReferences)).part;
      known.set(part, once(digest(plain), plain));
    }
    return known.get(part);
  };
  return (schema) => {
    if (schema === undefined) return undefined;
    const key = digest(schema);
    if (outcomes.has(key)) return outcomes.get(key);
    whole += 1;
    if (whole <= MAX_WHOLE) return once(key, schema);
    outcomes.set(
      key,
      partsOf(schema)
        .map(partFault)
        .find((fault) => fault !== undefined),
    );
    return outcomes.get(key);
  };
};

const namesOf = (tools) => {
  const names = tools.flatMap(({ tool, wireName }) =>
    tool.name === wireName ? [tool.name] : [tool.name, wireName],
  );
  return {
    tooLong: names.filter((name) => name.length > 64),
    isUnique: new Set(tools.map(({ wireName }) => wireName)).size === tools.length,
  };
};

/** Judges each tool: schemas compile, listing is safe, name fits. */
const judgeTools = (crib) => {
  const tools = crib.tools.list();
  const faultOf = createCompiler();
  const listing = listingFaults(
    crib,
    tools.map(({ wireName }) => wireName),
  );
  const faults = tools.flatMap(({ tool, wireName }) => {
    const input = faultOf(crib.tools.inputSchema(tool.name));
    const output = faultOf(crib.tools.outputSchema(tool.name));
    const fault = (input && `input: ${input}`) ?? (output && `output: ${output}`);
    if (fault) return [{ kind: 'schema', tool: tool.name, fault }];
    const listed = listing.get(wireName);
    return listed ? [{ kind: 'listing', tool: tool.name, fault: listed }] : [];
  });
  return { faults, good: tools.length - faults.length, ...namesOf(tools) };
};

const reversed = (document) => ({
  ...document,
  paths: Object.fromEntries(Object.entries(document.paths ?? {}).reverse()),
});

const differing = (before, after) => {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
};

/** A document that names no whole address needs one of its user. */
const settingsFor = ({ servers }) => {
  const isWhole = Array.isArray(servers) && servers.some(({ url }) => /^https?:\/\//i.test(url));
  return isWhole ? {} : { baseUrl: 'https://api.example.com' };
};

/** A folder of its own with the document under a name. */
const projectWith = (folder, name, document) => {
  mkdirSync(folder);
  writeFileSync(join(folder, name), JSON.stringify(document));
  return { createCrib, folder, document: name, settings: settingsFor(document) };
};

/** Reads the document again as it is, and from a file of another name with its paths in reverse order. */
const unstableTools = async (crib, document, folder) => {
  const before = seenTools(crib);
  const { change } = await crib.sources.refresh('api');
  const again = [...change.added, ...change.removed, ...change.changed];
  const other = await openBedCrib(
    projectWith(join(folder, 'other'), 'renamed.json', reversed(document)),
  );
  try {
    return { again, reversed: differing(before, seenTools(other.crib)) };
  } finally {
    await other.close();
  }
};

const examplesOf = (faults) =>
  [...new Map(faults.map((one) => [one.fault.replaceAll(/[0-9]+/g, '0'), one])).values()].slice(
    0,
    MAX_EXAMPLES,
  );

const importDocument = async ({ document, operations, folder }) => {
  const project = projectWith(join(folder, 'first'), 'openapi.json', document);
  const start = performance.now();
  const { crib, close } = await openBedCrib(project);
  const importMs = performance.now() - start;
  try {
    const [status] = crib.sources.list();
    if (status.state !== 'ready') {
      return { operations, tools: 0, importMs, refused: status.lastError ?? status.state };
    }
    const refusedTools = status.refused.slice(0, MAX_EXAMPLES);
    const { faults, ...judged } = judgeTools(crib);
    const unstable = await unstableTools(crib, document, folder);
    return {
      operations,
      tools: crib.tools.list().length,
      importMs,
      refusedTools,
      ...judged,
      refusals: status.refused.length,
      schemaFaults: faults.filter(({ kind }) => kind === 'schema').length,
      listingFaults: faults.filter(({ kind }) => kind === 'listing').length,
      faults: examplesOf(faults),
      unstable: { again: unstable.again.length, reversed: unstable.reversed.length },
      unstableNames: [...unstable.again, ...unstable.reversed].slice(0, 3),
    };
  } finally {
    await close();
  }
};

const answer = async (task) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-openapi-run-'));
  const start = performance.now();
  const document = JSON.parse(readFileSync(task.file, 'utf8'));
  const operations = operationsOf(document).length;
  let result;
  try {
    result = await importDocument({ document, operations, folder });
  } catch (error) {
    result = { operations, threw: String(error?.message ?? error).slice(0, 500) };
  }
  rmSync(folder, { recursive: true, force: true });
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1000);
  process.send({
    ...result,
    totalMs: performance.now() - start,
    peakMb,
    rssMb: megabytes(process.memoryUsage.rss()),
  });
};

process.on('message', (task) => void answer(task));
