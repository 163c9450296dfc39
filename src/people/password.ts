/** Passwords of members: Argon2id (RFC 9106) with its parameters beside the hash, hashing slots, and rules. */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

import { toNetworks } from '../http/address-key.ts';
import type { SlotListener } from '../lib/fair-slots/slot-listener.ts';
import { SlotQueue } from '../lib/fair-slots/slot-queue.ts';
import { PeopleRefusal } from './people-refusal.ts';

const LEAST_CHARACTERS = 12;
const MOST_CHARACTERS = 200;
const LEAST_DIFFERENT = 5;
/** The first of OWASP's recommendations: 19 MiB, two passes. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const TAG_BYTES = 32;
const SALT_BYTES = 16;
/** Each hash takes 19 MiB and about 50 ms of a core. */
const SLOTS = 2;
const WAITING_OF_MEMBER = 3;
const WAITING_OF_OTHERS = 50;
const RETRY_SECONDS = 5;

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

/** Returns the problem of a new password, as a sentence. `own` is the member's name and address. */
export function passwordProblem(password: string, own: readonly string[]): string | undefined {
  const count = [...password].length;
  if (count < LEAST_CHARACTERS)
    return `It must have at least ${LEAST_CHARACTERS} characters. Three or four words are enough.`;
  if (count > MOST_CHARACTERS) return `It must not be longer than ${MOST_CHARACTERS} characters.`;
  const lowerCase = password.toLowerCase();
  if (new Set(lowerCase).size < LEAST_DIFFERENT || isRepeated(lowerCase) || isSequence(lowerCase))
    return 'It repeats itself and is easy to guess. Three or four unrelated words are good.';
  if (isCommon(lowerCase)) return 'It is one of the most common passwords. Choose another one.';
  const parts = own.flatMap((text) => text.toLowerCase().split(/[\s@]+/)).filter((part) => part.length > 3);
  const rest = parts.reduce((text, part) => text.replaceAll(part, ''), lowerCase).replaceAll('kalends', '');
  if (rest.length < LEAST_CHARACTERS / 2)
    return 'It is too similar to your name or address. Choose another one.';
  return undefined;
}

/** Returns whether a text repeats at most six characters, or the same half twice. */
const isRepeated = (text: string): boolean => /^(.{1,6}|.*)\1+$/su.test(text);

/** Returns whether most characters follow the one before in the alphabet or the digits. */
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
  // `Password1234!` is as common as `password`.
  return common.has(folded) || common.has(folded.replace(/[\d\p{P}\p{S}]+$/u, ''));
}

/** Each member may hold one slot, and all others together one. */
export const passwordSlots = (listener?: SlotListener): SlotQueue =>
  new SlotQueue('password', { slots: SLOTS, ofOwner: 1 }, listener);

export type HashingDeps = { readonly passwordSlots: SlotQueue };
export type HashingCaller = {
  /** The id of the member (known browser or session) or of the link in use. Undefined: a stranger. */
  readonly member: string | undefined;
  readonly address: string;
  /** Aborts when the client closes the connection. */
  readonly signal: AbortSignal;
};

/** Returns a function that frees the slot. Throws PeopleRefusal `too_many` if too many wait or it is aborted. */
async function takeSlot({ member, address, signal }: HashingCaller, deps: HashingDeps): Promise<() => void> {
  const [owner, turns, waiting] =
    member === undefined
      ? ['others', toNetworks(address), WAITING_OF_OTHERS]
      : [`member ${member}`, [], WAITING_OF_MEMBER];
  const place = { clientId: '', owner, host: '', turns };
  const leave = await deps.passwordSlots.enter(place, { waiting, signal }).catch(() => undefined);
  if (leave === undefined) throw new PeopleRefusal('too_many', { retryAfter: RETRY_SECONDS });
  return leave;
}

/** Returns a PHC string: `$argon2id$v=19$m=…,t=…,p=1$salt$hash`. Throws PeopleRefusal `too_many`. */
export async function hashPassword(
  password: string,
  caller: HashingCaller,
  deps: HashingDeps,
): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const leave = await takeSlot(caller, deps);
  const tag = await argon2id(password, { nonce, memory: MEMORY_KIB, passes: PASSES }).finally(leave);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${text(nonce)}$${text(tag)}`;
}

/** Compares a password, as slowly without a hash: the time must not reveal members. Throws PeopleRefusal `too_many`. */
export async function isPassword(
  { password, hash }: { readonly password: string; readonly hash: string | undefined },
  caller: HashingCaller,
  deps: HashingDeps,
): Promise<boolean> {
  const [, memory, passes, salt, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/.exec(hash ?? '') ?? [];
  const nonce = salt === undefined ? Buffer.alloc(SALT_BYTES) : Buffer.from(salt, 'base64');
  const settings = { nonce, memory: Number(memory ?? MEMORY_KIB), passes: Number(passes ?? PASSES) };
  const leave = await takeSlot(caller, deps);
  // No member has a longer password.
  const derived = await argon2id(password.slice(0, MOST_CHARACTERS * 4), settings).finally(leave);
  return tag !== undefined && timingSafeEqual(derived, Buffer.from(tag, 'base64'));
}

type Settings = Pick<Argon2Parameters, 'nonce' | 'memory' | 'passes'>;

const argon2id = (password: string, settings: Settings): Promise<Buffer> =>
  // The same characters are one password, however the keyboard composes them (RFC 8265 §4.2).
  derive('argon2id', {
    ...settings,
    message: password.normalize('NFC'),
    parallelism: 1,
    tagLength: TAG_BYTES,
  });

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '');
