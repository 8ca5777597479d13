/** Reads the JSON of `npm ls`, `npm outdated` and `npm audit`. */
import { isRecord } from '../../kit/data/is-record.ts';
import { textOf } from '../../kit/data/is-text.ts';
import type { JsonObject } from '../npm-program.ts';

export const SEVERITIES = ['critical', 'high', 'moderate', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface OutdatedPackage {
  readonly package: string;
  readonly current: string;
  readonly wanted: string;
  readonly latest: string;
}

export interface Advisory {
  readonly package: string;
  readonly severity: Severity;
  readonly description: string;
  readonly range: string;
  readonly direct: boolean;
  readonly url?: string;
  readonly fixVersion?: string;
}

/** Counts packages: each version once, wherever it is installed. */
export const countPackages = (listing: JsonObject): number => {
  const versions = new Set<string>();
  const waiting: JsonObject[] = [listing];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const { dependencies } = node;
    for (const [name, child] of Object.entries(isRecord(dependencies) ? dependencies : {})) {
      if (!isRecord(child)) continue;
      if (child.missing !== true) versions.add(`${name}@${String(child.version)}`);
      waiting.push(child);
    }
  }
  return versions.size;
};

export const readOutdated = (report: JsonObject): OutdatedPackage[] =>
  Object.entries(report).flatMap(([name, value]) => {
    // A package that is installed several times is a list.
    const places: readonly unknown[] = Array.isArray(value) ? value : [value];
    return places.filter(isRecord).map(({ current, wanted, latest }) => ({
      package: name,
      current: textOf(current),
      wanted: textOf(wanted),
      latest: textOf(latest),
    }));
  });

const severityOf = (value: unknown): Severity =>
  SEVERITIES.find((severity) => severity === value) ?? 'moderate';

const fixOf = (name: string, fix: unknown): { readonly fixVersion?: string } =>
  isRecord(fix) && fix.name === name ? { fixVersion: textOf(fix.version) } : {};

const advisoriesOf = (name: string, entry: JsonObject): Advisory[] => {
  const causes: readonly unknown[] = Array.isArray(entry.via) ? entry.via : [];
  // A cause that is only a name is another package of the report, which has its own entry.
  return causes.filter(isRecord).map((cause) => ({
    package: name,
    severity: severityOf(cause.severity),
    description: textOf(cause.title),
    range: textOf(cause.range),
    direct: entry.isDirect === true,
    ...(textOf(cause.url) && { url: textOf(cause.url) }),
    ...fixOf(name, entry.fixAvailable),
  }));
};

/** Lists the advisories, the worst first. */
export const readAdvisories = (report: JsonObject): Advisory[] => {
  const { vulnerabilities } = report;
  const rank = ({ severity }: Advisory) => SEVERITIES.indexOf(severity);
  return Object.entries(isRecord(vulnerabilities) ? vulnerabilities : {})
    .flatMap(([name, entry]) => (isRecord(entry) ? advisoriesOf(name, entry) : []))
    .sort((one, other) => rank(one) - rank(other));
};
