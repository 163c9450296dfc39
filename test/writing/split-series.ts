/** Five Mondays at ten in Paris, over no change of clocks. */
export const WEEKLY = {
  title: 'Weekly',
  start: '2027-01-04T09:00:00Z',
  end: '2027-01-04T10:00:00Z',
  timeZone: 'Europe/Paris',
  recurrence: { frequency: 'WEEKLY', count: 5 },
};
/** A title and times for the fourth of them. */
export const SPECIAL = { title: 'Special', start: '2027-01-25T13:00:00Z', end: '2027-01-25T14:00:00Z' };
