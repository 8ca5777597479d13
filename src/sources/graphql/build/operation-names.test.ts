import { describe, expect, it } from 'vitest';
import { nameFilter, nameOperations, type Operation } from './operation-names.ts';

const operation = (kind: Operation['kind'], name: string): Operation => ({
  kind,
  field: { name, type: 'Int' },
});
const namesOf = (...operations: readonly Operation[]): readonly string[] =>
  nameOperations(operations).map(({ name }) => name);

describe('the names of GraphQL operations', () => {
  it('are those of the schema, marked where a mutation meets a query', () => {
    const all = [operation('query', 'user'), operation('mutation', 'user')];
    expect(namesOf(...all)).toEqual(['user', 'user_mutation']);
    expect(namesOf(...all.toReversed())).toEqual(['user_mutation', 'user']);
  });

  it('are usable, distinct and the same in any order for names that meet', () => {
    const all = ['_user', '__user', 'user', '_', '__', 'x'.repeat(80), `${'x'.repeat(80)}y`].map(
      (name) => operation('query', name),
    );
    const names = namesOf(...all);
    expect(new Set(names).size).toBe(all.length);
    expect(namesOf(...all.toReversed()).toReversed()).toEqual(names);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9_]{0,63}$/);
  });
});

describe('the filter of GraphQL operations', () => {
  it.each([
    [{}, 'query.user', true],
    [{ include: ['user'] }, 'query.user', true],
    [{ include: ['user'] }, 'query.users', false],
    [{ include: ['create*'] }, 'mutation.createUser', true],
    [{ include: ['query.*'] }, 'mutation.createUser', false],
    [{ include: ['*User'], exclude: ['mutation.*'] }, 'mutation.createUser', false],
    [{ include: ['c*t*r'] }, 'query.counter', true],
    [{ include: ['co*ou'] }, 'query.cou', false],
    [{ exclude: ['*'] }, 'query.user', false],
  ])('%j lets %s in: %s', (filter, place, expected) => {
    const [kind = '', name = ''] = place.split('.');
    expect(nameFilter(filter)(kind, name)).toBe(expected);
  });
});
