import { describe, expect, it } from 'vitest';
import { parsePolicy, readPolicyYaml } from './parse-policy.ts';

const messageOf = (text: string): string => {
  try {
    parsePolicy(text, 'p.yml');
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    return (error as Error).message;
  }
  throw new Error('nothing was wrong');
};

describe('a policy file', () => {
  it('becomes a source with the lines of its rules', () => {
    const text = 'version: 1\nrules:\n  - name: a\n    effect: deny\n    tools:\n      - x\n';
    const source = parsePolicy(text, 'p.yml');
    expect(source).toMatchObject({
      origin: 'p.yml',
      kind: 'user',
      document: { version: 1, rules: [{ name: 'a', effect: 'deny', tools: ['x'] }] },
    });
    expect(source.lineOf?.(['rules', 0])).toBe(3);
    expect(source.lineOf?.(['rules', 0, 'tools', 0])).toBe(6);
    expect(source.lineOf?.(['rules', 0, 'when'])).toBe(3);
    expect(source.lineOf?.(['nowhere'])).toBe(1);
    expect(parsePolicy('%YAML 1.2\n---\nversion: 1\n', 'p.yml').document).toEqual({ version: 1 });
    expect(parsePolicy('{version: 1}', 'p.yml', 'project').kind).toBe('project');
  });

  it('has every problem named at once, from top to bottom', () => {
    const text = `version: 2
efect: x
rules:
  - name: a
    effect: dney
    tools: []
    whne: 'true'
  - name: a
    effect: deny
    everyTime: true
    when: input.path.startsWith("x") && callr.user == "y"
  - effect: ask
    callers: { users: [] }
    zzzzzzzz: 1
  - name: tier-1-read
    effect: allow
    when: 3
  - 7
roles:
  r: { permisions: [] }
`;
    expect(messageOf(text).split('\n')).toEqual([
      'p.yml:1:1: version: Invalid input: expected 1',
      'p.yml:2:1: efect: is not a known key; did you mean effect?',
      'p.yml:5:5: rule a: effect: Invalid option: expected one of "allow"|"ask"|"deny"',
      'p.yml:6:5: rule a: tools: must not be empty',
      'p.yml:7:5: rule a: whne: is not a known key; did you mean when?',
      'p.yml:8:5: rule a: name: another one has this name',
      'p.yml:10:5: rule a: everyTime: is only for rules that ask',
      'p.yml:11:41: rule a: when: Unknown variable: callr',
      'p.yml:12:5: rule 3: name: is required',
      'p.yml:13:16: rule 3: callers.users: must not be empty',
      'p.yml:14:5: rule 3: zzzzzzzz: is not a known key',
      'p.yml:15:5: rule tier-1-read: name: is the name of a built-in rule',
      'p.yml:17:5: rule tier-1-read: when: Invalid input: expected string, received number',
      'p.yml:18:5: rule 5: Invalid input: expected object, received number',
      'p.yml:20:8: roles.r.permisions: is not a known key; did you mean permissions?',
    ]);
  });

  it.each([
    ['plain', 'when: a == 1', 11],
    ['quoted', "when: 'a == 1'", 12],
    ['double quoted', 'when: "a == 1"', 12],
    ['escaped, so only its beginning', 'when: "\\x61 == 1"', 11],
    ['folded, so only its beginning', 'when: >\n        a == 1', 11],
  ])('shows where a condition goes wrong: %s', (_what, line, column) => {
    const text = `version: 1\nrules:\n  - name: x\n    effect: deny\n    ${line}\n`;
    expect(messageOf(text)).toBe(`p.yml:5:${column}: rule x: when: Unknown variable: a`);
  });

  it('shows the very line in a block', () => {
    const head = 'version: 1\nrules:\n  - name: x\n    effect: deny\n    when: |\n';
    expect(messageOf(`${head}      tier == "write" &&\n        a == 1\n`)).toContain('p.yml:7:9:');
    expect(messageOf(`${head}      a == 1\n`)).toContain('p.yml:6:7:');
    expect(messageOf(`${head}      tier == "x" &&\r\n      a == 1\r\n`)).toContain('p.yml:7:7:');
  });

  it.each([
    ['name: "a\\e[31m"', 'rule a\u001b[31m: name: must be 1 to 100'],
    ['name: ok\n    reason: "a\\u202eb"', 'reason: must be 1 to 500 characters'],
    ['name: ok\n    callers: { users: [""] }', 'callers.users.0: must not be empty'],
  ])('refuses what would lie on a terminal: %j', (line, message) => {
    const text = `version: 1\nrules:\n  - ${line}\n    effect: deny\n`;
    expect(messageOf(text)).toContain(message);
  });
});

describe('formats: YAML that two readers may understand differently', () => {
  it.each([
    ['an alias', 'version: &v 1\nrules: *v', 'p.yml:2:8: aliases are not allowed'],
    ['a tag', 'version: !!int 1', 'tags are not allowed'],
    ['a tag of its own', 'version: !evil 1', 'tags are not allowed'],
    ['a key twice', 'version: 1\nshadow: true\nshadow: false', 'p.yml:3:1: shadow is set twice'],
    ['a merge key', 'version: 1\n<<: { shadow: true }', 'merge keys are not allowed'],
    ['a prototype', 'version: 1\n__proto__: { shadow: true }', 'the key __proto__ is not allowed'],
    ['a key that is a list', 'version: 1\n? [a]\n: 1', 'a key must be plain text'],
    ['two documents', 'version: 1\n---\nversion: 1', 'a file holds one document'],
    ['bad syntax', 'version: [1\n', 'p.yml:'],
    ['deep nesting', `version: ${'['.repeat(20_000)}`, 'nested deeper than 32 levels'],
    ['many values', `version: [${'1,'.repeat(50_001)}]`, 'more than 50000 values'],
    ['a huge file', `version: 1 #${'x'.repeat(600_000)}`, 'longer than 524288 characters'],
    ['nothing', '', 'p.yml:1:1: Invalid input'],
    [
      'a near key',
      'version: 1\nrole: {}',
      'p.yml:2:1: role: is not a known key; did you mean roles?',
    ],
    ['an empty value', 'version:', 'p.yml:1:1: version: Invalid input: expected 1'],
    ['a list', '- 1', 'p.yml:1:1: Invalid input: expected object'],
  ])('refuses %s', (_what, text, message) => expect(messageOf(text)).toContain(message));
});

const START = { line: 1, column: 1 };

describe('readPolicyYaml', () => {
  it('refuses a text that is too long, unread, and places all of it at the start', () => {
    const { value, problems, positionOf } = readPolicyYaml(`a: 1\n#${'x'.repeat(512 * 1024)}`);
    expect(value).toBeUndefined();
    expect(problems).toEqual([{ ...START, message: 'longer than 524288 characters' }]);
    expect(positionOf(['a'])).toEqual(START);
  });

  it('places all of a text at the start that it cannot read', () => {
    const { value, problems, positionOf } = readPolicyYaml('a: [');
    expect(value).toBeUndefined();
    expect(problems).not.toEqual([]);
    expect(positionOf(['a', 0])).toEqual(START);
  });

  it('gives no value when a key is set twice', () => {
    const { value, problems } = readPolicyYaml('a: 1\na: 2\n');
    expect(value).toBeUndefined();
    expect(problems).toMatchObject([{ line: 2, column: 1 }]);
  });

  it('places a key at its name, an item at its text and a missing thing at what is around it', () => {
    const { value, problems, positionOf } = readPolicyYaml('a:\n  - x\n  -\n  - b: {c}\n');
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: ['x', null, { b: { c: null } }] });
    expect(positionOf([])).toEqual(START);
    expect(positionOf(['a'])).toEqual(START);
    expect(positionOf(['a', 0])).toEqual({ line: 2, column: 5 });
    expect(positionOf(['a', 1])).toMatchObject({ line: 3 });
    expect(positionOf(['a', 2, 'b', 'c'])).toEqual({ line: 4, column: 9 });
    expect(positionOf(['a', 2, 'missing', 'deeper'])).toEqual({ line: 4, column: 5 });
    expect(positionOf(['a', 2], 3)).toEqual({ line: 4, column: 5 });
  });

  it.each([
    ['plain text', 'a: one two', { line: 1, column: 8 }],
    ['quoted text', "a: 'one two'", { line: 1, column: 9 }],
    ['quoted text with an escape, at its beginning', 'a: "\\x6fne two"', { line: 1, column: 4 }],
    ['a literal block', 'a: |\n  one\n  two', { line: 3, column: 3 }],
    ['a folded block, at its beginning', 'a: >\n  one\n  two', { line: 1, column: 4 }],
  ])('finds the place of a character inside %s', (_name, text, place) => {
    expect(readPolicyYaml(text).positionOf(['a'], 4)).toEqual(place);
  });
});
