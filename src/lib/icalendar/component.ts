/** Components, RFC 5545 §3.4 to §3.6: what lies between BEGIN and END. */
import { type ContentLine, parseContentLine, unfoldLines } from './content-line.ts';
import { nameOfLine } from './edit-lines.ts';
import { ICalendarError } from './icalendar-error.ts';
import { resourceBudget, spend, TooComplexError } from './resource-budget.ts';

export type Component = {
  /** In upper case. */
  readonly name: string;
  /** Unfolded, but not parsed: most are never read. */
  readonly lines: readonly string[];
  readonly components: readonly Component[];
};

/** Real calendars nest three: VCALENDAR, VEVENT and VALARM. */
const DEEPEST = 10;

type OpenComponent = { readonly name: string; readonly lines: string[]; readonly components: Component[] };

/**
 * Parses the VCALENDARs of a text. Unclosed components are left out, because they are incomplete; only a VCALENDAR may
 * end with the text. Throws ICalendarError if there is none, and TooComplexError over a limit.
 */
export function parseComponents(text: string, budget = resourceBudget()): readonly Component[] {
  spend(budget, 'characters', text.length);
  const root: OpenComponent = { name: '', lines: [], components: [] };
  const open: OpenComponent[] = [root];
  for (const line of unfoldLines(text, budget)) {
    const [mark, name] = markIn(line);
    if (mark === undefined) open.at(-1)?.lines.push(line);
    else if (mark.toUpperCase() === 'END') close(open, name.toUpperCase());
    else {
      spend(budget, 'components');
      if (open.length > DEEPEST) throw new TooComplexError('it nests components too deeply');
      open.push({ name: name.toUpperCase(), lines: [], components: [] });
    }
  }
  const unclosed = open.find(({ name }) => name === 'VCALENDAR');
  const calendars = root.components.filter(({ name }) => name === 'VCALENDAR');
  if (unclosed !== undefined) calendars.push(unclosed);
  if (calendars.length === 0) throw new ICalendarError('The text contains no VCALENDAR');
  return calendars;
}

/** Real BEGIN and END lines are shorter. */
const LONGEST_MARK = 200;

/** Returns `BEGIN` or `END` and its component, or nothing for a property. */
function markIn(line: string): readonly [mark: string | undefined, name: string] {
  if (line.length > LONGEST_MARK || !MAY_MARK.test(line)) return NO_MARK;
  const [, mark, name = ''] = /^\s*(BEGIN|END)\s*:\s*([\w-]+)\s*$/i.exec(line) ?? [];
  return [mark, name];
}

const MAY_MARK = /^[\sBbEe]/;
const NO_MARK = [undefined, ''] as const;

/** Closes the innermost component of that name; those still open inside it are dropped. A stray END is ignored. */
function close(open: OpenComponent[], name: string): void {
  const index = open.findLastIndex((component, depth) => depth > 0 && component.name === name);
  const closed = open[index];
  if (closed === undefined) return;
  open.length = index;
  open.at(-1)?.components.push(closed);
}

/** Returns the readable properties by name, in order; only `wanted` ones if given. Throws TooComplexError. */
export function parseProperties(
  { lines }: Component,
  budget = resourceBudget(),
  wanted?: ReadonlySet<string>,
): ReadonlyMap<string, readonly ContentLine[]> {
  const properties = new Map<string, ContentLine[]>();
  for (const line of lines) {
    if (wanted !== undefined && !wanted.has(nameOfLine(line))) continue;
    const property = parseContentLine(line, budget);
    if (property === undefined) continue;
    const others = properties.get(property.name);
    if (others === undefined) properties.set(property.name, [property]);
    else others.push(property);
  }
  return properties;
}
