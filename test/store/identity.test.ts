import { identityStoreContract } from '../contract/identity-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(identityStoreContract);
