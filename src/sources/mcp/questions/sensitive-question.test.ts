import { describe, expect, it } from 'vitest';
import { secretNames } from '../../../governance/redaction/secret-names.ts';
import { sensitivePart } from './sensitive-question.ts';

const deps = { nameKind: secretNames() };
const text = (more: object = {}) => ({ type: 'string', ...more });
const partOf = (message: string, properties: Record<string, unknown>) =>
  sensitivePart({ message, schema: { type: 'object', properties } }, deps);

describe('a question of a server', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['a field of that name', 'Log in', { password: text() }],
    ['a field in camel case', 'Log in', { githubApiKey: text() }],
    ['a code of a phone', 'Log in', { otp: { type: 'integer' } }],
    ['a PIN', 'Log in', { pin: { type: 'number' } }],
    ['a title', 'Log in', { a: text({ title: 'Your passphrase' }) }],
    ['a description', 'Log in', { a: text({ description: 'The access token of your account' }) }],
    ['a field that hides what is typed', 'Log in', { a: text({ format: 'password' }) }],
    ['the message', 'Please enter your password in the box below.', { answer: text() }],
    ['the message, described', 'Password required', { answer: text() }],
    ['a key in the message', 'Paste the API key in here', { answer: text() }],
    ['a card', 'To go on, give your credit card number.', { answer: text() }],
    ['a card field', 'Pay', { cardNumber: text() }],
    ['recovery words', 'Type your seed phrase', { words: text() }],
    ['a code by text message', 'Which SMS code did you get?', { code: text() }],
    ['invisible characters', 'Your pass\u200bword?', { answer: text() }],
    ['letters apart', 'Your p a s s w o r d ?', { answer: text() }],
    ['letters apart by dots', 'Your p.a.s.s.w.o.r.d', { answer: text() }],
    ['digits for letters', 'Your p4ssw0rd?', { answer: text() }],
    ['wide letters', 'Your ｐａｓｓｗｏｒｄ?', { answer: text() }],
    ['letters of another alphabet', 'Your раssword?', { answer: text() }],
    ['German', 'Bitte Passwort eingeben', { answer: text() }],
    ['French', 'Entrez votre mot de passe', { answer: text() }],
    ['Russian', 'Введите пароль', { answer: text() }],
    ['Chinese', '请输入密码', { answer: text() }],
    ['Japanese', 'パスワードを入力', { answer: text() }],
  ])('threat: is not put when it asks for a credential by %s', (_, message, properties) => {
    expect(partOf(message, properties)).toBeDefined();
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['plain fields', 'Which city?', { city: text(), country: text() }],
    ['numbers of tokens', 'Which token limit do you want?', { maxTokens: { type: 'integer' } }],
    ['a choice', 'How do you log in?', { method: text({ enum: ['password', 'key'] }) }],
    ['a tick', 'Reset the password of this user?', { yes: { type: 'boolean' } }],
    ['a primary key', 'Name the column', { primaryKey: text() }],
    ['a mail address', 'Where to?', { email: text({ format: 'email' }) }],
    ['a passage', 'Which passage of the book?', { passage: text() }],
    ['another alphabet', 'Какой город?', { city: text() }],
    ['no fields', 'Enter your password elsewhere, then go on.', {}],
    ['author and key word', 'Who is the author? Give a keyword.', { author: text() }],
    ['page tokens', 'Go on from here?', { nextPageToken: text() }],
  ])('is put when it has %s', (_, message, properties) => {
    expect(partOf(message, properties)).toBeUndefined();
  });
});
