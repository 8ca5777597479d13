/** The option that names the time zone of a schedule. */
import { type Command, Option } from 'commander';

export interface TimeZoneOptions {
  readonly timeZone?: string;
  /** The same under a shorter name. */
  readonly zone?: string;
}

export const withTimeZone = (command: Command): Command =>
  command
    .option('--time-zone <name>', 'the time zone, as in Europe/Vienna; UTC otherwise')
    .addOption(new Option('--zone <name>', 'the same as --time-zone').conflicts('timeZone'));

/** Returns the time zone as the crib takes it; nothing where none is named. */
export const timeZoneFrom = ({
  timeZone,
  zone = timeZone,
}: TimeZoneOptions): { readonly timeZone?: string } =>
  zone === undefined ? {} : { timeZone: zone };
