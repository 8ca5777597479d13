import { describe, expect, it } from 'vitest';
import { allowsRobot } from './robots.ts';

const FILE = `
# a comment
User-agent: other
User-agent: Toolcrib
Disallow: /private # not this
Allow: /private/open
Disallow: /*.gif$
Disallow: /a*b*c
Disallow: /exact$

User-agent: *
Disallow: /
`;

describe('robots.txt', () => {
  it.each([
    ['/', true],
    ['/private', false],
    ['/private/x', false],
    ['/private/open/x', true],
    ['/x/y.gif', false],
    ['/x/y.gif?z', true],
    ['/axbxc', false],
    ['/abx', true],
    ['/exact', false],
    ['/exact/no', true],
  ])('lets a robot read %s: %s', (path, expected) => {
    expect(allowsRobot(FILE, 'toolcrib', path)).toBe(expected);
  });

  it('applies the star to other agents, and forbids nothing without a file or with an empty rule', () => {
    expect(allowsRobot(FILE, 'nobody', '/x')).toBe(false);
    expect(allowsRobot('', 'toolcrib', '/x')).toBe(true);
    expect(allowsRobot('User-agent: *\nDisallow:', 'toolcrib', '/x')).toBe(true);
    expect(allowsRobot('Disallow: /', 'toolcrib', '/x')).toBe(true);
  });

  it('prefers the allowing one of two rules of the same length', () => {
    const file = 'User-agent: *\nAllow: /ab\nDisallow: /ab\n';
    expect(allowsRobot(file, 'toolcrib', '/ab')).toBe(true);
  });

  it('hostile: a pattern of many stars ends at once', () => {
    const file = `User-agent: *\nDisallow: /${'*a'.repeat(5000)}b$`;
    const begun = performance.now();
    expect(allowsRobot(file, 'toolcrib', `/${'a'.repeat(8000)}`)).toBe(true);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
