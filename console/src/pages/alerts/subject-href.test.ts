import { describe, expect, it } from 'vitest';
import { subjectHref } from './subject-href.ts';

describe('the link of what an alert is about', () => {
  it('leads to the calls of a tool or caller, and to the page of a server', () => {
    expect(subjectHref({ each: 'tool' }, 'read file')).toBe('#/activity?tool=read+file');
    expect(subjectHref({ tool: 'git' }, '')).toBe('#/activity?tool=git');
    expect(subjectHref({ each: 'caller' }, 'ada')).toBe('#/activity?user=ada');
    expect(subjectHref({ caller: 'ada' }, '')).toBe('#/activity?user=ada');
    expect(subjectHref({ each: 'server' }, 'a/b')).toBe('#/sources/mcp/a%2Fb');
  });

  it('is absent for an alert about the whole crib or about sources', () => {
    expect(subjectHref({}, '')).toBeUndefined();
    expect(subjectHref({ each: 'source' }, 'builtin')).toBeUndefined();
  });
});
