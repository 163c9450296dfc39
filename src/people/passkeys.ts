/** The actions of members with passkeys: add, sign in, confirm the identity, and remove. */

import type { By } from '../audit/audit-entry.ts';
import { type ChallengeDeps, newChallenge, sealChallenge, spendChallenge } from './passkey-challenge.ts';
import type { NewPasskey } from './passkey-store.ts';
import { PeopleRefusal } from './people-refusal.ts';
import type { Person } from './person.ts';
import type { SignInDeps } from './sign-in.ts';
import { countAttempt } from './sign-in.ts';
import { mustNotFollowClaims } from './single-sign-on.ts';
import {
  creationOptions,
  findRelyingParty,
  parseAnswer,
  type RelyingParty,
  requestOptions,
  verifyAssertion,
  verifyCreation,
} from './web-authn.ts';

export type PasskeyDeps = SignInDeps & ChallengeDeps & { readonly dashboardUrl: string };

/** The options for the browser as JSON, and the content of the cookie until it responds. */
export type PasskeyRequest = { readonly options: object; readonly cookie: string };

/** The response of a browser: its JSON as text, its cookie, and its address. */
export type PasskeyAnswer = {
  readonly text: string;
  readonly cookie: string | undefined;
  readonly address: string;
  readonly mark: string | undefined;
};

const MOST_PASSKEYS = 20;
const MOST_NAME_CHARACTERS = 60;

/** Returns the relying party. Throws PeopleRefusal `no_passkeys` if passkeys are impossible here. */
function requireRelyingParty({ dashboardUrl }: PasskeyDeps): RelyingParty {
  const party = findRelyingParty(dashboardUrl);
  if (party === undefined) throw new PeopleRefusal('no_passkeys');
  return party;
}

/** Returns options to create a passkey for a member or future member. Throws PeopleRefusal `no_passkeys`. */
export async function askForNewPasskey(
  person: Pick<Person, 'personId' | 'name' | 'login'>,
  purpose: string,
  deps: PasskeyDeps,
): Promise<PasskeyRequest> {
  const party = requireRelyingParty(deps);
  const challenge = newChallenge(person.personId);
  const existing = await deps.people.listPasskeys(person.personId);
  const options = await creationOptions({ challenge: challenge.challenge, person, known: existing }, party);
  return { options, cookie: sealChallenge(challenge, purpose, deps) };
}

/** Returns options to sign in with any passkey, or with one of `person`. Throws PeopleRefusal `no_passkeys`. */
export async function askForPasskey(
  person: Pick<Person, 'personId'> | undefined,
  purpose: string,
  deps: PasskeyDeps,
): Promise<PasskeyRequest> {
  const party = requireRelyingParty(deps);
  const challenge = newChallenge(person?.personId ?? '');
  const existing = person === undefined ? [] : await deps.people.listPasskeys(person.personId);
  const options = await requestOptions({ challenge: challenge.challenge, known: existing }, party);
  return { options, cookie: sealChallenge(challenge, purpose, deps) };
}

/** Returns the credential and its member's id. Throws PeopleRefusal `challenge_ended` or `wrong_passkey`. */
export async function readNewPasskey(
  { text, cookie, name }: Pick<PasskeyAnswer, 'text' | 'cookie'> & { readonly name: string },
  purpose: string,
  deps: PasskeyDeps,
): Promise<{ readonly personId: string; readonly passkey: NewPasskey }> {
  const party = requireRelyingParty(deps);
  const challenge = await spendChallenge(cookie, purpose, deps);
  if (challenge === undefined) throw new PeopleRefusal('challenge_ended');
  const credential = await verifyCreation(text, challenge, party);
  if (credential === undefined) throw new PeopleRefusal('wrong_passkey');
  return { personId: challenge.personId, passkey: { ...credential, name: passkeyName(name) } };
}

/** Returns the member's name for the passkey, or a default name. */
const passkeyName = (name: string): string =>
  name
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
    .slice(0, MOST_NAME_CHARACTERS)
    .toWellFormed() || 'Passkey';

/** Adds the passkey. Throws PeopleRefusal as `readNewPasskey` does, `passkey_taken` and `role_from_claims`. */
export async function addPasskey(
  person: Person,
  {
    purpose,
    ...answer
  }: Pick<PasskeyAnswer, 'text' | 'cookie'> & {
    readonly name: string;
    readonly purpose: string;
  },
  deps: PasskeyDeps & By,
): Promise<void> {
  mustNotFollowClaims(person);
  const { personId, passkey } = await readNewPasskey(answer, purpose, deps);
  // The challenge was this browser's, but for a member who was signed in there before.
  if (personId !== person.personId) throw new PeopleRefusal('challenge_ended');
  const terms = { now: deps.now(), most: MOST_PASSKEYS, by: deps.by };
  if (!(await deps.people.addPasskey(personId, passkey, terms))) throw new PeopleRefusal('passkey_taken');
}

/**
 * Returns the member of the passkey, which must be `proving` if given. Attempts count as with passwords. Throws
 * PeopleRefusal `too_many`, `challenge_ended`, or `wrong_passkey` for every other reason.
 */
export async function signInWithPasskey(
  { text, cookie, address, mark }: PasskeyAnswer,
  { purpose, proving }: { readonly purpose: string; readonly proving?: Person },
  deps: PasskeyDeps & By,
): Promise<Person> {
  const party = requireRelyingParty(deps);
  const answer = parseAnswer(text);
  const passkey = answer && (await deps.people.findPasskey(answer.id));
  const person = passkey && (await deps.people.findPerson(passkey.personId));
  const attempt = { address, mark, person, login: person?.login ?? '' };
  const { refund, target } = await countAttempt(attempt, deps);
  const challenge = await spendChallenge(cookie, purpose, deps);
  if (challenge === undefined) throw new PeopleRefusal('challenge_ended');
  if (passkey === undefined || person === undefined) throw new PeopleRefusal('wrong_passkey');
  const isOther = proving !== undefined && proving.personId !== person.personId;
  if (isOther || (challenge.personId !== '' && challenge.personId !== person.personId))
    throw new PeopleRefusal('wrong_passkey', { target });
  const counter = await verifyAssertion({ text, passkey }, challenge, party);
  const terms = { now: deps.now(), by: deps.by };
  if (counter === undefined || !(await deps.people.usePasskey(passkey.passkeyId, counter, terms)))
    throw new PeopleRefusal('wrong_passkey', { target });
  await refund();
  return person;
}

/** Removes a passkey. Throws PeopleRefusal `last_way` if the member could not sign in without it, or `not_there`. */
export async function removePasskey(
  { personId }: Pick<Person, 'personId'>,
  passkeyId: string,
  { people, by }: Pick<PasskeyDeps, 'people'> & By,
): Promise<void> {
  const outcome = await people.removePasskey(personId, passkeyId, by);
  if (outcome === 'last_way') throw new PeopleRefusal('last_way');
  if (!outcome) throw new PeopleRefusal('not_there');
}
