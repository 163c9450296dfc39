import { tokenFamilyStoreContract } from './contract/token-family-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(tokenFamilyStoreContract);
