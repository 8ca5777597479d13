/**
 * Runs the JSON-Schema-Test-Suite (MIT; `alterschema` ships it in its package) through our engine and
 * through Ajv by itself, and holds ours to at least as many right answers in each draft.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/contract/schema.ts';
import { compileJsonSchema } from '../../src/registry/schema/json-schema.ts';

interface Group {
  readonly description: string;
  readonly schema: JsonSchema | boolean;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

type Check = (data: unknown) => boolean;

const packageFile = createRequire(import.meta.url).resolve('alterschema/package.json');
const SUITE = join(dirname(packageFile), 'vendor/json-schema-test-suite/tests');

const OPTIONS: Options = { strict: false, logger: false, validateFormats: false };

const DRAFTS = [
  ['draft7', 'http://json-schema.org/draft-07/schema#', () => new Ajv(OPTIONS)],
  ['draft2019-09', 'https://json-schema.org/draft/2019-09/schema', () => new Ajv2019(OPTIONS)],
  ['draft2020-12', 'https://json-schema.org/draft/2020-12/schema', () => new Ajv2020(OPTIONS)],
] as const;

/**
 * Only Ajv refuses it: it takes `toString` of every object for a property, and refuses this one
 * for that reason. The pipeline refuses inputs with prototype keys before any schema sees them.
 */
const ONLY_AJV = [
  'properties.json: properties whose names are Javascript object property names: __proto__ not valid',
];

/** A schema that does not compile answers nothing, which is never right. */
const answersOf = (compile: () => Check): ((data: unknown) => boolean | undefined) => {
  let check: Check;
  try {
    check = compile();
  } catch {
    return () => undefined;
  }
  return (data) => {
    try {
      return check(data);
    } catch {
      return undefined;
    }
  };
};

const groupsOf = (draft: string): readonly (readonly [string, Group])[] =>
  readdirSync(join(SUITE, draft))
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const text = readFileSync(join(SUITE, draft, file), 'utf8');
      return (JSON.parse(text) as Group[]).map((group) => [file, group] as const);
    });

const score = (draft: string, $schema: string, newAjv: () => Ajv) => {
  const shared = newAjv();
  const right = { ours: 0, ajv: 0 };
  const onlyAjv: string[] = [];
  for (const [file, { description, schema, tests }] of groupsOf(draft)) {
    const source = (typeof schema === 'object' ? { $schema, ...schema } : schema) as JsonSchema;
    const ourAnswer = answersOf(() => {
      const { validate } = compileJsonSchema(source);
      return (data) => validate(data).ok;
    });
    // Ids would be known to the schemas after it; loading the meta-schemas each time would take 10 s.
    const ajv = JSON.stringify(schema).includes('"$id"') ? newAjv() : shared;
    const ajvAnswer = answersOf(() => ajv.compile(source) as Check);
    for (const test of tests) {
      const isOursRight = ourAnswer(test.data) === test.valid;
      const isAjvRight = ajvAnswer(test.data) === test.valid;
      right.ours += Number(isOursRight);
      right.ajv += Number(isAjvRight);
      if (isAjvRight && !isOursRight) {
        onlyAjv.push(`${file}: ${description}: ${test.description}`);
      }
    }
  }
  return { right, onlyAjv };
};

describe('JSON-Schema-Test-Suite', () => {
  it.each(DRAFTS)(
    'our engine answers more cases of %s than Ajv',
    (draft, uri, newAjv) => {
      const { right, onlyAjv } = score(draft, uri, newAjv);
      expect(onlyAjv).toEqual(ONLY_AJV);
      expect(right.ours).toBeGreaterThan(right.ajv);
    },
    180_000,
  );
});
