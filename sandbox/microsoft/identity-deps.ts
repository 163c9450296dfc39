/** The dependencies of the identity platform's operations. */
import type { SandboxClock } from '../core/clock.ts';
import type { IdTokenSigner } from '../core/id-token-signer.ts';
import type { Apps } from './app-registration.ts';
import type { Directory } from './directory.ts';
import type { MicrosoftTokens } from './microsoft-tokens.ts';

export type IdentityDeps = {
  readonly clock: SandboxClock;
  readonly directory: Directory;
  readonly apps: Apps;
  readonly tokens: MicrosoftTokens;
  readonly signer: IdTokenSigner;
  /** Known once the server listens. */
  origin(): string;
};
