/** The control page's forms, read into what is to be done, or the sentence that says why not. */
import { type Static, Type } from 'typebox';

import { COMMON_FAULTS } from './common-faults.ts';
import type { ControlPerson } from './control-deps.ts';
import { type Fault, KIND_NAMES, SANDBOX_KINDS } from './faults.ts';

export const SwitchForm = Type.Object({
  /** A provider, or one of its people: see `formValue`. */
  whom: Type.String(),
  fault: Type.String(),
  times: Type.Optional(Type.String()),
});
export const OffForm = Type.Object({ id: Type.Optional(Type.String()) });
export const ClockForm = Type.Object({ turn: Type.String() });
export const AccessForm = Type.Object({ who: Type.String() });

export type Refused = { readonly trouble: string };

/** How a form names somebody. */
export const formValue = ({ kind, email }: ControlPerson): string => `${kind} ${email}`;

export const personOf = (value: string, people: readonly ControlPerson[]): ControlPerson | undefined =>
  people.find((person) => formValue(person) === value);

export function faultOfForm(
  { whom, fault: name, times = '' }: Static<typeof SwitchForm>,
  people: readonly ControlPerson[],
): Fault | Refused {
  const person = personOf(whom, people);
  const kind = person?.kind ?? SANDBOX_KINDS.find((candidate) => candidate === whom);
  if (kind === undefined) return { trouble: 'Choose whom it befalls.' };
  const common = COMMON_FAULTS.find((candidate) => candidate.name === name);
  if (common === undefined) return { trouble: 'Choose a fault.' };
  const fault = common.at[kind];
  if (fault === undefined) return { trouble: `“${common.label}” cannot happen at ${KIND_NAMES[kind]}.` };
  if (!/^\d{0,6}$/.test(times))
    return { trouble: 'How many requests is a whole number, or empty for no end.' };
  return {
    ...fault,
    provider: kind,
    ...(person === undefined ? {} : { user: person.email }),
    ...(Number(times) > 0 ? { times: Number(times) } : {}),
  };
}
