/** What well-known credentials look like. Data only; `redaction.ts` is what uses it. */

/** Each alternative is anchored by a literal prefix, so that the search stays linear. */
const SHAPES = [
  'sk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{20,200}',
  '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,200}',
  'gh[pousr]_[A-Za-z0-9]{36,255}',
  'github_pat_[A-Za-z0-9_]{22,255}',
  'glpat-[A-Za-z0-9_-]{20,100}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,200}',
  'A(?:KIA|SIA)[A-Z0-9]{16}',
  'AIza[A-Za-z0-9_-]{35}',
  'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}',
  'npm_[A-Za-z0-9]{36}',
  'eyJ[A-Za-z0-9_-]{8,2000}\\.eyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{8,1000}',
  '-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=\\s]{16,10000}(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?',
  '(?<=://[^\\s:/@]{1,64}:)[^\\s:/@]{3,256}(?=@)',
];

/** Finds any of them. Global: for `replace` only, never for `test`. */
export const secretShapes = (): RegExp => new RegExp(SHAPES.join('|'), 'g');

/** No shape is shorter than this, so short strings need no search. */
export const SHORTEST_SHAPE = 8;
