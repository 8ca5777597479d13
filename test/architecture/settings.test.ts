/** Every setting does something, or says that it does not yet. */
import { describe, expect, it } from 'vitest';
import { configFields } from '../../src/config/document/config-fields.ts';
import { checkSettings, type Setting } from './check-settings.ts';
import { readSources } from './source-text.ts';

const settings: readonly Setting[] = configFields().map(({ path, shape }) => ({
  path,
  about: shape.description ?? '',
}));

describe('settings', () => {
  it('are read outside the configuration', () => {
    expect(settings.length).toBeGreaterThan(100);
    expect(checkSettings(settings, readSources('src'))).toEqual([]);
  });

  it('that nobody reads are found, unless their page says so', () => {
    const at = (about: string): Setting => ({ path: ['audit', 'keepDays'], about });
    const source = (path: string, text: string) => ({ path, text });
    const elsewhere = [
      source('src/config/sections/audit.ts', 'keepDays: setting()'),
      source('src/x.test.ts', 'config.audit.keepDays'),
      source('src/x.ts', 'config.audit.keepDaysLonger'),
    ];
    const found = ['audit.keepDays is read by nobody outside src/config/'];
    expect(checkSettings([at('Days.')], elsewhere)).toEqual(found);
    expect(checkSettings([at('Days. Not built yet.')], elsewhere)).toEqual([]);
    const read = [...elsewhere, source('src/y.ts', 'const { keepDays } = config.audit;')];
    expect(checkSettings([at('Days.')], read)).toEqual([]);
  });
});
