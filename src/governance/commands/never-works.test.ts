import { describe, expect, it } from 'vitest';
import { neverWorks } from './never-works.ts';

describe('a pattern of the allowlist', () => {
  it.each([
    'node *',
    'make *',
    'pytest *',
    'npx prisma *',
    'docker build *',
    'vitest **',
    'node --*',
  ])('%s is found to let nothing through, with what to write instead', (pattern) =>
    expect(neverWorks(pattern)).toMatch(/can run other programs.*commands\.tasks/),
  );

  it.each([
    ['mytool *', /nothing is known about the arguments of mytool/],
    ['sudo ls', /another user/],
    ['eval **', /changes the shell/],
  ])('%s is found to let nothing through', (pattern, why) => {
    expect(neverWorks(pattern)).toMatch(why);
  });

  it.each(['git *', 'npm test', 'make test', 'npx vitest run', 'mytool **', 'ls *', 'tool fast-*'])(
    '%s lets something through',
    (pattern) => expect(neverWorks(pattern)).toBeUndefined(),
  );
});
