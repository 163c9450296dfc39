/**
 * Google's reported behavior beyond its reference, each a switch; if off, Google is kind to clients. docs/sandbox.md
 * has the sources.
 */
export type GoogleHabits = {
  /** Whether `iCalUID` finds cancelled exceptions. Their UID is not among the guaranteed fields. */
  readonly uidFindsCancelled: boolean;
  /** Whether the organizer can read title, times and the rest of a cancelled event. */
  readonly cancelledDetails: boolean;
  /** The result of a guest's change to shared fields: refused, or accepted without effect. */
  readonly guestChanges: 'refused' | 'ignored';
  /** An event with more guests than this lists only the calendar's own, with `attendeesOmitted`. */
  readonly mostGuests: number;
  /** The same limit in responses to PATCH and PUT. */
  readonly mostGuestsWritten: number;
  /** The maximum of instances in a page, which may have fewer than requested. */
  readonly instancesPerPage: number;
  /**
   * The distance of invitations: every n-th event that people create is another person's, who invites them by an alias;
   * 0: none.
   */
  readonly invitationEvery: number;
};

const KIND: GoogleHabits = {
  uidFindsCancelled: true,
  cancelledDetails: false,
  guestChanges: 'refused',
  mostGuests: Number.POSITIVE_INFINITY,
  mostGuestsWritten: Number.POSITIVE_INFINITY,
  instancesPerPage: 2500,
  invitationEvery: 0,
};

export const habitsOf = (switched: Partial<GoogleHabits>): GoogleHabits => ({
  uidFindsCancelled: switched.uidFindsCancelled ?? KIND.uidFindsCancelled,
  cancelledDetails: switched.cancelledDetails ?? KIND.cancelledDetails,
  guestChanges: switched.guestChanges ?? KIND.guestChanges,
  mostGuests: switched.mostGuests ?? KIND.mostGuests,
  mostGuestsWritten: switched.mostGuestsWritten ?? KIND.mostGuestsWritten,
  instancesPerPage: switched.instancesPerPage ?? KIND.instancesPerPage,
  invitationEvery: switched.invitationEvery ?? KIND.invitationEvery,
});
