import { describe, expect, it } from 'vitest';
import { explainRequest, NOBODY_ELSE, namesIn } from './explain-request.ts';

describe('the question to the policy', () => {
  it('is put as oneself unless somebody is named', () => {
    expect(explainRequest('file_read', { path: 'a' }, NOBODY_ELSE)).toEqual({
      tool: 'file_read',
      input: { path: 'a' },
    });
    expect(explainRequest('t', 1, { ...NOBODY_ELSE, user: '  ' })).not.toHaveProperty('as');
  });

  it('names only what was filled in', () => {
    const who = { user: ' alice ', agent: '', roles: 'ci, deploy  ops', isolation: 'strict' };
    expect(explainRequest('t', {}, who).as).toEqual({
      userId: 'alice',
      roles: ['ci', 'deploy', 'ops'],
      isolation: 'strict',
    });
  });

  it('takes names with commas, spaces or both between them', () => {
    expect(namesIn(' a,b , c\nd ')).toEqual(['a', 'b', 'c', 'd']);
    expect(namesIn(' , ')).toEqual([]);
  });
});
