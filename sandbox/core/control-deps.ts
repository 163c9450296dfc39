/** The dependencies of the controls. */
import type { SandboxClock } from './clock.ts';
import type { Faults, SandboxKind } from './faults.ts';
import type { ProviderSandbox } from './provider-sandbox.ts';
import type { ShownMessage } from './sent-messages.page.ts';

export type ControlDeps = {
  readonly clock: SandboxClock;
  readonly faults: Faults;
  /** The providers whose people the page can withdraw access for. */
  readonly providers?: readonly Pick<ProviderSandbox, 'kind' | 'manual'>[];
  /** The people whom the page offers. */
  readonly people?: readonly ControlPerson[];
  /** The organization at Microsoft whose users can be made to wait for their administrator. */
  readonly organisation?: { readonly name: string; demandConsent(email?: string): Promise<void> };
  /** Returns the current password of a person. Undefined if the provider has none. */
  passwordOf?(person: ControlPerson): string | undefined;
  /**
   * Ends all cursors of a user at Kalends, and makes each of the user's streams send `metadata.reset`. Resolves to
   * false if there is no such user.
   */
  expireCursors?(user: { readonly clientId: string; readonly userId: string }): Promise<boolean>;
  /** Returns the messages that providers sent to people so far, oldest first. */
  sent?(): readonly ShownMessage[];
  /** The address of the application to return to. */
  readonly demoUrl?: string;
};

/** A person at a provider, by the address that signs in there. */
export type ControlPerson = { readonly kind: SandboxKind; readonly email: string };
