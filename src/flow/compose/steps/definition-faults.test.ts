import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import { type Issue, ToolFailure } from '../../../contract/errors.ts';
import type { Tool } from '../../../contract/tool.ts';
import { nearestName } from '../../../kit/text/did-you-mean.ts';
import { buildComposition } from './build-composition.ts';
import type { CompositionDefinition } from './composition-shape.ts';

const convert = defineTool({
  name: 'convert',
  description: 'Converts a text.',
  tier: 'read_only',
  input: z.strictObject({ operation: z.enum(['word_count', 'trim']), text: z.string().max(5) }),
  output: z.strictObject({ words: z.number() }),
  run: () => ({ words: 1 }),
});
const order = defineTool({
  name: 'order',
  description: 'Orders.',
  tier: 'read_only',
  input: { type: 'object', properties: { by: { enum: ['name', 'size'] }, n: { type: 'number' } } },
  run: () => 1,
});
const tools = new Map<string, Tool>([
  ['convert', convert],
  ['order', order],
]);

const faultsOf = (
  steps: readonly unknown[],
  rest: object = {},
): { readonly faults: readonly string[]; readonly warnings: readonly string[] } => {
  const text = ({ path, message }: Issue): string => `${path.join('.')}: ${message}`;
  const warnings: string[] = [];
  const definition = {
    type: 'composed',
    name: 'whole',
    description: 'Runs steps.',
    schema: { type: 'object', properties: { topic: { type: 'string' } } },
    composition: { steps },
    ...rest,
  };
  try {
    buildComposition(definition as unknown as CompositionDefinition, {
      find: (name) => tools.get(name),
      suggest: (name) => nearestName(name, tools.keys()),
      warn: (issue) => warnings.push(text(issue)),
    });
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown;
    return { faults: (thrown.extras.issues ?? []).map(text), warnings };
  }
  return { faults: [], warnings };
};

const STEP = 'composition.steps.0.parameters';
const CHOICE = 'has to be one of "word_count", "trim"';

describe('a step of a composition whose parameters never fit its tool', () => {
  it.each<[string, string, object, readonly string[]]>([
    [
      'a word that is not in an enum',
      'convert',
      { static: { operation: 'words', text: 'a' } },
      [`${STEP}.static.operation: ${CHOICE}`],
    ],
    [
      'a word that is not in an enum, beside a path',
      'convert',
      { static: { operation: 'word_cout' }, dynamic: { text: 'input.topic' } },
      [`${STEP}.static.operation: ${CHOICE}; did you mean word_count?`],
    ],
    [
      'a text that is too long',
      'convert',
      { static: { operation: 'trim', text: 'longer' } },
      [`${STEP}.static.text: Too big: expected string to have <=5 characters`],
    ],
    [
      'a word that is not in an enum of a JSON Schema',
      'order',
      { static: { by: 'age' } },
      [`${STEP}.static.by: has to be one of "name", "size"`],
    ],
    [
      'a path to a value of another type',
      'order',
      { dynamic: { n: 'input.topic' } },
      [`${STEP}.dynamic.n: input.topic gives string, but number is needed`],
    ],
    [
      'a name that is spelt wrong',
      'convert',
      { static: { operation: 'trim', txt: 'a' } },
      [
        `${STEP}: convert needs the parameter text`,
        `${STEP}.static.txt: convert has no parameter txt; did you mean text?`,
      ],
    ],
  ])('%s is reported where it stands', (_title, tool, parameters, faults) => {
    expect(faultsOf([{ id: 'a', tool, parameters }]).faults).toEqual(faults);
  });

  it('a field that the result of an earlier step never has is reported', () => {
    const first = {
      id: 'a',
      tool: 'convert',
      parameters: { static: { operation: 'trim', text: 'a' } },
    };
    const taking = (path: string) => ({
      id: 'b',
      tool: 'order',
      parameters: { dynamic: { n: path } },
    });
    expect(faultsOf([first, taking('steps.a.data.words')]).faults).toEqual([]);
    expect(faultsOf([first, taking('steps.a.data.word')]).faults).toEqual([
      expect.stringContaining('nothing has a field word; did you mean words?'),
    ]);
    const fallback = { tool: 'order' };
    const either = { ...first, errorHandling: { strategy: 'fallback', fallback } };
    expect(faultsOf([either, taking('steps.a.data.word')]).faults).toEqual([]);
  });

  it('a path to a field that the input does not declare is a warning, or a fault of a closed input', () => {
    const step = { id: 'a', tool: 'order', parameters: { dynamic: { by: 'input.topik' } } };
    expect(faultsOf([step])).toEqual({
      faults: [],
      warnings: [
        `${STEP}.dynamic.by: input.topik: the input declares no field topik; did you mean topic?`,
      ],
    });
    expect(faultsOf([step], { aggregation: 5 }).warnings).toHaveLength(1);
    const schema = { type: 'object', properties: { topic: {} }, additionalProperties: false };
    expect(faultsOf([step], { schema }).faults).toEqual([
      `${STEP}.dynamic.by: input.topik cannot be there: nothing has a field topik; did you mean topic?`,
    ]);
  });
});

describe('a composition with faults of its shape and of its steps', () => {
  it('a wrong aggregation hides none of the faults of the steps', () => {
    const steps = [
      { id: 'a', tool: 'convrt', parameters: { dynamic: { text: 'steps.z.data' } } },
      { id: 'a', tool: 'convert', parameters: { static: { operation: 'words', text: 'a' } } },
    ];
    const { faults } = faultsOf(steps, {
      aggregation: { strategy: 'merg' },
      dependencies: [{ tool: 'gone' }],
    });
    expect(faults).toEqual([
      'aggregation.strategy: expected one of merge, append, override, custom; did you mean merge?',
      'composition.steps.1.id: there is a step a already',
      'composition.steps.0.tool: there is no tool convrt; did you mean convert?',
      `${STEP}.dynamic.text: steps.z.data: there is no step z; did you mean a?`,
      `composition.steps.1.parameters.static.operation: ${CHOICE}`,
      'dependencies.0.tool: there is no tool gone',
    ]);
  });

  it('what stands for a faulty field is reported by no second fault', () => {
    const steps = [
      { id: 'a', tool: 'no tool', timeoutMs: 0, parametrs: {} },
      { id: 'b', tool: 'convert', parameters: { static: 5 } },
    ];
    const { faults } = faultsOf(steps, { name: 'no name', schema: { type: 'list' } });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'name',
      'schema.type',
      'composition.steps.0.tool',
      'composition.steps.0.timeoutMs',
      'composition.steps.0.parametrs',
      'composition.steps.1.parameters.static',
    ]);
    expect(faults[4]).toContain('did you mean parameters?');
  });

  it('threat: a definition of odd data is refused and nothing else', () => {
    for (const steps of [[null], [{ id: '__proto__', tool: () => 1 }], {}, 'constructor']) {
      expect(faultsOf(steps as never, { aggregation: 5 }).faults.length).toBeGreaterThan(1);
    }
  });
});
