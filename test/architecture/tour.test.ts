/** The pages that lead a newcomer to files lead to files that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

const linksOf = (page: string): readonly string[] =>
  [...readFileSync(new URL(page, root), 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(
    ([, target = '']) => target,
  );

describe('links to files', () => {
  it.each(['ARCHITECTURE.md', 'README.md', 'CONTRIBUTING.md'])(
    '%s names files that exist',
    (page) => {
      const links = linksOf(page);
      expect(links.length).toBeGreaterThan(0);
      expect(links.filter((link) => !existsSync(new URL(link, root)))).toEqual([]);
    },
  );
});

describe('the files that docs/coverage.md names', () => {
  it('exist, below the folder of their section', () => {
    const page = readFileSync(new URL('docs/coverage.md', root), 'utf8');
    const sections = page.split('\n## ').filter((section) => section.includes('| file |'));
    expect(sections.length).toBeGreaterThan(3);
    const files = sections.flatMap((section) => {
      const folder = /^Files are below `([^`]+)`/m.exec(section)?.[1] ?? '';
      const cells = [...section.matchAll(/\| ([^|]+) \|$/gm)].flatMap(([, cell = '']) => cell);
      const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)]);
      return names.map(([, name = '']) => (/^(?:src|test)\//.test(name) ? name : folder + name));
    });
    expect(files.length).toBeGreaterThan(60);
    expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
  });
});

describe('the tour of one call', () => {
  it('names as many files of surfaces and server as it says', () => {
    const page = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');
    const tour = page.split('## A tour of one call')[1]?.split('\n## ')[0] ?? '';
    const files = new Set(tour.match(/(?<=\]\()src\/(?:surfaces|server)\/[^)]+/g));
    const [, count] = /(\d+) of them/.exec(tour) ?? [];
    expect(files.size).toBe(Number(count));
    expect(files.size).toBeLessThan(30);
  });
});

describe('the glossary', () => {
  it('has at most 25 terms, each explained once', () => {
    const page = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');
    const rows =
      page
        .split('## Glossary')[1]
        ?.split('\n## ')[0]
        ?.match(/^\| (?!word |-)[^|]+/gm) ?? [];
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.length).toBeLessThanOrEqual(25);
    expect(new Set(rows).size).toBe(rows.length);
  });
});
