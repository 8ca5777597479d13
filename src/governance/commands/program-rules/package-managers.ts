/**
 * Rules for package managers: named scripts, reports, and with npm the installation of packages of
 * the registry. Left out on purpose: other folders (--prefix, -C, -g, -w), other registries, shells
 * and options for Node, and everything that would run scripts of packages.
 */
import type { ProgramRule, RuleTable } from '../program-rule.ts';

const SCRIPTS: ProgramRule = { flags: '-s --silent', operands: ['word'], least: 1, most: 1 };
const LISTING: ProgramRule = {
  flags: '-a --all --json --long',
  values: { '--depth': 'number' },
  operands: ['word'],
};

const PACKAGES: ProgramRule = {
  flags: '-v --version -s --silent',
  isAtRoot: true,
  subcommands: {
    run: SCRIPTS,
    'run-script': SCRIPTS,
    test: { flags: '-s --silent --coverage', operands: ['text'] },
    ls: LISTING,
    list: LISTING,
    outdated: { flags: '--json --long' },
    view: { flags: '--json', operands: ['word'] },
    why: { operands: ['word'] },
    audit: { flags: '--json' },
  },
};

/** Packages may come with scripts that run when they are installed. */
const INSTALL: ProgramRule = {
  flags:
    '-s --silent --json --audit --no-audit --fund --no-fund --progress --no-progress --package-lock --package-lock-only --dry-run --ignore-scripts --save --save-dev --save-prod --save-optional --save-exact --no-save -S -D -P -O -E --legacy-peer-deps --prefer-offline --offline',
  values: { '--omit': 'dependencies', '--include': 'dependencies' },
  operands: ['package'],
  needs: '--ignore-scripts',
};

const NPM: ProgramRule = {
  ...PACKAGES,
  subcommands: {
    ...PACKAGES.subcommands,
    install: INSTALL,
    ci: {
      flags: '-s --silent --json --no-audit --no-fund --no-progress --ignore-scripts --dry-run',
      values: { '--omit': 'dependencies', '--include': 'dependencies' },
      needs: '--ignore-scripts',
    },
  },
};

export const PACKAGE_MANAGERS: RuleTable = { npm: NPM, pnpm: PACKAGES, yarn: PACKAGES };
