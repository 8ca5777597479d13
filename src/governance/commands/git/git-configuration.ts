/**
 * Finds in the text of a repository's configuration what would make git run programs on files, or
 * read configuration from elsewhere, and cannot be switched off from outside.
 */

const SECTION = /^\[[ \t]*([\w.-]+)(?:[ \t]+"(?:[^"\\]|\\.)*")?[ \t]*\](.*)$/;
const KEY = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=|$|[#;])/;

/** An entry a line: the section, and its keys; no keys means all of them. */
const RUNS_PROGRAMS: ReadonlyMap<string, readonly string[]> = new Map([
  // More files of configuration, chosen by folder or branch.
  ['include', []],
  ['includeif', []],
  // Programs that files go through on their way in and out of the working tree.
  ['filter', []],
  // Programs that show or compare files.
  ['diff', ['external', 'command', 'textconv']],
  // Programs that merge files.
  ['merge', ['driver']],
  // A program that lists the references of a repository whose objects are shared.
  ['core', ['alternaterefscommand']],
]);

/** `section.key` of the first such entry, or `undefined`. Lines that are no entry count as none. */
export const findProgramSetting = (text: string): string | undefined => {
  let section = '';
  // A backslash at the end of a line continues its value.
  for (const line of text.replaceAll(/\\\r?\n/g, '').split(/\r?\n/)) {
    let rest = line.trim();
    const [, name, after] = SECTION.exec(rest) ?? [];
    if (name !== undefined) {
      // The old form [diff.name] puts the name behind a dot.
      section = (name.split('.')[0] as string).toLowerCase();
      rest = (after as string).trim();
      if (RUNS_PROGRAMS.get(section)?.length === 0) return section;
    }
    const key = KEY.exec(rest)?.[1]?.toLowerCase();
    if (key !== undefined && RUNS_PROGRAMS.get(section)?.includes(key)) return `${section}.${key}`;
  }
  return undefined;
};
