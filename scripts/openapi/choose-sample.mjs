// Chooses the operations that the test bed calls, and writes them to test/fixtures/openapi/sample.json:
//
//   node scripts/openapi/choose-sample.mjs [--cache <folder>]
//
// First operations that add the most features which fewer than three chosen ones have, then operations
// spread over the providers. The answer is the same for the same documents. An operation counts only
// when a valid request and a valid answer can be made of its own schemas.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bodyOf, operationsOf, parametersOf, securityOf, successOf } from './document.mjs';
import { featuresOf } from './features.mjs';
import { cacheFolder, publicDocuments } from './packages.mjs';
import { plainSchema } from './plain-schema.mjs';
import { sampleOf } from './sample-value.mjs';

const SAMPLE = 500;
/** How many chosen operations should have a feature. */
const PER_FEATURE = 3;
const TARGET = fileURLToPath(new URL('../../test/fixtures/openapi/sample.json', import.meta.url));

const rankOf = (text) => createHash('sha256').update(text).digest('hex');

const canSample = (document, schema, side) => {
  try {
    return sampleOf(plainSchema(document, schema, side)) !== undefined;
  } catch {
    return false;
  }
};

const placeOf = ({ scheme }) =>
  scheme?.type === 'apiKey'
    ? `${scheme.in} ${String(scheme.name).toLowerCase()}`
    : 'header authorization';

const hasSharedPlace = (security) => new Set(security.map(placeOf)).size < security.length;

/** True when request and answer of the operation can be made of its own schemas. */
const isCallable = (document, found) => {
  const parameters = parametersOf(document, found);
  const { method } = found;
  // The standard forbids these, and so does every HTTP client.
  if (method === 'trace' || (bodyOf(document, found) && /^(?:get|head)$/.test(method)))
    return false;
  // Two credentials in one place, or two parameters without anything between them, cannot be told apart.
  if (hasSharedPlace(securityOf(document, found)) || found.path.includes('}{')) return false;
  const names = [...found.path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1]);
  const declared = new Set(parameters.filter((one) => one.in === 'path').map(({ name }) => name));
  if (names.length !== declared.size || !names.every((name) => declared.has(name))) return false;
  if (securityOf(document, found).some(({ scheme }) => scheme === undefined)) return false;
  const { schema } = successOf(document, found);
  const body = bodyOf(document, found);
  return (
    parameters.every((one) => {
      const inner = one.schema ?? Object.values(one.content ?? {})[0]?.schema;
      return canSample(document, inner ?? {}, 'request');
    }) &&
    (schema === undefined || canSample(document, schema, 'response')) &&
    (!body ||
      Object.values(body.content).every((media) =>
        canSample(document, media?.schema ?? {}, 'request'),
      ))
  );
};

/** Every operation as a candidate; a document of many operations gives a part of them. */
const MAX_PER_DOCUMENT = 120;

const candidatesOf = (documents) =>
  documents.flatMap(({ name, file, bytes }) => {
    if (bytes > 8_000_000) return [];
    const document = JSON.parse(readFileSync(file, 'utf8'));
    return operationsOf(document)
      .map((found) => ({ found, rank: rankOf(`${name} ${found.method} ${found.path}`) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .slice(0, MAX_PER_DOCUMENT)
      .map(({ found, rank }) => ({
        document: name,
        file,
        rank,
        method: found.method,
        path: found.path,
        features: [...featuresOf(document, found)],
      }));
  });

const isCallableCandidate = ({ file, method, path }) => {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const found = operationsOf(document).find((one) => one.method === method && one.path === path);
  return isCallable(document, found);
};

/** How much another operation with the feature adds. What is sent counts more than what is answered. */
const worthOf = (feature, count) => {
  if (count >= PER_FEATURE) return 0;
  if (feature.startsWith('answer')) return count === 0 ? 1 : 0;
  return count === 0 ? 10 : 1;
};

const cover = (candidates) => {
  const counts = new Map();
  const chosen = [];
  const gainOf = ({ features }) =>
    features.reduce((gain, feature) => gain + worthOf(feature, counts.get(feature) ?? 0), 0);
  let open = candidates;
  while (chosen.length < SAMPLE * 0.7) {
    open = open.filter((one) => gainOf(one) > 0);
    if (open.length === 0) break;
    const best = open.reduce((a, b) => {
      const [gainA, gainB] = [gainOf(a), gainOf(b)];
      return gainB > gainA || (gainB === gainA && b.rank < a.rank) ? b : a;
    });
    open = open.filter((one) => one !== best);
    if (!isCallableCandidate(best)) continue;
    chosen.push(best);
    for (const feature of best.features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  }
  const left = new Set(candidates.flatMap(({ features }) => features));
  for (const feature of counts.keys()) left.delete(feature);
  console.log(`Without a callable operation: ${[...left].sort().join(', ')}`);
  return { chosen, features: counts.size };
};

const providerOf = ({ document }) => document.split('/')[0];

/** Fills the sample up, one operation a provider, round after round. */
const spread = (candidates, chosen) => {
  const byProvider = Map.groupBy
    ? Map.groupBy(candidates, providerOf)
    : candidates.reduce((map, one) => {
        const key = providerOf(one);
        return map.set(key, [...(map.get(key) ?? []), one]);
      }, new Map());
  const queues = [...byProvider.values()]
    .map((all) =>
      all.filter((one) => !chosen.includes(one)).sort((a, b) => (a.rank < b.rank ? -1 : 1)),
    )
    .sort((a, b) => ((a[0]?.rank ?? '') < (b[0]?.rank ?? '') ? -1 : 1));
  const result = [...chosen];
  while (result.length < SAMPLE && queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) {
      const next = queue.shift();
      if (next && result.length < SAMPLE && isCallableCandidate(next)) result.push(next);
    }
  }
  return result;
};

const { values } = parseArgs({ options: { cache: { type: 'string' } } });
const documents = publicDocuments(cacheFolder(values.cache)).sort((a, b) =>
  a.name < b.name ? -1 : 1,
);
const candidates = candidatesOf(documents);
console.log(`${candidates.length} candidates`);
const { chosen, features } = cover(candidates);
console.log(`${chosen.length} chosen for ${features} features`);
const sample = spread(candidates, chosen);
const listed = {};
for (const { document, method, path } of sample.sort((a, b) =>
  `${a.document} ${a.path}` < `${b.document} ${b.path}` ? -1 : 1,
)) {
  listed[document] ??= [];
  listed[document].push(`${method} ${path}`);
}
writeFileSync(TARGET, `${JSON.stringify(listed, undefined, 2)}\n`);
const providers = new Set(sample.map(providerOf)).size;
console.log(
  `${sample.length} operations of ${Object.keys(listed).length} documents, ${providers} providers`,
);
