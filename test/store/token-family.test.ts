import { tokenFamilyStoreContract } from '../contract/token-family-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(tokenFamilyStoreContract);
