/** The arguments of `test` and `[`: text comparisons and questions about files only. */
import { judgePathToken, type PathJudge } from './judge-path.ts';
import { refuse } from './refusal.ts';
import { staticToken, type Token } from './token.ts';

const TEXT_UNARY: readonly string[] = ['-n', '-z'];
const FILE_UNARY: readonly string[] = ['-d', '-e', '-f', '-h', '-L', '-r', '-s', '-w', '-x'];
const TEXT_BINARY: readonly string[] = ['=', '==', '!='];
const NUMBER_BINARY: readonly string[] = ['-eq', '-ne', '-lt', '-le', '-gt', '-ge'];

const unclear = (): never =>
  refuse(
    'A test uses a form that can evaluate its operands.',
    'Compare two texts or numbers, or test one file, and join tests with && outside.',
  );

const known = (token: Token | undefined): string => (token?.kind === 'static' ? token.text : '');

/**
 * Only forms whose meaning the number of arguments settles: `-v` and unknown operators would
 * evaluate array subscripts, which can run commands.
 */
export const checkTest = (argv: readonly Token[], paths: PathJudge): void => {
  const isBracket = known(argv[0]) === '[';
  if (isBracket && known(argv.at(-1)) !== ']') unclear();
  const inner = argv.slice(1, isBracket ? -1 : undefined);
  const [first, ...rest] = inner;
  const terms = known(first) === '!' ? rest : inner;
  const [left = staticToken(''), middle, right] = terms;
  if (terms.some(({ kind }) => kind === 'glob' || kind === 'stream')) unclear();
  if (terms.length === 2 && FILE_UNARY.includes(known(left))) {
    return void judgePathToken(middle as Token, 'read', paths);
  }
  const isUnary = terms.length === 2 && TEXT_UNARY.includes(known(left));
  const isText = terms.length === 3 && TEXT_BINARY.includes(known(middle));
  const isNumber =
    terms.length === 3 &&
    NUMBER_BINARY.includes(known(middle)) &&
    [left, right].every((term) => /^-?\d+$/.test(known(term)) || term?.kind === 'dynamic');
  if (!isUnary && !isText && !isNumber && terms.length !== 1) unclear();
};
