import { describe, expect, it } from 'vitest';
import { withPlacedPaths } from './placed-paths.ts';

const settings = { document: './api.yaml', proto: ['a.proto', '../b.proto'], url: './not-a-path' };
const source = { name: 'lamps', settings, secrets: [] };

describe('the paths of a new source', () => {
  it('are absolute in the file of the user, which counts in every folder', () => {
    expect(withPlacedPaths(source, { cwd: '/home/ada/shop' }).settings).toEqual({
      document: '/home/ada/shop/api.yaml',
      proto: ['/home/ada/shop/a.proto', '/home/ada/b.proto'],
      url: './not-a-path',
    });
  });

  it('start at the project in its own file, wherever they were typed', () => {
    const base = { cwd: '/home/ada/shop/src', project: '/home/ada/shop' };
    expect(withPlacedPaths(source, base).settings).toMatchObject({
      document: 'src/api.yaml',
      proto: ['src/a.proto', 'b.proto'],
    });
  });

  it('do not change addresses', () => {
    const web = { ...source, settings: { document: 'https://example.com/api.json' } };
    expect(withPlacedPaths(web, { cwd: '/' }).settings).toEqual(web.settings);
  });
});
