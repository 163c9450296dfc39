/**
 * One budget for a whole resource (docs/security.md T13): everything that is read, understood and placed of one text counts
 * against it, however it is spread over lines and components. The numbers are generous for what calendars really hold,
 * and a resource that uses all of them up still takes less than 100 ms of processor time.
 */
import { ICalendarError } from './icalendar-error.ts';

/**
 * A resource over its budget. `message` is a public sentence about it that goes on from "it", such as "it has more than
 * 20 recurrence rules"; it repeats nothing of the text.
 */
export class TooComplexError extends ICalendarError {
  constructor(message: string) {
    super(message);
    this.name = 'TooComplexError';
  }
}

type Limit = { readonly most: number; readonly what: string };

const LIMITS = {
  /** Of the text, as it came. An attachment of 3.7 MB fits. */
  characters: { most: 5_000_000, what: 'characters' },
  /** As they are folded: five million characters take 67,000. */
  lines: { most: 75_000, what: 'lines' },
  /** Their values, where one has several. */
  parameters: { most: 50_000, what: 'parameters' },
  /** `\n`, `\,` and their like in texts. */
  escapes: { most: 300_000, what: 'escaped characters' },
  components: { most: 5_000, what: 'components' },
  rules: { most: 20, what: 'recurrence rules' },
  exdates: { most: 5_000, what: 'excluded dates' },
  rdates: { most: 5_000, what: 'additional dates' },
  overrides: { most: 1_500, what: 'changed occurrences' },
  attendees: { most: 7_500, what: 'attendees' },
  /** Described, and named by times: each is looked up once. */
  zones: { most: 50, what: 'time zones' },
  observances: { most: 500, what: 'changes of offset in its time zones' },
  onsets: { most: 5_000, what: 'dates of changes in its time zones' },
  /** Every time in a zone of the calendar's own is kept with the rules of that zone: the characters of all of them. */
  zoneCharacters: { most: 2_000_000, what: 'characters of rules in its time zones' },
  /** As RecurrenceBudget counts them: for the changes of its zones, and for finding zones that have the same. */
  steps: { most: 400_000, what: 'steps to follow in its time zones' },
} satisfies Record<string, Limit>;

/** What a budget counts. */
export type Counted = keyof typeof LIMITS;

/** What one resource may still use. */
export type ResourceBudget = Record<Counted, number>;

/** A whole budget: make one for each text. */
export function resourceBudget(): ResourceBudget {
  const amounts = Object.entries(LIMITS).map(([name, { most }]) => [name, most]);
  // Every name of LIMITS has its amount.
  return Object.fromEntries(amounts) as ResourceBudget;
}

/** Takes an amount from the budget. Throws TooComplexError when there is not so much left. */
export function spend(budget: ResourceBudget, counted: Counted, amount = 1): void {
  budget[counted] -= amount;
  if (budget[counted] >= 0) return;
  const { most, what } = LIMITS[counted];
  throw new TooComplexError(`it has more than ${most.toLocaleString('en')} ${what}`);
}
