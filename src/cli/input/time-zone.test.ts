import { Command } from 'commander';
import { expect, it } from 'vitest';
import { type TimeZoneOptions, timeZoneFrom, withTimeZone } from './time-zone.ts';

const read = (...args: readonly string[]) => {
  const command = withTimeZone(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return timeZoneFrom(command.parse(args, { from: 'user' }).opts<TimeZoneOptions>());
};

it('the time zone of a schedule has two names on the command line', () => {
  expect(read('--time-zone', 'Europe/Vienna')).toEqual({ timeZone: 'Europe/Vienna' });
  expect(read('--zone', 'Europe/Vienna')).toEqual({ timeZone: 'Europe/Vienna' });
  expect(read()).toEqual({});
  expect(() => read('--zone', 'UTC', '--time-zone', 'Europe/Vienna')).toThrow(
    'cannot be used with',
  );
});
