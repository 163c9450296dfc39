import type { SlotPlace } from './slot-counts.ts';

/** Returns the name of a user as an owner of slots. */
export const toSlotOwner = ({
  clientId,
  userId,
}: {
  readonly clientId: string;
  readonly userId: string;
}): string => `${clientId} ${userId}`;

/** Returns the place of an owner (`clientId userId`). A text without a space is an owner of no application. */
export const placeOfOwner = (owner: string, host = ''): SlotPlace => ({
  clientId: owner.slice(0, Math.max(0, owner.indexOf(' '))),
  owner,
  host,
});
