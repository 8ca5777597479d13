/** Tells what is written like a password or token from the words of prose and tables. */
import { looksRandom } from './secret-values.ts';

/** Words that each begin with a capital, a number behind one of them: `OAuth2Client`, `sha256Digest`. */
const CAPITALIZED = String.raw`[A-Z]+(?![A-Z])[a-z]*(?![a-z])\d{0,5}(?!\d)`;
const IDENTIFIER = new RegExp(
  String.raw`^(?:[a-z]{2,20}(?![a-z])\d{0,5}(?!\d))?(?:${CAPITALIZED}){1,9}$`,
);
/** What code ends the names of its types with, and people hardly ever their passwords. */
const CODE_NOUN =
  /(?:Adapter|Algorithm|Assertion|Authenticator|Builder|Certificate|Cipher|Claims|Client|Codec|Config|Context|Controller|Credentials|Decoder|Digest|Encoder|Encryptor|Error|Event|Exception|Factory|Filter|Format|Generator|Grant|Guard|Handler|Hash|Hasher|Header|Helper|Interceptor|Interface|Key|KeyPair|Manager|Middleware|Object|Options|Params|Parser|Payload|Policy|Provider|Repository|Request|Resolver|Response|Schema|Scheme|Server|Service|Session|Signature|Signer|Storage|Store|Strategy|String|Token|Type|Util|Utils|Validator|Verifier)\d?$/;
const MAX_IDENTIFIER = 64;

const isIdentifier = (value: string): boolean =>
  value.length <= MAX_IDENTIFIER && CODE_NOUN.test(value) && IDENTIFIER.test(value);

/** Tells whether letters, digits and marks are mixed as in a secret, and as in no word of prose or of a table. */
export const isMixed = (value: string): boolean => {
  if (value.length >= 6 && /[A-Za-z]/.test(value) && /[!@#$%^&*]/.test(value) && /\d/.test(value))
    return true;
  const hasBothCases = value.length >= 8 && /[a-z]/.test(value) && /[A-Z]/.test(value);
  return (looksRandom(value) || (hasBothCases && /\d/.test(value))) && !isIdentifier(value);
};
