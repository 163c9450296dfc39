/** Passwords of people: Argon2id (RFC 9106) with its parameters beside the hash, and which ones are taken. */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

import { PeopleRefusal } from './people-refusal.ts';

const LEAST_CHARACTERS = 12;
const MOST_CHARACTERS = 200;
const LEAST_DIFFERENT = 5;
/** The first of OWASP's recommendations: 19 MiB, two passes. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const TAG_BYTES = 32;
const SALT_BYTES = 16;
/** Each takes 19 MiB and some 50 ms of a core: so many at once, and so many that wait. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 50;
const RETRY_SECONDS = 5;

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

/** What is wrong with a new password, as a sentence; undefined where nothing is. `own`: the name and address of whose it is. */
export function passwordProblem(password: string, own: readonly string[]): string | undefined {
  const count = [...password].length;
  if (count < LEAST_CHARACTERS)
    return `It needs ${LEAST_CHARACTERS} characters or more: three or four words do.`;
  if (count > MOST_CHARACTERS) return `It must not be longer than ${MOST_CHARACTERS} characters.`;
  const folded = password.toLowerCase();
  if (new Set(folded).size < LEAST_DIFFERENT || isRepeated(folded) || isSequence(folded))
    return 'It repeats itself, and would be guessed soon. Three or four words that have nothing to do with each other are good.';
  if (isCommon(folded)) return 'It is one of the most common passwords. Choose another one.';
  const parts = own.flatMap((text) => text.toLowerCase().split(/[\s@]+/)).filter((part) => part.length > 3);
  const rest = parts.reduce((text, part) => text.replaceAll(part, ''), folded).replaceAll('kalends', '');
  if (rest.length < LEAST_CHARACTERS / 2)
    return 'It is little more than your name or address. Choose another one.';
  return undefined;
}

/** A text of at most six characters again and again, or the same two halves. */
const isRepeated = (text: string): boolean => /^(.{1,6}|.*)\1+$/su.test(text);

/** Each character follows the one before in the alphabet, or on a line of digits. */
function isSequence(text: string): boolean {
  const steps = [...text]
    .slice(1)
    .map((character, index) => (character.codePointAt(0) ?? 0) - text.charCodeAt(index));
  const regular = steps.filter((step) => Math.abs(step) <= 1).length;
  return regular >= steps.length * 0.8;
}

let common: ReadonlySet<string> | undefined;

function isCommon(folded: string): boolean {
  common ??= new Set(
    readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== ''),
  );
  // `Password1234!` is as common as what it is made of.
  return common.has(folded) || common.has(folded.replace(/[\d\p{P}\p{S}]+$/u, ''));
}

let running = 0;
const waiting: (() => void)[] = [];

/** Throws PeopleRefusal `too_many` where too many wait already. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MOST_AT_ONCE) {
    if (waiting.length >= MOST_WAITING) throw new PeopleRefusal('too_many', { retryAfter: RETRY_SECONDS });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** As PHC strings have it: `$argon2id$v=19$m=…,t=…,p=1$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await inTurn(() => argon2id(password, { nonce, memory: MEMORY_KIB, passes: PASSES }));
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${text(nonce)}$${text(tag)}`;
}

/** Takes as long where there is no hash: how long it takes tells nobody who is registered. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, memory, passes, salt, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/.exec(hash ?? '') ?? [];
  const nonce = salt === undefined ? Buffer.alloc(SALT_BYTES) : Buffer.from(salt, 'base64');
  const settings = { nonce, memory: Number(memory ?? MEMORY_KIB), passes: Number(passes ?? PASSES) };
  // One that is longer is nobody's.
  const made = await inTurn(() => argon2id(password.slice(0, MOST_CHARACTERS * 4), settings));
  return tag !== undefined && timingSafeEqual(made, Buffer.from(tag, 'base64'));
}

type Settings = Pick<Argon2Parameters, 'nonce' | 'memory' | 'passes'>;

const argon2id = (password: string, settings: Settings): Promise<Buffer> =>
  // The same characters are the same password, however a keyboard composes them (RFC 8265 §4.2).
  derive('argon2id', {
    ...settings,
    message: password.normalize('NFC'),
    parallelism: 1,
    tagLength: TAG_BYTES,
  });

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '');
