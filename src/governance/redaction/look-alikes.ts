/** Folds letters of other alphabets that look like Latin ones, and drops what nobody sees. */

/** Pairs of a letter and the Latin one that it looks like: Cyrillic, Greek, others. */
const PAIRS = [
  'аaвbсcԁdеeһhіiјjкkӏlмmнhоoрpԛqѕsтtуyѵvԝwхx',
  'АAВBСCЕEНHІIЈJКKМMОOРPЅSТTУYХXԚQԜW',
  'αaεeιiκkνvοoρpτtυuχxγyωwηnσo',
  'ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX',
  'ıiłlŁLøoØOđdɑaɡgᴀaᴄcᴅdᴇeɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz',
].join('');

const LATIN: ReadonlyMap<string, string> = new Map(
  Array.from({ length: PAIRS.length / 2 }, (_, at) => [
    PAIRS.charAt(at * 2),
    PAIRS.charAt(at * 2 + 1),
  ]),
);

/** Letters with marks decompose; marks, and characters without a width, go. */
const DROPPED = /[\p{Mn}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns the Latin letter that a character looks like, or the character itself. */
export const latinOf = (char: string): string => LATIN.get(char) ?? char;

/** Writes a name with the Latin letters that it seems to have. */
export const foldLookAlikes = (name: string): string =>
  /^[ -~]*$/.test(name)
    ? name
    : name
        .normalize('NFKD')
        .replaceAll(DROPPED, '')
        .replaceAll(/[^ -~]/g, latinOf);
