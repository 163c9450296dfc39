/** What the controls act on. */
import type { SandboxClock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { ProviderSandbox } from './provider-sandbox.ts';

export type ControlDeps = {
  readonly clock: SandboxClock;
  readonly faults: Faults;
  /** Those whose people the page can withdraw access for. */
  readonly providers?: readonly Pick<ProviderSandbox, 'kind' | 'hand'>[];
};
