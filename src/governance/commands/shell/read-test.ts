/** Reads the conditions of `[[ … ]]`: text comparisons and questions about files, no arithmetic. */
import type { TestExpression, Word } from 'unbash';
import { refuse } from '../refusal.ts';
import type { Token } from '../token.ts';

export interface TestReader {
  readonly read: (word: Word) => readonly Token[];
  readonly addFile: (target: readonly Token[]) => void;
}

const TEXT_UNARY: readonly string[] = ['-n', '-z'];
const FILE_UNARY: readonly string[] = ['-a', '-d', '-e', '-f', '-h', '-L', '-r', '-s', '-w', '-x'];
const TEXT_BINARY: readonly string[] = ['=', '==', '!=', '<', '>', '=~'];

const unclear = (): never =>
  refuse(
    'A condition uses an operator that can evaluate its operands.',
    'Compare text with = or !=, or test files with -e, -f and -d.',
  );

/** Refuses `-v`, `-R`, `-eq` and the like: they evaluate subscripts, which can run commands. */
export const readTest = (test: TestExpression, reader: TestReader): void => {
  switch (test.type) {
    case 'TestUnary': {
      const operand = reader.read(test.operand);
      if (FILE_UNARY.includes(test.operator)) reader.addFile(operand);
      else if (!TEXT_UNARY.includes(test.operator)) unclear();
      return;
    }
    case 'TestBinary':
      if (!TEXT_BINARY.includes(test.operator)) unclear();
      reader.read(test.left);
      reader.read(test.right);
      return;
    case 'TestLogical':
      for (const operand of test.operands) readTest(operand, reader);
      return;
    case 'TestNot':
      return void readTest(test.operand, reader);
    case 'TestGroup':
      return void readTest(test.expression, reader);
  }
};
