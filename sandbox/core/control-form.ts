/** The control page's forms, read into what is to be done, or the sentence that says why not. */
import { type Input, text } from '../../src/http/fields.ts';
import { COMMON_FAULTS } from './common-faults.ts';
import type { ControlPerson } from './control-deps.ts';
import { type Fault, KIND_NAMES, SANDBOX_KINDS } from './faults.ts';

/** `whom` is a provider, or one of its people: see `formValue`. */
export const SWITCH_FORM = { whom: text({}), fault: text({}), times: text({}) };
export const OFF_FORM = { id: text({}) };
export const CLOCK_FORM = { turn: text({}) };
export const ACCESS_FORM = { who: text({}) };

export type Refused = { readonly trouble: string };

/** How a form names somebody. */
export const formValue = ({ kind, email }: ControlPerson): string => `${kind} ${email}`;

export const personOf = (
  value: string | undefined,
  people: readonly ControlPerson[],
): ControlPerson | undefined => people.find((person) => formValue(person) === value);

export function faultOfForm(
  { whom, fault: name, times = '' }: Input<typeof SWITCH_FORM>,
  people: readonly ControlPerson[],
): Fault | Refused {
  const person = personOf(whom, people);
  const kind = person?.kind ?? SANDBOX_KINDS.find((candidate) => candidate === whom);
  if (kind === undefined) return { trouble: 'Choose who is affected.' };
  const common = COMMON_FAULTS.find((candidate) => candidate.name === name);
  if (common === undefined) return { trouble: 'Choose a fault.' };
  const fault = common.at[kind];
  if (fault === undefined) return { trouble: `“${common.label}” cannot happen at ${KIND_NAMES[kind]}.` };
  if (!/^\d{0,6}$/.test(times))
    return { trouble: 'The number of requests must be a whole number, or empty for no limit.' };
  return {
    ...fault,
    provider: kind,
    ...(person === undefined ? {} : { user: person.email }),
    ...(Number(times) > 0 ? { times: Number(times) } : {}),
  };
}
