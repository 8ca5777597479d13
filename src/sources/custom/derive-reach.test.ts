/** What a definition claims, and what it gets: tiers, programs, questions. */
import { describe, expect, it } from 'vitest';
import { createCommandGuard } from '../../governance/commands/command-guard.ts';
import { commandPattern, moduleDefinition, yamlDefinition } from './definition-shape.ts';
import { moduleReach, yamlReach } from './derive-reach.ts';

const yaml = (rest: object) =>
  yamlReach(
    yamlDefinition.parse({
      name: 'x',
      description: 'does x',
      schema: { type: 'object' },
      code: 'export const run = () => 1',
      ...rest,
    }),
  );

const module = (rest: object) =>
  moduleReach(
    moduleDefinition.parse({
      name: 'x',
      description: 'does x',
      input: { type: 'object' },
      tier: 'read_only',
      ...rest,
    }),
  );

describe('threat: a file that plays its risk down', () => {
  it.each([
    [{ riskLevel: 'low' }, {}, 'read_only'],
    [{}, {}, 'write'],
    [{ riskLevel: 'medium' }, {}, 'write'],
    [{ riskLevel: 'high' }, {}, 'execute'],
    [{ riskLevel: 'critical' }, {}, 'execute'],
    [{ riskLevel: 'low', allowlist: ['npm test*'] }, {}, 'execute'],
    [{ riskLevel: 'low' }, { commands: ['ls'] }, 'execute'],
    [{ riskLevel: 'low' }, { hosts: ['example.com'] }, 'external_api'],
    [{ riskLevel: 'low' }, { paths: [{ path: '.', access: 'read' }] }, 'read_only'],
    [{ riskLevel: 'low' }, { paths: [{ path: '.', access: 'write' }] }, 'write'],
  ])('%j with %j is %s', (permissions, needs, tier) => {
    expect(yaml({ permissions, needs }).tier).toBe(tier);
  });

  it('asks a person unless the file says autoAccept, and always when it is critical', () => {
    const asks = (permissions: object) =>
      yaml({ permissions }).capabilities[0]?.requiresConfirmation === true;
    expect(asks({})).toBe(true);
    expect(asks({ autoAccept: false })).toBe(true);
    expect(asks({ autoAccept: true })).toBe(false);
    expect(asks({ autoAccept: true, riskLevel: 'critical' })).toBe(true);
    expect(yaml({ permissions: { riskLevel: 'critical' } }).capabilities[0]?.destructive).toBe(
      true,
    );
  });

  it('autoAccept leaves the tier, by which the policy asks, as it is', () => {
    expect(yaml({ permissions: { autoAccept: true, allowlist: ['npm test*'] } }).tier).toBe(
      'execute',
    );
  });

  it('a module cannot claim less than it reaches, nor can an action of it', () => {
    const needs = { hosts: ['api.example.com'] };
    const capabilities = [{ action: 'look', description: 'd', tier: 'read_only' }];
    const reach = module({ needs, capabilities });
    expect(reach.tier).toBe('external_api');
    expect(reach.capabilities[0]?.tier).toBe('external_api');
    expect(module({ tier: 'execute' }).tier).toBe('execute');
    expect(module({}).capabilities).toEqual([{ action: 'run', description: 'does x' }]);
  });

  it('a definition without needs gets none', () => {
    expect(yaml({ needs: { hosts: [], paths: [] }, permissions: { allowlist: [] } }).needs).toEqual(
      {},
    );
  });
});

describe('threat: an allowlist that allows more than it says', () => {
  const judge = (allowlist: readonly string[], argv: readonly string[]): boolean => {
    const { needs } = yaml({ permissions: { allowlist } });
    return createCommandGuard({ allow: needs.commands ?? [], root: '/work' }).judge(argv).ok;
  };
  const LIST = ['yarn test*', 'npm test*', 'vitest*'];

  it.each([[['yarn', 'test']], [['npm', 'test']]])('allows %j', (argv) => {
    expect(judge(LIST, argv)).toBe(true);
  });

  it.each([
    [['yarn', 'add', 'evil']],
    [['yarn']],
    [['npm', 'install']],
    [['vitest-evil']],
    [['sh', '-c', 'yarn test']],
    [['yarn test']],
  ])('refuses %j', (argv) => {
    expect(judge(LIST, argv)).toBe(false);
  });

  it.each(['*', '**', '* test', 'np* test', '', ' ', 'a\nb', 'a\tb', 'ünix'])(
    'is no pattern: %j',
    (text) => {
      expect(commandPattern(text)).toBeUndefined();
      expect(() => yaml({ permissions: { allowlist: [text] } })).toThrow();
    },
  );

  it.each([
    ['git log *', 'git log *'],
    ['mytool **', 'mytool **'],
    ['mytool', 'mytool'],
    ['npm run test:*', 'npm run test:* **'],
  ])('%s is %s', (text, pattern) => {
    expect(commandPattern(text)).toBe(pattern);
  });

  it.each(['/etc', '../x', 'a/../../b', '~/x', 'C:\\x', 'a\\..\\b'])(
    'a path is below the workspace: %s is not',
    (path) => {
      expect(() => yaml({ needs: { paths: [{ path, access: 'read' }] } })).toThrow();
    },
  );
});
