import { passkeyStoreContract } from '../contract/passkey-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(passkeyStoreContract);
